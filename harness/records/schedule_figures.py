"""Figures on how well a day, or each day of a week, was scheduled, as stored in results.

They are measured only from the day's composition, world, log and grades. `harness/scheduling`
measures them, and docs/how_it_works/scheduling.md defines them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class TaskTiming(FrozenModel):
    """One task on a day.

    ``published`` is when it came, or would have come if the agent had stayed; None for a task whose
    cause never came. ``began`` is the time of its first call and ``submitted`` that of the
    submission that counts, both as of the end of the day. ``minutes_late`` is 0 if a submission
    counts or the task is due on a later day. Otherwise it has the minutes from the final
    ``deadline`` to the first attempt after it, None if there was none. ``calls`` and ``minutes``
    count the task's calls of the day.
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

    ``possible`` is when it could first have been asked for with success, ``asked`` the time of the
    question that succeeded, and ``told`` that of the answer. ``minutes_late`` is the time from
    possible to asked, at least 0. ``minutes_waited`` is how long the agent waited between asked and
    told, but at most ``minutes_late``: the waiting that an earlier question would have saved.
    """

    fact: str
    possible: datetime
    asked: datetime
    told: datetime
    minutes_late: int
    minutes_waited: int


class ValueFigures(FrozenModel):
    """Value that was delivered right and in time, and value that was lost, by cause.

    The unit is worth on a day with more work than hours, days of the due tasks in a week, and tasks
    otherwise. ``optimum`` less ``delivered`` is the sum of the causes, unless more was delivered
    than the best plan does; then all causes are 0. ``optimum`` is the planner's best result.
    ``bound`` is a worth that no agent can exceed, if it was computed; the true optimum lies between
    the two.
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
    """The schedule of one day; all durations are in simulated minutes.

    ``idle_minutes`` are the ``waiting_minutes`` in which a task could have been worked on.
    ``switches`` counts changes of task between successive calls. ``other_calls`` and
    ``other_minutes`` count calls that belong to no task, without waiting. ``facts_never_told``
    counts facts that could have been asked for but were never told. ``value`` is None if a task
    could not be graded.
    """

    tasks: tuple[TaskTiming, ...]
    questions: tuple[QuestionTiming, ...]
    facts_never_told: int
    waiting_minutes: int
    idle_minutes: int
    thinking_minutes: int = Field(default=0, exclude_if=lambda minutes: not minutes)
    """Minutes that thinking took, which is neither waiting nor a call."""
    switches: int
    other_calls: int
    other_minutes: int
    value: ValueFigures | None = None


_COUNTS = (
    "facts_never_told", "waiting_minutes", "idle_minutes", "thinking_minutes", "switches",
    "other_calls", "other_minutes",
)  # fmt: skip


def total_schedule(days: Sequence[ScheduleFigures]) -> ScheduleFigures:
    """Return the *days* of a week together.

    All figures are sums, because each delay, question or loss belongs to one day alone.
    """
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
    """Return the sum of *values*; None if one of them is unknown."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    names = ValueFigures.model_fields.keys() - {"bound"}  # days of weeks have no bound
    sums = {name: sum(getattr(value, name) for value in known) for name in names}
    return ValueFigures(**{name: round(total, 6) for name, total in sums.items()})
