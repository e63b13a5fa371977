"""The score that was still possible, as a line over the hours of a day, with words at its drops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from trainee_bench.harness.analysis.charts.hour_scale import HourScale
from trainee_bench.harness.analysis.charts.svg import (
    element,
    pixels,
    shortened,
    text_label,
    text_width,
    tooltip,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import OPTIMAL
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin, StepLoss
from trainee_bench.harness.scheduling.measure import MeasuredDay
from trainee_bench.harness.worth.loss_words import (
    AS_FAR_AS_KNOWN,
    WAITED,
    costliest_losses,
    loss_in_words,
    tasks_told,
)

_LEAST = 0.005
"""Smaller losses round to 0.00 in words."""


def step_minutes(worth: EpisodeWorth, loss: StepLoss) -> int:
    """Return how long the step took; 0 for the end of the work."""
    if loss.step is None:
        return 0
    return int((worth.points[loss.step].at - loss.at).total_seconds() // 60)


def did_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Return what the step did, or how long it waited."""
    waited = loss.did.startswith(WAITED)
    return f"waited {step_minutes(worth, loss)} min" if waited else loss.did


def drop_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Describe a drop: when, what and how much: "11:20 waited 41 min: −0.25"."""
    return _drop_in_words(loss, did_in_words(worth, loss))


def drop_within(worth: EpisodeWorth, loss: StepLoss, room: float, size: float) -> str:
    """Describe a drop within *room* pixels for a font of *size*: the action is shortened, never the
    price."""
    room -= text_width(_drop_in_words(loss, ""), size)
    return _drop_in_words(loss, shortened(did_in_words(worth, loss), room, size))


def _drop_in_words(loss: StepLoss, did: str) -> str:
    price = f"\u2212{format_number(loss.lost)}" if loss.lost >= _LEAST else "success lost"
    return f"{loss.at:%H:%M} {did}: {price}"


def losing_tasks(worth: EpisodeWorth, loss: StepLoss) -> dict[LossOrigin, list[str]]:
    """Return the tasks that lost by a step, by cause. Tasks that ended well have lost nothing."""
    by_origin: dict[LossOrigin, list[str]] = defaultdict(list)
    for task in tasks_told(worth, loss):
        if task.share >= _LEAST or task.success_lost:
            by_origin[task.origin].append(task.task)
    return dict(by_origin)


def task_of_step(day: MeasuredDay, loss: StepLoss) -> str | None:
    """Return the task to which the call of a costly step belongs; None if it belongs to none."""
    return next(
        (
            lane.timing.task
            for lane in day.lanes
            for span in lane.worked
            if span.starts <= loss.at < span.ends
        ),
        None,
    )


def drop_cause(worth: EpisodeWorth, loss: StepLoss, day: MeasuredDay | None = None) -> str:
    """Return the causes of a loss with their tasks: "lost on T3, T4: deadline passed while idle".

    With *day*, it names the task that kept the agent busy meanwhile. It adds `AS_FAR_AS_KNOWN`
    unless the values before and after the loss are certainly the best.
    """
    busy_with = None if day is None else task_of_step(day, loss)
    causes = []
    for origin, tasks in losing_tasks(worth, loss).items():
        elsewhere = origin is LossOrigin.BUSY and busy_with not in (None, *tasks)
        causes.append(f"{', '.join(tasks)}: {origin}{f' with {busy_with}' if elsewhere else ''}")
    lost = [f"lost on {'; '.join(causes)}"] if causes else []
    known = [] if worth.is_certain(loss) else [AS_FAR_AS_KNOWN]
    return "; ".join([*lost, *known])


TOLD = 2
"""Number of drops with words."""
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_WORDS, _SMALL = 13.0, 11.0
_ROOM = 33.0
"""Height of two lines of words."""
_LONG_STEP = 15
"""Minutes from which a step is drawn as a band."""


@dataclass(frozen=True)
class ValueScale:
    """A vertical scale of scores between ``top`` (1) and ``bottom`` (0)."""

    top: float
    bottom: float

    def y(self, score: float) -> float:
        """Return the y coordinate of *score*."""
        return self.bottom - min(max(score, 0.0), 1.0) * (self.bottom - self.top)


@dataclass(frozen=True)
class _Level:
    """A value that held for a while; ``exact`` if it was certainly the best."""

    starts: datetime
    ends: datetime
    value: float
    exact: bool


def value_ticks(hours: HourScale, scores: ValueScale) -> str:
    """Draw the scores at the left edge, with a line for each."""
    left, right = hours.frame.left, hours.frame.right
    lines = "".join(f"M{pixels(left)} {pixels(scores.y(tick))}H{pixels(right)}" for tick in _TICKS)
    figures = [
        text_label(left - 8, scores.y(tick) + 4, format_number(tick), "m e") for tick in _TICKS
    ]
    return element("path", d=lines, class_="grid") + "".join(figures)


def draw_value_line(
    worth: EpisodeWorth, day: MeasuredDay, hours: HourScale, scores: ValueScale, below: float
) -> str:
    """Draw the line of *worth* in the *day* of *hours*; long costly steps are bands down to
    *below*."""
    levels = list(_levels(worth, hours))
    losses = [loss for loss in costliest_losses(worth, len(worth.losses)) if hours.holds(loss.at)]
    told = losses[:TOLD]
    return element(
        "g",
        *_bands(worth, told, hours, scores, below),
        value_ticks(hours, scores),
        _missed_area(levels, hours, scores),
        _line(levels, hours, scores),
        *_drops(worth, losses, hours, scores),
        *_words(worth, day, told, hours, scores),
        _ends(worth, levels, hours, scores),
        class_="worth",
    )


def _levels(worth: EpisodeWorth, hours: HourScale) -> Iterator[_Level]:
    """Yield the values one after the other. The cost of a step is lost as the step begins."""
    points, level = worth.points, None
    for before, after in pairwise(points):
        if after.at < hours.starts or before.at > hours.ends:
            continue
        if level is not None and (level.value, level.exact) == (after.value, after.is_exact):
            level = _Level(level.starts, after.at, level.value, level.exact)
            continue
        if level is not None:
            yield level
        level = _Level(before.at, after.at, after.value, after.is_exact)
    if level is not None:
        yield level
    last = points[-1].at
    if hours.holds(last) and last < hours.ends:
        yield _Level(last, hours.ends, worth.end.value, exact=True)


def _bands(
    worth: EpisodeWorth,
    told: Sequence[StepLoss],
    hours: HourScale,
    scores: ValueScale,
    below: float,
) -> Iterator[str]:
    for loss in told:
        if step_minutes(worth, loss) >= _LONG_STEP and loss.step is not None:
            x, end = hours.x(loss.at), hours.x(worth.points[loss.step].at)
            yield element("rect", tooltip(loss_in_words(worth, loss)), x=x, y=scores.top,
                          width=end - x, height=below - scores.top, class_="spent")  # fmt: skip


def _steps(levels: Sequence[_Level], hours: HourScale, scores: ValueScale) -> str:
    return "".join(
        f"V{pixels(scores.y(level.value))}H{pixels(hours.x(level.ends))}" for level in levels
    )


def _missed_area(levels: Sequence[_Level], hours: HourScale, scores: ValueScale) -> str:
    """Draw the area between the best value in the morning and the line."""
    if not levels:
        return ""
    start, top = pixels(hours.x(levels[0].starts)), pixels(scores.y(levels[0].value))
    return element("path", d=f"M{start} {top}{_steps(levels, hours, scores)}V{top}Z", class_="gone")


def _line(levels: Sequence[_Level], hours: HourScale, scores: ValueScale) -> str:
    paths = {True: "", False: ""}
    for level in levels:
        start, y = pixels(hours.x(level.starts)), pixels(scores.y(level.value))
        paths[level.exact] += f"M{start} {y}H{pixels(hours.x(level.ends))}"
    kinds = {True: "value", False: "value least"}
    return "".join(
        element("path", d=path, class_=kinds[exact]) for exact, path in paths.items() if path
    )


def _drops(
    worth: EpisodeWorth, losses: Sequence[StepLoss], hours: HourScale, scores: ValueScale
) -> Iterator[str]:
    """Draw a red line for each loss, with a tooltip that says what it was."""
    for loss in losses:
        high, low = _heights(worth, loss, scores)
        x, what = hours.x(loss.at), tooltip(loss_in_words(worth, loss))
        path = element("path", d=f"M{pixels(x)} {pixels(high)}V{pixels(low)}")
        yield element("g", what, path, element("circle", cx=x, cy=low, r=3.6), class_="drop")


def _heights(worth: EpisodeWorth, loss: StepLoss, scores: ValueScale) -> tuple[float, float]:
    """Return where the line falls from and to."""
    after = worth.end if loss.step is None else worth.points[loss.step]
    return scores.y(after.value + loss.lost), scores.y(after.value)


def _words(
    worth: EpisodeWorth,
    day: MeasuredDay,
    told: Sequence[StepLoss],
    hours: HourScale,
    scores: ValueScale,
) -> Iterator[str]:
    """Label each drop with its step and its cause, beside its middle and below the label before."""
    free = scores.top + 3
    for loss in sorted(
        told, key=lambda dropped: (sum(_heights(worth, dropped, scores)), dropped.at)
    ):
        high, low = _heights(worth, loss, scores)
        x, y = hours.x(loss.at), max((high + low - _ROOM) / 2, free)
        y = min(y, scores.bottom - _ROOM)
        free = y + _ROOM
        words, cause = drop_in_words(worth, loss), drop_cause(worth, loss, day)
        wide = max(text_width(words, _WORDS), text_width(cause, _SMALL))
        before = x - 10 - wide > hours.frame.left and x + 10 + wide > hours.frame.right
        at, side = (x - 10, " e") if before else (x + 12, "")
        room = (at - hours.frame.left) if before else (hours.frame.right - at)
        yield text_label(at, y + 14, drop_within(worth, loss, room, _WORDS), f"told{side}")
        yield text_label(at, y + 29, shortened(cause, room, _SMALL), f"why{side}")


def _ends(
    worth: EpisodeWorth, levels: Sequence[_Level], hours: HourScale, scores: ValueScale
) -> str:
    """Draw at the right edge the best plan's score, and the day's outcome."""
    if not levels:
        return ""
    best, end = worth.points[0].value, levels[-1].value
    x, high, low = hours.frame.right + 10, scores.y(best), scores.y(end)
    low = max(low, high + _ROOM) if end < best else low
    start, right = pixels(hours.x(levels[0].starts)), pixels(hours.frame.right)
    parts = [element("path", d=f"M{start} {pixels(high)}H{right}", class_="plan-line")]
    parts.append(text_label(x, high + 5, format_number(best), "figure best"))
    parts.append(text_label(x, high + 19, OPTIMAL, "m"))
    if end < best:
        parts.append(text_label(x, low + 5, format_number(end), "figure"))
        name = shortened(worth.agent, hours.frame.width - x, _SMALL)
        parts.append(text_label(x, low + 19, name, "m"))
    return "".join(parts)
