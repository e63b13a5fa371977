"""How well a day was scheduled, in figures that a result keeps.

They are measured from the composition of the day, its world and log, and its grades alone;
`harness/scheduling` does so, docs/how_it_works/scheduling.md defines each.
"""

from __future__ import annotations

from datetime import datetime

from trainee_bench.harness.records.frozen_model import FrozenModel


class TaskTiming(FrozenModel):
    """One task on its day.

    ``published`` is when it came, or would have come if the agent had stayed; None for a task whose
    cause never came. ``began`` is the first call that belongs to it, ``submitted`` the last
    submission that stands. ``minutes_late`` is 0 if one stands, else the minutes from its final
    ``deadline`` to the first attempt after it; None if there was none. ``calls`` and ``minutes``
    are those that belong to it.
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

    In units of worth on a day with more work than hours, else in tasks. ``optimum`` less
    ``delivered`` is the sum of the causes, unless more was delivered than the best plan does; then
    all causes are 0.
    """

    optimum: float
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
