"""All types of drawings, and their serialisation."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.road_map import RoadMap

AnyDrawing = Annotated[DensityMap | RoadMap, Field(discriminator="kind")]
_DRAWING: TypeAdapter[AnyDrawing] = TypeAdapter(AnyDrawing)


def serialize_drawing(drawing: Drawing) -> bytes:
    """The canonical JSON of *drawing*, as a world stores it."""
    return drawing.model_dump_json().encode()


def deserialize_drawing(data: bytes) -> AnyDrawing:
    """The drawing that was serialised as *data*."""
    return _DRAWING.validate_json(data)
