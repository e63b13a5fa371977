"""Reading a density map from its pixels: its cells, and the number in each.

The frame and the lines between cells show where the cells are. Each cell is compared with the same
cell on six reference maps of this shape, one for each number.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import lru_cache

from PIL import Image

from trainee_bench.world.pictures.density_map import GRID_LINE_COLOUR, MAX_LEVEL, DensityMap
from trainee_bench.world.pictures.render import render_png

_FRAME, _LINE = 0, int(GRID_LINE_COLOUR[-2:], 16)
"""The brightness of frame and lines, from 0 to 255; both are grey."""
_ABOVE_FRAME = 5
"""The distance from the frame's lower edge to a row of pixels that no number touches."""
_EDGE = 3
"""The pixels at the edges of a cell that may belong to a line."""
DensityGrid = tuple[tuple[int, ...], ...]
Box = tuple[int, int, int, int]


@lru_cache(maxsize=16)
def read_density_map(picture: bytes) -> DensityGrid:
    """Return the numbers on a map (PNG), ``[grid_j][grid_i]``. Raises ValueError for any other
    picture."""
    image = _opened(picture)
    frame = _frame(image)
    wide, high = _lines(image, frame) + 1, _lines(_turned(image), _turned_box(image, frame)) + 1
    references = _reference_maps(wide, high)
    return tuple(
        tuple(_level(image, references, _cell(frame, wide, high, i, j)) for i in range(wide))
        for j in range(high)
    )


def _level(image: Image.Image, references: tuple[Image.Image, ...], cell: Box) -> int:
    seen = image.crop(cell).tobytes()
    for level, reference in enumerate(references):
        if reference.crop(cell).tobytes() == seen:
            return level
    raise ValueError("there is no legible number in a cell of the map")


def _opened(picture: bytes) -> Image.Image:
    """Return the picture in shades of grey, in which all numbers' cells differ."""
    with Image.open(io.BytesIO(picture)) as image:
        return image.convert("L")


def _frame(image: Image.Image) -> Box:
    """Return left, top, right and bottom of the frame: its edges are the longest black lines."""
    runs = [
        (end - start, start, y, end)
        for y in range(image.height)
        for start, end in _runs(image, y, _FRAME)
    ]
    if not runs:
        raise ValueError("there is no frame in the picture")
    longest = max(runs)[0]
    edges = [run for run in runs if run[0] == longest]
    _, left, top, right = edges[0]
    return left, top, right, edges[-1][2] + 1


def _lines(image: Image.Image, frame: Box) -> int:
    """Return the number of lines between the columns."""
    left, _, right, bottom = frame
    inside = range(left + _EDGE, right - _EDGE)
    return sum(start in inside for start, _ in _runs(image, bottom - _ABOVE_FRAME, _LINE))


def _runs(image: Image.Image, y: int, brightness: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run in row *y* with exactly this brightness."""
    row = image.crop((0, y, image.width, y + 1)).tobytes()
    for found in re.finditer(rb"\x%02x+" % brightness, row):
        yield found.span()


def _turned(image: Image.Image) -> Image.Image:
    """Return the picture turned on its side, so that rows of cells become columns; left becomes
    bottom."""
    return image.transpose(Image.Transpose.ROTATE_90)


def _turned_box(image: Image.Image, box: Box) -> Box:
    left, top, right, bottom = box
    return top, image.width - right, bottom, image.width - left


def _cell(frame: Box, wide: int, high: int, i: int, j: int) -> Box:
    """Return the inside of a cell; rows of cells are counted from below."""
    left, top, right, bottom = frame
    across, up = (right - left) / wide, (bottom - top) / high
    return (
        round(left + i * across) + _EDGE,
        round(bottom - (j + 1) * up) + _EDGE,
        round(left + (i + 1) * across) - _EDGE,
        round(bottom - j * up) - _EDGE,
    )


@lru_cache(maxsize=5)
def _reference_maps(wide: int, high: int) -> tuple[Image.Image, ...]:
    """Return a map of this shape for each number, with that number in all cells."""
    return tuple(
        _opened(render_png(DensityMap(title="", levels=((level,) * wide,) * high)))
        for level in range(MAX_LEVEL + 1)
    )
