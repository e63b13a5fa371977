"""Where the lengths of roads can stand on a map so that everything stays legible.

A length stands on its road, which is broken for it. All is in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

MARKER_RADIUS = 19
"""Of a marker."""
_DIGIT, _POINT, _TALL = 15.5, 8.5, 22.0
"""What the signs of a length take: the width of a digit and of the point, the height."""
_FREE = 5.0
"""Left free around a length."""
_ALONG = (0.5, 0.46, 0.54, 0.42, 0.58, 0.38, 0.62, 0.34, 0.66, 0.3, 0.7)
"""Where on a road its length may stand, best first."""
_STUB = 8.0
"""Of a road, at least so much is to be seen between either marker and the length."""


class Point(NamedTuple):
    """A point of the map."""

    x: float
    y: float


class RoadSegment(NamedTuple):
    """A road to be drawn: the numbers it joins, and its length as it is printed."""

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
        """The rectangle with *by* more on each side."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def meets(self, other: Box) -> bool:
        """Whether two rectangles overlap."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.top <= other.bottom or other.top <= self.bottom)

    def distance(self, point: Point) -> float:
        """How far *point* is from the rectangle; 0 within."""
        x = max(self.left - point.x, 0, point.x - self.right)
        y = max(self.bottom - point.y, 0, point.y - self.top)
        return math.hypot(x, y)

    def span(self, a: Point, b: Point) -> tuple[float, float] | None:
        """From where to where, in parts of the way from *a* to *b*, it lies in the rectangle."""
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
    """The rectangle that *length* takes around its *middle*."""
    wide = _DIGIT * (len(length) - 1) + _POINT
    return Box(middle.x - wide / 2, middle.y - _TALL / 2, middle.x + wide / 2, middle.y + _TALL / 2)


def place_length_labels(
    markers: Mapping[int, Point], roads: Sequence[RoadSegment]
) -> tuple[Point, ...] | None:
    """Where the length of each road stands (whole pixels), None if one would not be legible."""
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
    """Whether nothing but its own road runs through *box*, and of that enough is left over."""
    if any(box.distance(marker) <= MARKER_RADIUS for marker in markers.values()):
        return False
    a, b = markers[road.a], markers[road.b]
    span = box.span(a, b)
    if span is None or min(span[0], 1 - span[1]) * math.dist(a, b) < MARKER_RADIUS + _STUB:
        return False
    others = (other for other in roads if other is not road)
    return all(box.span(markers[other.a], markers[other.b]) is None for other in others)
