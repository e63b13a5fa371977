"""Pictures as a world stores them, and drawn as PNG: the same data always give the same bytes.

matplotlib is imported when the first picture is viewed. It keeps settings and fonts per process
and is not thread-safe, so one picture is drawn at a time, with matplotlib's default settings.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Annotated, get_args

from pydantic import Field, TypeAdapter

from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.road_map import RoadMap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AnyDrawing = Annotated[DensityMap | RoadMap, Field(discriminator="kind")]
_DRAWING: TypeAdapter[AnyDrawing] = TypeAdapter(AnyDrawing)


def serialize_drawing(drawing: Drawing) -> bytes:
    """The canonical JSON of *drawing*, as a world stores it."""
    return drawing.model_dump_json().encode()


def deserialize_drawing(data: bytes) -> AnyDrawing:
    """The drawing that was serialised as *data*."""
    return _DRAWING.validate_json(data)


DOTS_PER_INCH = 100
_ONE_AT_A_TIME = Lock()


def render_png(drawing: Drawing) -> bytes:
    """*drawing* as a PNG picture."""
    return render_stored_drawing(serialize_drawing(drawing))


@lru_cache(maxsize=64)
def render_stored_drawing(data: bytes) -> bytes:
    """The drawing that was serialised as *data*, as a PNG picture."""
    return _render(deserialize_drawing(data))


@cache
def renderer_digest() -> str:
    """Return a hash of the pixels of one sample of each type of picture, as this machine draws it.

    The data of a world's pictures and this digest together determine what an agent sees.
    """
    pixels = io.BytesIO()
    for kind in get_args(get_args(AnyDrawing)[0]):
        with _drawn(kind.sample()) as figure:
            figure.savefig(pixels, format="rgba")
    return hashlib.sha256(pixels.getvalue()).hexdigest()


def _render(drawing: Drawing) -> bytes:
    picture = io.BytesIO()
    with _drawn(drawing) as figure:
        figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


@contextmanager
def _drawn(drawing: Drawing) -> Iterator[Figure]:
    """Draw *drawing* on a figure that is used within the context."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with _ONE_AT_A_TIME, matplotlib.rc_context():
        matplotlib.rcdefaults()
        figure = Figure(figsize=drawing.size, dpi=DOTS_PER_INCH, facecolor="white")
        FigureCanvasAgg(figure)
        drawing.draw(figure.add_subplot())
        yield figure
