"""How well a day, or each day of a week, was scheduled, in figures that a result keeps.

They are measured from the composition of the day, its world and log, and its grades alone;
`harness/scheduling` does so, docs/how_it_works/scheduling.md defines each.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class TaskTiming(FrozenModel):
    """One task on a day.

    ``published`` is when it came, or would have come if the agent had stayed; None for a task whose
    cause never came. ``began`` is the first call that belongs to it, ``submitted`` the last
    submission that stands, both as of the end of the day. ``minutes_late`` is 0 if one stands or
    the task is due on a later day, else the minutes from its final ``deadline`` to the first
    attempt after it; None if there was none. ``calls`` and ``minutes`` are those of the day that
    belong to it.
    """

    task: str
    published: datetime | None
    deadline: datetime
    began: datetime | None
    submitted: datetime | None
    minutes_late: int | None
    calls: int
    minutes: int


class QuestionTiming(FrozenModel):
    """A fact that a colleague told when asked.

    ``possible`` is the first moment at which it could have been asked with success, ``asked`` that
    of the question that succeeded, ``told`` that of the answer. ``minutes_late`` is from possible
    to asked, at least 0; ``minutes_waited`` is how long the agent waited between asked and told,
    but at most ``minutes_late``: what an earlier question would have saved.
    """

    fact: str
    possible: datetime
    asked: datetime
    told: datetime
    minutes_late: int
    minutes_waited: int


class ValueFigures(FrozenModel):
    """What was delivered right and in time, and by which cause the rest was lost.

    In units of worth on a day with more work than hours, in a week in days of the tasks that are
    due, else in tasks. ``optimum`` less
    ``delivered`` is the sum of the causes, unless more was delivered than the best plan does; then
    all causes are 0. ``bound`` is a worth that nobody exceeds, where it was computed: the planner's
    best is the ``optimum``, and the true one lies between the two.
    """

    optimum: float
    bound: float | None = Field(default=None, exclude_if=lambda bound: bound is None)
    delivered: float
    never_begun: float
    late: float
    wrong: float
    harmed: float

    @property
    def lost(self) -> float:
        """The sum of all causes."""
        return self.never_begun + self.late + self.wrong + self.harmed


class ScheduleFigures(FrozenModel):
    """The schedule of one day; all durations in simulated minutes.

    ``idle_minutes`` are those of ``waiting_minutes`` in which a task could have been worked on.
    ``switches`` counts calls that belong to another task than the last call that belonged to any.
    ``other_calls`` and ``other_minutes`` are those of calls that belong to no task, without
    waiting. ``facts_never_told`` could have been asked for, but never were with success.
    ``value`` is None where a task could not be graded.
    """

    tasks: tuple[TaskTiming, ...]
    questions: tuple[QuestionTiming, ...]
    facts_never_told: int
    waiting_minutes: int
    idle_minutes: int
    switches: int
    other_calls: int
    other_minutes: int
    value: ValueFigures | None = None


_COUNTS = (
    "facts_never_told", "waiting_minutes", "idle_minutes", "switches", "other_calls",
    "other_minutes",
)  # fmt: skip


def total_schedule(days: Sequence[ScheduleFigures]) -> ScheduleFigures:
    """The *days* of a week together: what is late, asked or lost is so on one of them alone, so
    all figures are sums."""
    tasks: dict[str, TaskTiming] = {}
    for timing in (timing for day in days for timing in day.tasks):
        before = tasks.get(timing.task)
        spent = {
            "calls": timing.calls + (before.calls if before else 0),
            "minutes": timing.minutes + (before.minutes if before else 0),
        }
        tasks[timing.task] = timing.model_copy(update=spent)
    return ScheduleFigures(
        tasks=tuple(tasks.values()),
        questions=tuple(asked for day in days for asked in day.questions),
        value=_total_value([day.value for day in days]),
        **{name: sum(getattr(day, name) for day in days) for name in _COUNTS},
    )


def _total_value(values: Sequence[ValueFigures | None]) -> ValueFigures | None:
    """The sum of *values*; None if one of them is not known."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    names = ValueFigures.model_fields.keys() - {"bound"}  # no day of a week has one
    sums = {name: sum(getattr(value, name) for value in known) for name in names}
    return ValueFigures(**{name: round(total, 6) for name, total in sums.items()})
