"""A grid map that shows, for each cell, how many people of a group live there, from 0 to 5."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from trainee_bench.world.pictures.drawing import Drawing, write_number, write_text

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_LEVEL = 5
Level = Annotated[int, Field(ge=0, le=MAX_LEVEL)]
_FILL = ("#f7fbff", "#d6e6f4", "#abd0e6", "#6aaed6", "#3787c0", "#105ba4")
_INK = ("#1a1a1a", "#1a1a1a", "#1a1a1a", "#1a1a1a", "#ffffff", "#ffffff")
GRID_LINE_COLOUR = "#808080"
_MARGIN, _PLOT = 70, 710
"""Pixels above and to the left of the cells, and the most that all cells take."""


class DensityMap(Drawing):
    """A grid of numbers: ``levels[j][i]`` is in column i from the left and row j from the bottom,
    both counted from 0."""

    kind: Literal["density_map"] = "density_map"
    title: str
    levels: tuple[tuple[Level, ...], ...] = Field(min_length=1, max_length=24)

    size = (800, 840)

    @model_validator(mode="after")
    def _is_a_rectangle(self) -> Self:
        widths = {len(row) for row in self.levels}
        if len(widths) != 1 or not 1 <= min(widths) <= 24:
            raise ValueError("all rows of a density map have one length, from 1 to 24")
        return self

    @classmethod
    def sample(cls) -> Self:
        """Return a map with every level."""
        return cls(title="Sample", levels=(tuple(range(MAX_LEVEL + 1)),))

    def draw(self) -> Image:
        """Draw a coloured square with its number for each cell, and the indices at the edges."""
        from PIL import Image, ImageDraw

        wide, high = len(self.levels[0]), len(self.levels)
        side = min(_PLOT // wide, _PLOT // high)
        left = _MARGIN + (_PLOT - wide * side) // 2
        top = _MARGIN + (_PLOT - high * side) // 2
        right, bottom = left + wide * side, top + high * side
        image = Image.new("RGB", self.size, "white")
        on = ImageDraw.Draw(image)
        number_size = min(30, side * 3 // 5)
        for j, row in enumerate(self.levels):
            for i, level in enumerate(row):
                x, y = left + i * side, bottom - (j + 1) * side
                on.rectangle((x, y, x + side, y + side), _FILL[level], GRID_LINE_COLOUR)
                middle = (x + side / 2, y + side / 2)
                write_number(on, *middle, str(level), _INK[level], number_size)
        on.rectangle((left, top, right, bottom), outline="black")
        for i in range(wide):
            write_number(on, left + (i + 0.5) * side, bottom + 16, str(i), "black", 15)
        for j in range(high):
            write_number(on, left - 16, bottom - (j + 0.5) * side, str(j), "black", 15)
        centre = (left + right) // 2
        write_text(on, centre, bottom + 42, "grid_i", "black", 18, centred=True)
        write_text(on, centre, top - 24, self.title, "black", 20, centred=True)
        image.paste(_upright("grid_j"), (left - 56, (top + bottom) // 2 - 40))
        return image


@cache
def _upright(text: str) -> Image:
    """*text* as it is read from below to above, 24 by 80 pixels."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (80, 24), "white")
    write_text(ImageDraw.Draw(image), 40, 12, text, "black", 18, centred=True)
    return image.transpose(Image.Transpose.ROTATE_90)
