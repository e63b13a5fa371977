"""The contract of a duty: one kind of work that takes the whole week.

Each duty is a module: what the desk says, what is told during the week, what is graded, and how it
is worked by somebody who begins anew each morning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradingContext,
    Hints,
    TaskContext,
    TaskInstance,
    ToolClient,
    Verdict,
    Wording,
    was_told,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay, finish
from trainee_bench.meta_tasks.families.week.days import WEEKDAYS
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import TaskBrief

Truth = TypeVar("Truth")
Check = Callable[[GradingContext[Any]], Verdict]
DayCheck = Callable[[GradingContext[Any], int], Verdict]


class WeekDuty(ABC, Generic[Truth]):
    """One duty. The desk says what has to be delivered and when; what is said during the week is
    said once."""

    name: ClassVar[str]
    objective: ClassVar[Wording[Any]]
    rules: ClassVar[tuple[str, ...]]
    """What the objective says in the same words every time."""
    hints: ClassVar[Hints]
    policy_changes_on: ClassVar[int | None] = None
    """See `MetaTask.policy_changes_on`."""

    @abstractmethod
    def generate(self, context: TaskContext) -> TaskInstance[Truth]:
        """The duty of one week: a pure function of the context's streams."""

    @abstractmethod
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What is graded."""

    async def honest_work(self, work: Work, task: str) -> None:
        """Do what has to be done today; what is needed later goes into the notes."""
        day = DutyDay(work, task, await work(TaskBrief(task, self.objective, self.rules)))
        await finish(day, await self.do(day))

    @abstractmethod
    async def do(self, day: DutyDay[Any]) -> DayDone:
        """What comes of *day*, beside what it needs to be learned."""

    @abstractmethod
    async def shortcut(self, client: ToolClient) -> None:
        """What somebody does each day who looks at the desk and the files only."""


def mark(
    name: str,
    sentence: str,
    check: Check,
    *,
    weight: float = 1,
    only_with: str | None = None,
    needs: str | None = None,
    where: str = "",
    how: str = "",
    day: int | None = None,
) -> Checkpoint:
    """A checkpoint of a duty, graded by *check*, and earned on *day* if that is not Friday."""
    graded = partial(_without_owner, check)
    return Checkpoint(name, sentence, weight, only_with, where, how, False, graded, needs, day)


def each_day(
    days: Sequence[int],
    sentence: str,
    check: DayCheck,
    *,
    needs: str | None = None,
    where: str = "",
    how: str = "",
) -> tuple[Checkpoint, ...]:
    """A checkpoint for each of *days*, called like the day; *sentence* names it as ``{day}``."""
    return tuple(
        mark(
            WEEKDAYS[day].casefold(),
            sentence.format(day=WEEKDAYS[day]),
            partial(_on_day, check, day),
            needs=needs,
            where=where,
            how=how,
            day=day,
        )
        for day in days
    )


def heard_in_meeting(clue: str, outcome: str, *, name: str = "heard") -> Checkpoint:
    """The point for having been where *clue* was said, which counts with *outcome*."""
    return mark(
        name,
        "You were in the meeting in which it was said",
        partial(_heard, clue),
        weight=0.5,
        only_with=outcome,
        where="In the calendar: when the meeting was, and whether you came.",
        how="Call calendar_attend at the start of the meeting, and write down what is said.",
    )


def fields_right(grading: GradingContext[Any], given: BaseModel, right: BaseModel) -> Verdict:
    """Whether a report has the right value in every field."""
    wrong = len(grading.keys.differing(given, right))
    return Verdict(not wrong, f"{wrong} of {len(type(right).model_fields)} fields are wrong")


def _heard(clue: str, grading: GradingContext[Any]) -> Verdict:
    return was_told(grading, clue, yes="you were there", no="you were not there")


def _without_owner(check: Check, owner: object, grading: GradingContext[Any]) -> Verdict:
    return check(grading)


def _on_day(check: DayCheck, day: int, grading: GradingContext[Any]) -> Verdict:
    return check(grading, day)
