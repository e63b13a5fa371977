"""The base class of pictures that are drawn from data, and how all of them write text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

PixelPoint = tuple[int, int]
"""A point of a picture, from its top left corner."""
_SMOOTHING = 4
"""Shapes are drawn this many times larger and then reduced, which smooths their edges."""


class Drawing(BaseModel, ABC):
    """One type of picture. A subclass has a field ``kind`` of one literal value, is listed in
    `render.AnyDrawing`, and imports Pillow only where it draws."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: ClassVar[tuple[int, int]]
    """Width and height of the picture in pixels."""

    @classmethod
    @abstractmethod
    def sample(cls) -> Self:
        """Return one picture that shows everything that this type can draw."""

    @abstractmethod
    def draw(self) -> Image:
        """Return the picture in RGB. The same data must give the same picture."""


def draw_line(image: Image, a: PixelPoint, b: PixelPoint, colour: str, width: int) -> None:
    """Draw a smooth line from *a* to *b*, *width* pixels wide."""
    from PIL import Image, ImageDraw

    left, top = min(a[0], b[0]) - width, min(a[1], b[1]) - width
    size = (abs(a[0] - b[0]) + 2 * width, abs(a[1] - b[1]) + 2 * width)
    mask = Image.new("L", (size[0] * _SMOOTHING, size[1] * _SMOOTHING))
    ends = [((x - left) * _SMOOTHING, (y - top) * _SMOOTHING) for x, y in (a, b)]
    ImageDraw.Draw(mask).line(ends, 255, width * _SMOOTHING)
    image.paste(colour, (left, top), mask.reduce(_SMOOTHING))


def draw_disc(image: Image, centre: PixelPoint, radius: int, colour: str) -> None:
    """Draw a smooth disc around *centre*."""
    x, y = centre
    image.paste(colour, (x - radius - 1, y - radius - 1), _disc(radius))


@cache
def _disc(radius: int) -> Image:
    from PIL import Image, ImageDraw

    side, middle = (2 * radius + 3) * _SMOOTHING, (radius + 1.5) * _SMOOTHING
    mask = Image.new("L", (side, side))
    ImageDraw.Draw(mask).circle((middle, middle), (radius + 0.5) * _SMOOTHING, 255)
    return mask.reduce(_SMOOTHING)


def write_number(
    on: ImageDraw, x: float, y: float, number: str, colour: str, size: int, *, bold: bool = False
) -> None:
    """Write *number* so that its middle is at (*x*, *y*), in a font of *size* pixels.

    Each character begins at a whole pixel, so that it looks the same wherever it is.
    """
    advances = [round(_font(size).getlength(character)) + bold for character in number]
    at, baseline = round(x - sum(advances) / 2), _baseline(y, size)
    for character, advance in zip(number, advances, strict=True):
        for shift in range(1 + bold):
            on.text((at + shift, baseline), character, colour, _font(size), anchor="ls")
        at += advance


def write_text(
    on: ImageDraw, x: int, y: float, text: str, colour: str, size: int, *, centred: bool = False
) -> None:
    """Write *text* from *x* on, or *centred* around it, with the middle of its capitals at *y*."""
    anchor = "ms" if centred else "ls"
    on.text((x, _baseline(y, size)), text, colour, _font(size), anchor=anchor)


def _baseline(y: float, size: int) -> int:
    _, top, _, bottom = _font(size).getbbox("0", anchor="ls")
    return round(y + (bottom - top) / 2)


@cache
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)
