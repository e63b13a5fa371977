"""The base class of drawn pictures: data, and a method that draws them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawing(BaseModel, ABC):
    """One sort of picture. A subclass has a field ``kind`` of one literal value, stands in
    `drawing_types.AnyDrawing`, and imports matplotlib in no other place than ``draw``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: ClassVar[tuple[float, float]]
    """Width and height of the picture in inches."""

    @abstractmethod
    def draw(self, axes: Axes) -> None:
        """Put it on *axes*, which are empty and may be placed anew (``set_position``).

        The same data must give the same picture: no randomness.
        """
