"""Stores pictures as data and renders them as PNG; the same data always give the same bytes.

matplotlib is imported when the first picture is viewed. It keeps settings and fonts per process and
is not thread-safe, so pictures are drawn one at a time, with matplotlib's default settings.
"""

from __future__ import annotations

import io
from functools import lru_cache
from threading import Lock
from typing import Annotated

from pydantic import Field, TypeAdapter

from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.road_map import RoadMap

AnyDrawing = Annotated[DensityMap | RoadMap, Field(discriminator="kind")]
_DRAWING: TypeAdapter[AnyDrawing] = TypeAdapter(AnyDrawing)


def serialize_drawing(drawing: Drawing) -> bytes:
    """Encode *drawing* as canonical JSON, as a world stores it."""
    return drawing.model_dump_json().encode()


def deserialize_drawing(data: bytes) -> AnyDrawing:
    """Decode a serialized drawing."""
    return _DRAWING.validate_json(data)


DOTS_PER_INCH = 100
_ONE_AT_A_TIME = Lock()


def render_png(drawing: Drawing) -> bytes:
    """Render *drawing* as a PNG picture."""
    return render_stored_drawing(serialize_drawing(drawing))


@lru_cache(maxsize=64)
def render_stored_drawing(data: bytes) -> bytes:
    """Render a serialized drawing as a PNG picture."""
    return _render(deserialize_drawing(data))


def _render(drawing: Drawing) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = io.BytesIO()
    with _ONE_AT_A_TIME, matplotlib.rc_context():
        matplotlib.rcdefaults()
        figure = Figure(figsize=drawing.size, dpi=DOTS_PER_INCH, facecolor="white")
        FigureCanvasAgg(figure)
        drawing.draw(figure.add_subplot())
        figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
