"""Costly steps in words, and what agents lose their points to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin, StepLoss, TaskLoss

AS_FAR_AS_KNOWN = "as far as is known"
"""Stands after a loss between values that may be too low."""
_LEAST_SHOWN = 0.005
"""A smaller loss is 0.00 in words."""


def dearest_losses(worth: EpisodeWorth, most: int) -> list[StepLoss]:
    """At most so many steps of an episode, the dearest first: by score, then by successes lost."""

    def price(loss: StepLoss) -> tuple[float, int]:
        return round(loss.lost, 9), sum(task.success_lost for task in loss.tasks)

    telling = [loss for loss in worth.losses if loss.lost >= _LEAST_SHOWN or price(loss)[1]]
    return sorted(telling, key=price, reverse=True)[:most]


def loss_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """A step that cost something in one line: "09:25, mail sent to all: success lost on every
    task"."""
    return f"{costly_step(worth, loss)}: {price_in_words(worth, loss)}"


def costly_step(worth: EpisodeWorth, loss: StepLoss) -> str:
    """When and what it was: "09:25, mail sent to all", in a week with the weekday."""
    week = worth.end.at.date() != worth.points[0].at.date()
    clock = f"{loss.at:%A %H:%M}" if week else f"{loss.at:%H:%M}"
    return f"{clock}, {loss.did}"


def price_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """What it cost: "success lost on every task"; as far as is known where a value is not certainly
    the best possible."""
    parts = [*_score_parts(loss), *_success_parts(worth, loss)]
    parts += [f"harm: {text}" for text in loss.harm]
    price = "; ".join(parts) or "less than 0.01 of the score"
    return price if worth.is_certain(loss) else f"{price}; {AS_FAR_AS_KNOWN}"


def how_certain(worths: Sequence[EpisodeWorth]) -> list[str]:
    """How certain the values of these episodes are, and why some may be too low; nothing if all
    certainly are the best that was possible."""
    points = [point for worth in worths for point in worth.points]
    exact = sum(point.is_exact for point in points)
    if exact == len(points):
        return []
    general = (
        f"After {exact} of {pluralize(len(points), 'step')} the value is certainly the best that "
        "was possible. Elsewhere it is what oracles reached, and whoever plans better may have "
        f'reached more: a loss there, which is told with "{AS_FAR_AS_KNOWN}", may belong to '
        "another step or be none."
    )
    return [general, *dict.fromkeys(text for worth in worths for text in worth.cautions)]


def _score_parts(loss: StepLoss) -> list[str]:
    if loss.lost < _LEAST_SHOWN:
        return []
    by_origin: dict[LossOrigin, list[str]] = defaultdict(list)
    for task in _losers(loss):
        by_origin[task.origin].append(task.task)
    gained = [task.task for task in loss.tasks if task.share <= -_LEAST_SHOWN]
    why = ", ".join(f"{_listed(tasks)} ({origin})" for origin, tasks in by_origin.items())
    others = f", for which {_listed(gained)} can be done" if gained else ""
    return [f"{format_number(loss.lost)} of the score lost on {why}{others}"]


def _losers(loss: StepLoss) -> list[TaskLoss]:
    return [task for task in loss.tasks if task.share >= _LEAST_SHOWN]


def _success_parts(worth: EpisodeWorth, loss: StepLoss) -> list[str]:
    told = {task.task for task in _losers(loss)} if loss.lost >= _LEAST_SHOWN else set[str]()
    lost = [task.task for task in loss.tasks if task.success_lost and task.task not in told]
    if not lost:
        return []
    every = len(lost) == len(worth.end.tasks) > 1
    return [f"success lost on {'every task' if every else _listed(lost)}"]


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def points_lost(worths: Iterable[EpisodeWorth]) -> dict[LossOrigin, float]:
    """How much of a day's score was lost to each cause, in the mean over *worths*, at least one;
    of harm, how many tasks lost only their success to it. Where a step cost some tasks more than
    others gained by it, what it cost in all is shared out among those that lost."""
    days = list(worths)
    lost: dict[LossOrigin, float] = defaultdict(float)
    for loss in (loss for worth in days for loss in worth.losses):
        whole = sum(task.share for task in loss.tasks if task.share > 0)
        for task in loss.tasks:
            if task.origin is LossOrigin.HARM:
                lost[task.origin] += task.success_lost
            elif task.share > 0:
                lost[task.origin] += loss.lost * task.share / whole
    return {origin: total / len(days) for origin, total in lost.items()}
