"""From a drawing's data to its picture: the same bytes each time, whatever else the process does.

matplotlib is imported when the first picture is looked at, not before. It keeps its settings
and fonts in the process and knows no threads, so one picture is drawn at a time, with
the settings it ships.
"""

from __future__ import annotations

import io
from functools import lru_cache
from threading import Lock

from world.pictures.catalogue import read, written
from world.pictures.drawings import Drawing

DOTS_PER_INCH = 100
_ONE_AT_A_TIME = Lock()


def png(drawing: Drawing) -> bytes:
    """The picture of *drawing*."""
    return drawn(written(drawing))


@lru_cache(maxsize=64)
def drawn(data: bytes) -> bytes:
    """The picture of the drawing written as *data*."""
    return _render(read(data))


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
