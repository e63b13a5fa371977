"""Places the labels with the roads' lengths on a map so that everything stays legible.

A label is on its road, which is interrupted for it. All measures are in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

MARKER_RADIUS = 19
"""Radius of a marker."""
_DIGIT, _POINT, _TALL = 15.5, 8.5, 22.0
"""Width of a digit, width of the decimal point, and height of a label."""
_FREE = 5.0
"""Margin around a label."""
_ALONG = (0.5, 0.46, 0.54, 0.42, 0.58, 0.38, 0.62, 0.34, 0.66, 0.3, 0.7)
"""Possible positions of a label along its road, as fractions, best first."""
_STUB = 8.0
"""Minimum visible length of a road between its label and each of its markers."""


class Point(NamedTuple):
    """A point of the map."""

    x: float
    y: float


class RoadSegment(NamedTuple):
    """A road to be drawn: the numbers of its two markers, and its length as printed."""

    a: int
    b: int
    length: str


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def wider(self, by: float) -> Box:
        """The rectangle, extended by *by* on each side."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def meets(self, other: Box) -> bool:
        """Whether two rectangles overlap."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.top <= other.bottom or other.top <= self.bottom)

    def distance(self, point: Point) -> float:
        """The distance of *point* from the rectangle; 0 inside it."""
        x = max(self.left - point.x, 0, point.x - self.right)
        y = max(self.bottom - point.y, 0, point.y - self.top)
        return math.hypot(x, y)

    def span(self, a: Point, b: Point) -> tuple[float, float] | None:
        """Return the part of the line from *a* to *b* in the rectangle: two fractions or None."""
        first, last = 0.0, 1.0
        sides = ((a.x, b.x - a.x, self.left, self.right), (a.y, b.y - a.y, self.bottom, self.top))
        for start, way, low, high in sides:
            if way == 0:
                if not low < start < high:
                    return None
                continue
            one, two = sorted(((low - start) / way, (high - start) / way))
            first, last = max(first, one), min(last, two)
        return (first, last) if first < last else None


def label_box(length: str, middle: Point) -> Box:
    """The rectangle of the label *length* around its *middle*."""
    wide = _DIGIT * (len(length) - 1) + _POINT
    return Box(middle.x - wide / 2, middle.y - _TALL / 2, middle.x + wide / 2, middle.y + _TALL / 2)


def place_length_labels(
    markers: Mapping[int, Point], roads: Sequence[RoadSegment]
) -> tuple[Point, ...] | None:
    """The middle of each road's label in whole pixels, or None if one would not be legible."""
    placed: list[Point] = []
    boxes: list[Box] = []
    for road in roads:
        for middle in _middles(markers[road.a], markers[road.b]):
            box = label_box(road.length, middle).wider(_FREE)
            if not any(map(box.meets, boxes)) and _is_clear(box, road, markers, roads):
                placed.append(middle)
                boxes.append(box)
                break
        else:
            return None
    return tuple(placed)


def _middles(a: Point, b: Point) -> Iterator[Point]:
    for part in _ALONG:
        yield Point(round(a.x + part * (b.x - a.x)), round(a.y + part * (b.y - a.y)))


def _is_clear(
    box: Box, road: RoadSegment, markers: Mapping[int, Point], roads: Sequence[RoadSegment]
) -> bool:
    """Whether only its own road runs through *box*, and enough of it stays visible."""
    if any(box.distance(marker) <= MARKER_RADIUS for marker in markers.values()):
        return False
    a, b = markers[road.a], markers[road.b]
    span = box.span(a, b)
    if span is None or min(span[0], 1 - span[1]) * math.dist(a, b) < MARKER_RADIUS + _STUB:
        return False
    others = (other for other in roads if other is not road)
    return all(box.span(markers[other.a], markers[other.b]) is None for other in others)
