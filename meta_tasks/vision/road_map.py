"""Reading a road map from its pixels: which numbers are joined, and how far apart they are.

Markers are found by their colours, and roads by following the line between two markers. Numbers are
read by comparing each sign with those of a reference map with known numbers.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations, zip_longest
from typing import NamedTuple

from trainee_bench.world.pictures.label_placement import MARKER_RADIUS
from trainee_bench.world.pictures.render import render_png
from trainee_bench.world.pictures.road_map import (
    BACKGROUND_COLOUR,
    MAP_HEIGHT,
    MAP_WIDTH,
    MARKER_COLOURS,
    ROAD_COLOUR,
    TEXT_COLOUR,
    DrawnRoad,
    Marker,
    MarkerKind,
    RoadMap,
)

_CAPTION = MAP_HEIGHT - MAP_WIDTH
"""The height of the title and legend at the top."""
_LIKE = 12
"""The most that a channel of a colour may differ and still be the same."""
_LONGEST_GAP = 75
"""The longest gap in a road, for the text of its length, in pixels."""
_SEEN_ROAD = 4
"""The least length of road that is visible next to each marker, in pixels."""
_IN_MARKER, _ON_ROAD = (14, 10), (32, 13)
"""The reach of a number from its middle, across and up, in pixels."""
_BETWEEN_SIGNS = 6
"""The most columns without ink between the signs of one number."""
_STEPS, _FAINT = 15, 6
"""The number of steps of ink, and how many of them are only a tinge."""
_MOST_UNLIKE = 0.2
"""The largest share of a sign's ink that may be elsewhere in the sign that is meant."""
Colour = tuple[int, int, int]
Glyph = tuple[tuple[int, ...], ...]
"""The ink of a sign, by columns."""


class PixelPoint(NamedTuple):
    """A point of the picture, from its top left corner."""

    x: float
    y: float


class _Pixels:
    """The pixels of a picture."""

    def __init__(self, picture: bytes):
        from PIL import Image

        with Image.open(io.BytesIO(picture)) as image:
            rgb = image.convert("RGB")
        self.wide, self.high = rgb.size
        self._bytes = rgb.tobytes()

    def at(self, x: int, y: int) -> Colour:
        """Return the colour of a pixel; white outside the picture."""
        if not (0 <= x < self.wide and 0 <= y < self.high):
            return 255, 255, 255
        start = 3 * (y * self.wide + x)
        return self._bytes[start], self._bytes[start + 1], self._bytes[start + 2]

    def runs(self, colour: Colour, y: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each run in row *y* of exactly this colour, at least three
        pixels long."""
        row = self._bytes[3 * y * self.wide : 3 * (y + 1) * self.wide]
        one, at = bytes(colour), 0
        while (at := row.find(3 * one, at)) >= 0:
            if at % 3:
                at += 1
                continue
            end = at
            while row.startswith(one, end):
                end += 3
            yield at // 3, end // 3
            at = end


@lru_cache(maxsize=16)
def read_road_map(picture: bytes) -> Mapping[tuple[int, int], float]:
    """Return the length of each road on a map (PNG), by the two numbers that it joins, the lower
    one first.

    Raises ValueError if something on it is not a legible number.
    """
    page, reference = _Pixels(picture), _reference_glyphs()
    spots = {
        int(_text(_in_marker(page, spot, colour), reference.numbers)): spot
        for spot, colour in _markers(page)
    }
    found = {}
    for a, b in combinations(sorted(spots), 2):
        middle = _middle_of_road(page, spots[a], spots[b])
        if middle is not None:
            found[a, b] = float(_text(_on_road(page, middle), reference.lengths))
    return found


# finding --------------------------------------------------------------------------------


def _markers(page: _Pixels) -> Iterator[tuple[PixelPoint, Colour]]:
    """Yield the middle and the colour of each marker."""
    for name in MARKER_COLOURS.values():
        colour = _rgb(name)
        boxes: list[list[int]] = []
        for y in range(_CAPTION, page.high):
            for left, right in page.runs(colour, y):
                _join(boxes, left, right, y)
        for left, top, right, bottom in boxes:
            yield PixelPoint((left + right) / 2, (top + bottom) / 2), colour


def _join(boxes: list[list[int]], left: int, right: int, y: int) -> None:
    """Add a run of pixels to the box (left, top, right, bottom) of its marker, or begin one.

    Rows come from top to bottom, and the top row of a marker is right above its middle.
    """
    for box in boxes:
        if (
            y - box[1] <= 2 * MARKER_RADIUS
            and abs(left + right - box[0] - box[2]) <= 2 * MARKER_RADIUS
        ):
            box[:] = min(left, box[0]), box[1], max(right, box[2]), y + 1
            return
    boxes.append([left, y, right, y + 1])


def _middle_of_road(page: _Pixels, a: PixelPoint, b: PixelPoint) -> PixelPoint | None:
    """Return where the road from *a* to *b* is broken for its length; None if there is no road.

    Between the two markers there is nothing but road, and one gap.
    """
    distance, road = math.dist(a, b), _rgb(ROAD_COLOUR)
    first, last = MARKER_RADIUS + 2, int(distance) - MARKER_RADIUS - 2
    gap: list[int] = []
    for step in range(first, last + 1):
        part = step / distance
        x, y = a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)
        if any(abs(p - q) > _LIKE for p, q in zip(page.at(int(x), int(y)), road, strict=True)):
            gap.append(step)
            if step < first + _SEEN_ROAD or step - gap[0] > _LONGEST_GAP:
                return None
    if not gap or gap[-1] > last - _SEEN_ROAD:
        return None
    part = (gap[0] + gap[-1]) / 2 / distance
    return PixelPoint(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y))


# reading --------------------------------------------------------------------------------


def _in_marker(page: _Pixels, spot: PixelPoint, colour: Colour) -> list[Glyph]:
    return _find_glyphs(page, spot, _IN_MARKER, colour, _rgb("#ffffff"))


def _on_road(page: _Pixels, spot: PixelPoint) -> list[Glyph]:
    return _find_glyphs(page, spot, _ON_ROAD, _rgb(BACKGROUND_COLOUR), _rgb(TEXT_COLOUR))


def _find_glyphs(
    page: _Pixels, spot: PixelPoint, reach: tuple[int, int], ground: Colour, ink: Colour
) -> list[Glyph]:
    """Return the signs around *spot*, from left to right: *ink* on *ground*, separated by columns
    without ink. More such columns mark the beginning or end of the number."""
    left, top = round(spot.x) - reach[0], round(spot.y) - reach[1]
    rows = range(top, top + 2 * reach[1] + 1)
    signs: list[list[tuple[int, ...]]] = []
    blank = _BETWEEN_SIGNS + 1
    for x in range(left, left + 2 * reach[0] + 1):
        column = tuple(_share(page.at(x, y), ground, ink) for y in rows)
        if not any(column):
            blank += 1
            continue
        if blank > _BETWEEN_SIGNS:
            if signs and x > spot.x:
                break
            signs = []
        if blank:
            signs.append([])
        signs[-1].append(column)
        blank = 0
    return [_without_blank_rows(sign) for sign in signs]


@lru_cache(maxsize=8_192)
def _share(seen: Colour, ground: Colour, ink: Colour) -> int:
    """Return how much of a pixel's colour is ink, in steps, by the channel that ink changes
    most."""
    change, at = max((abs(i - g), at) for at, (i, g) in enumerate(zip(ink, ground, strict=True)))
    steps = round(_STEPS * abs(seen[at] - ground[at]) / change)
    return min(steps, _STEPS) if steps > _FAINT else 0


def _without_blank_rows(columns: list[tuple[int, ...]]) -> Glyph:
    rows = [row for row, ink in enumerate(zip(*columns, strict=True)) if any(ink)]
    return tuple(column[rows[0] : rows[-1] + 1] for column in columns)


def _text(signs: list[Glyph], known: Mapping[Glyph, str]) -> str:
    """Return the text of *signs*: for each sign, the most similar one that is known."""
    return "".join(known.get(sign) or _most_like(sign, known) for sign in signs)


def _most_like(sign: Glyph, known: Mapping[Glyph, str]) -> str:
    other = min(known, key=lambda candidate: _unlike(sign, candidate))
    if _unlike(sign, other) > _MOST_UNLIKE * sum(map(sum, sign)):
        raise ValueError("something on the map is not a digit")
    return known[other]


def _unlike(sign: Glyph, other: Glyph) -> int:
    """Return how much ink of one sign has no counterpart in the same place of the other."""
    return sum(
        abs(p - q)
        for a, b in zip_longest(sign, other, fillvalue=())
        for p, q in zip_longest(a, b, fillvalue=0)
    )


def _rgb(name: str) -> Colour:
    return int(name[1:3], 16), int(name[3:5], 16), int(name[5:7], 16)


# the reference map ----------------------------------------------------------------------


class _ReferenceGlyphs(NamedTuple):
    """The meaning of signs, in markers and on roads."""

    numbers: Mapping[Glyph, str]
    lengths: Mapping[Glyph, str]


@cache
def _reference_glyphs() -> _ReferenceGlyphs:
    """Return every digit in every place of a number, read from a map of ten roads in two
    columns."""
    numbers: dict[Glyph, str] = {}
    lengths: dict[Glyph, str] = {}
    markers, roads = [], []
    for digit in range(10):
        y = 950 - 90 * digit
        markers += [
            Marker(number=number, kind=MarkerKind.PLACE, x=x, y=y)
            for number, x in ((digit, 100), (10 + digit, 300))
        ]
        roads += [
            DrawnRoad(a=digit, b=10 + digit, length=length, x=x, y=y)
            for length, x in ((f"{digit}.{digit}", 170), (f"{digit}{digit}.{digit}", 230))
        ]
    page = _Pixels(render_png(RoadMap(title="", markers=tuple(markers), roads=tuple(roads))))
    for marker in markers:
        signs = _in_marker(
            page, PixelPoint(marker.x, MAP_HEIGHT - marker.y), _rgb(MARKER_COLOURS[marker.kind])
        )
        numbers |= dict(zip(signs, str(marker.number), strict=True))
    for road in roads:
        signs = _on_road(page, PixelPoint(road.x, MAP_HEIGHT - road.y))
        lengths |= dict(zip(signs, road.length, strict=True))
    return _ReferenceGlyphs(numbers, lengths)
