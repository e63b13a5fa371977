"""The legend of a day's picture: the marks of its line and those of its lanes."""

from __future__ import annotations

from collections.abc import Iterable

from trainee_bench.harness.analysis.charts.hour_scale import Frame
from trainee_bench.harness.analysis.charts.svg import element, pixels, text_label, text_width
from trainee_bench.harness.analysis.scheduling.schedule_picture import outcome_class
from trainee_bench.harness.analysis.scheduling.schedule_summary import OPTIMAL

_LINE, _SIZE = 18.0, 10.5
_MARK, _GAP = 24.0, 16.0
_AS_DRAWN = 0.86
"""Text is at most as wide as `text_width` says, and about so much of it."""
_LINE_MARKS = (
    (element("path", d="M0 6h18", class_="value"), "best score that was still possible"),
    (element("g", element("path", d="M9 -2v10"), element("circle", cx=9, cy=9, r=3),
             class_="drop"), "step that cost points"),
    (element("rect", x=0, y=0, width=18, height=12, class_="spent"), "how long it took"),
    (element("path", d="M0 6h18", class_="plan-line"), OPTIMAL),
)  # fmt: skip
_LANE_MARKS = (
    (element("rect", x=0, y=1, width=18, height=10, rx=2, class_="open")
     + element("path", d="M18 -1v14", class_="due"), "task open until its deadline"),
    (element("path", d="M0 6h18", class_="work"), "worked on"),
    (element("path", d="M5 13v-14h6.5l-2 3.2 2 3.2h-6.5", class_="flag"), "handed in"),
    (element("path", d="M5 2l8 8m0-8l-8 8", class_="late"), "too late"),
    (element("g", element("path", d="M2 6h15"), element("circle", cx=2, cy=6, r=1.7),
             class_="ask"), "asked, until answered"),
    (element("path", d="M0 6h18", class_="wait-time"), "waited"),
    (element("path", d="M0 6h18", class_="idle-time"),
     "idle: waited although a task could be worked on"),
)  # fmt: skip
_OUTCOMES = {"done": "full score", "part": "part of its score", "none": "no points"}


def draw_key(y: float, frame: Frame, scores: Iterable[float]) -> tuple[str, float]:
    """The legend below a picture, from *y* on, and where it ends. It explains the colours of the
    *scores* that its tasks have."""
    shown = {outcome_class(score) for score in scores}
    outcomes = [
        (element("rect", x=0, y=1, width=18, height=10, rx=2, class_=f"open {kind}"), meaning)
        for kind, meaning in _OUTCOMES.items()
        if kind in shown
    ]
    line, y = _row(_LINE_MARKS, y, frame)
    lanes, y = _row([*_LANE_MARKS[:1], *outcomes, *_LANE_MARKS[1:]], y, frame)
    return element("g", line, class_="worth") + element("g", lanes, class_="own"), y


def _row(marks: Iterable[tuple[str, str]], y: float, frame: Frame) -> tuple[str, float]:
    """Marks with their meanings, in as many lines as they need, and where the next line begins."""
    parts, x = list[str](), 0.0
    for mark, meaning in marks:
        wide = _MARK + _AS_DRAWN * text_width(meaning, _SIZE)
        if x and x + wide > frame.width:
            x, y = 0.0, y + _LINE
        parts.append(element("g", mark, transform=f"translate({pixels(x)} {pixels(y)})"))
        parts.append(text_label(x + _MARK, y + 10, meaning, "m"))
        x += wide + _GAP
    return "".join(parts), y + _LINE
