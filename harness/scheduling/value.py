"""What a day delivered right and in time, and by which cause the rest was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from trainee_bench.harness.records.schedule_figures import TaskTiming, ValueFigures
from trainee_bench.meta_tasks.grade import ScoredTask, counted_score


class LossCause(StrEnum):
    """Why a task, or a part of it, was not delivered; see `measure_value`."""

    NEVER_BEGUN = "never_begun"
    LATE = "late"
    WRONG = "wrong"
    HARMED = "harmed"


def measure_value(
    graded: Sequence[ScoredTask],
    timings: Sequence[TaskTiming],
    best_worth: int | None,
    bound: int | None = None,
) -> ValueFigures | None:
    """The value of a day, or of what is due on a day of a week; None where a task of it could not
    be graded.

    A task's value is its worth, or without worths the number of its days: 1 outside of weeks. A
    task delivers of that value what counts of its score (`counted_score`), or nothing if harm was
    done: then what would have counted is lost to *harmed*. The rest is lost to *never_begun* if no
    call belongs to it, to *late* if no submission stands for it at its deadline, else to *wrong*.
    The optimum is *best_worth*, or the sum of all values. What the best plan leaves undone, too, is
    no loss: it is taken off *never_begun* first, then off *late*, *wrong* and *harmed*. The *bound*
    of the day is kept beside the optimum.
    """
    if any(task.score is None for task in graded):
        return None
    by_id = {timing.task: timing for timing in timings}
    lost = dict.fromkeys(LossCause, 0.0)
    delivered = possible = 0.0
    for task in graded:
        value, score = float(task.worth or task.days), counted_score(task, best_worth)
        if task.harm and best_worth is not None:
            score = float(task.score == 1)
        possible += value
        lost[_cause(by_id[task.task])] += value * (1 - score)
        if task.harm:
            lost[LossCause.HARMED] += value * score
        else:
            delivered += value * score
    optimum = possible if best_worth is None else float(best_worth)
    kept = _without(lost, min(possible - optimum, sum(lost.values())))
    return ValueFigures(
        optimum=optimum,
        bound=None if bound is None else float(bound),
        delivered=round(delivered, 6),
        **{cause.value: round(kept[cause], 6) for cause in LossCause},
    )


def _cause(timing: TaskTiming) -> LossCause:
    """Why a task has not its full score."""
    if timing.began is None:
        return LossCause.NEVER_BEGUN
    return LossCause.LATE if timing.submitted is None else LossCause.WRONG


def _without(lost: Mapping[LossCause, float], spare: float) -> dict[LossCause, float]:
    """*lost* without *spare* of it, taken off the causes in their order."""
    kept = {}
    for cause in LossCause:
        taken = min(lost[cause], spare)
        kept[cause] = lost[cause] - taken
        spare -= taken
    return kept
