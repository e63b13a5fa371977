"""From a drawing's data to its picture: the same bytes each time, whatever else the process does.

matplotlib is imported when the first picture is looked at, not before. It keeps its settings
and fonts in the process and knows no threads, so one picture is drawn at a time, with
the settings it ships.
"""

from __future__ import annotations

import io
from functools import lru_cache
from threading import Lock

from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.drawing_types import deserialize_drawing, serialize_drawing

DOTS_PER_INCH = 100
_ONE_AT_A_TIME = Lock()


def render_png(drawing: Drawing) -> bytes:
    """The picture of *drawing*."""
    return render_stored_drawing(serialize_drawing(drawing))


@lru_cache(maxsize=64)
def render_stored_drawing(data: bytes) -> bytes:
    """The picture of the drawing written as *data*."""
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
