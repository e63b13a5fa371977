"""Pictures as a world stores them, and drawn as PNG: the same data always give the same bytes.

Pillow is imported when the first picture is viewed. It writes with the font that it brings along.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache
from typing import Annotated, get_args

from pydantic import Field, TypeAdapter

from trainee_bench.world.kept_results import kept_on_disk, kept_per_day
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


def render_png(drawing: Drawing) -> bytes:
    """*drawing* as a PNG picture."""
    return render_stored_drawing(serialize_drawing(drawing))


@kept_per_day(8)
def render_stored_drawing(data: bytes) -> bytes:
    """The drawing that was serialised as *data*, as a PNG picture."""
    return kept_on_disk("picture", data.hex(), lambda: _render(deserialize_drawing(data)))


@cache
def renderer_digest() -> str:
    """Return a hash of the pixels of one sample of each type of picture, as this machine draws it.

    The data of a world's pictures and this digest together determine what an agent sees.
    """
    digest = hashlib.sha256()
    for kind in get_args(get_args(AnyDrawing)[0]):
        digest.update(kind.sample().draw().tobytes())
    return digest.hexdigest()


def _render(drawing: Drawing) -> bytes:
    picture = io.BytesIO()
    drawing.draw().save(picture, "png")
    return picture.getvalue()
