"""The base class of pictures that are drawn from data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawing(BaseModel, ABC):
    """One type of picture.

    A subclass has a field ``kind`` of one literal value, is listed in `render.AnyDrawing`, and
    imports matplotlib only within ``draw``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: ClassVar[tuple[float, float]]
    """Width and height of the picture in inches."""

    @abstractmethod
    def draw(self, axes: Axes) -> None:
        """Draw the picture on *axes*, which are empty and may be moved with ``set_position``.

        The same data must give the same picture: no randomness.
        """
