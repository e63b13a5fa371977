"""Every sort of drawing there is, and how one is written down and read again."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from world.pictures.density_map import DensityMap
from world.pictures.drawings import Drawing
from world.pictures.road_map import RoadMap

AnyDrawing = Annotated[DensityMap | RoadMap, Field(discriminator="kind")]
_DRAWING: TypeAdapter[AnyDrawing] = TypeAdapter(AnyDrawing)


def written(drawing: Drawing) -> bytes:
    """The canonical JSON of *drawing*, as it lies in a world."""
    return drawing.model_dump_json().encode()


def read(data: bytes) -> AnyDrawing:
    """The drawing written as *data*."""
    return _DRAWING.validate_json(data)
