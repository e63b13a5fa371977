"""Find the steps of a day that cost something: what they cost, on which tasks, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from trainee_bench.harness.records.worth import APPOINTMENT_CHECKS, LossOrigin, StepLoss, TaskLoss
from trainee_bench.harness.scheduling.attribution import attribute_calls
from trainee_bench.harness.scheduling.day_trace import WAIT_TOOL, read_day_trace
from trainee_bench.harness.worth.loss_words import END_OF_WORK, step_in_words
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade, counted_score
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.thinking import THINK
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.week import END_DAY, NEXT_DAY
from trainee_bench.world.world import World

_LEAVING = (FINISH_DAY_TOOL, END_DAY, NEXT_DAY)
_NUMBER = re.compile(r"\d+")
_LEAST = 1e-9
"""Smaller differences between scores count as none."""


@dataclass(frozen=True)
class TaskFacts:
    """Facts about the tasks of a worked day, by id.

    ``handed_in`` gives the number of the first accepted submission. ``not_asked`` has the tasks of
    which at least one fact was never disclosed.
    """

    begun: frozenset[str]
    handed_in: Mapping[str, int]
    not_asked: frozenset[str]


async def read_task_facts(world: World, composition: ComposedDay) -> TaskFacts:
    """Read the facts about the tasks from the *world* in which the day was worked."""
    days = composition.days
    trace = await read_day_trace(world, composition, WorkingDay(days[0].starts, days[-1].ends))
    told = frozenset(disclosure.clue for disclosure in trace.disclosures)
    accepted = {
        task.id: [e.seq for e in trace.submissions(task.id) if e.ok] for task in composition.tasks
    }
    return TaskFacts(
        begun=frozenset(call.task for call in attribute_calls(trace)),
        handed_in={task: min(numbers) for task, numbers in accepted.items() if numbers},
        not_asked=frozenset(
            task.id
            for task in composition.tasks
            if any(clue.holder and clue.id not in told for clue in task.instance.hidden.clues)
        ),
    )


@dataclass(frozen=True)
class LossFinder:
    """Finds the steps of a worked day that cost something; *log* has its calls."""

    composition: ComposedDay
    log: Sequence[LogEntry]
    facts: TaskFacts

    def losses(self, best: Sequence[DayGrade], end: DayGrade) -> Iterator[StepLoss]:
        """Yield the steps that cost something.

        *best* has the best outcome before the first step and after each step. *end* is the day's
        grade.
        """
        for entry, (before, after) in zip(self.log, pairwise(best), strict=True):
            if after != before:
                yield from self._loss(entry, before, after)
        if best[-1] != end:
            yield from self._loss(None, best[-1], end)

    def _loss(
        self, entry: LogEntry | None, before: DayGrade, after: DayGrade
    ) -> Iterator[StepLoss]:
        harm = tuple(_new_harm(before, after))
        tasks = tuple(
            self._task_loss(entry, earlier, later)
            for earlier, later in zip(before.tasks, after.tasks, strict=True)
            if abs((earlier.score or 0) - (later.score or 0)) > _LEAST
            or earlier.success != later.success
        )
        if not tasks and not harm:
            return
        people = len(self.composition.company.people)
        last = self.log[-1].until if self.log else self.composition.day.starts
        yield StepLoss(
            step=entry.seq if entry else None,
            at=entry.at if entry else last,
            did=step_in_words(entry, people) if entry else END_OF_WORK,
            lost=(before.score or 0.0) - (after.score or 0.0),
            tasks=tasks,
            harm=harm,
        )

    def _task_loss(self, entry: LogEntry | None, before: TaskGrade, after: TaskGrade) -> TaskLoss:
        lost = (before.score or 0.0) - (after.score or 0.0)
        best_worth = self.composition.spec.best_worth
        counted = counted_score(before, best_worth) - counted_score(after, best_worth)
        kept = {check.name for check in after.checkpoints if check.passed}
        gone = [check for check in before.checkpoints if check.passed and check.name not in kept]
        was_there = {check.name for check in after.checkpoints if check.holds_alone}
        appointments = APPOINTMENT_CHECKS & {check.name for check in gone}
        missed = bool(appointments - was_there)
        return TaskLoss(
            task=before.task,
            lost=lost,
            share=counted * self._weight(before),
            checkpoints=tuple(check.sentence for check in gone),
            success_lost=before.success and not after.success,
            origin=LossOrigin.HARM
            if lost <= _LEAST and after.harm
            else LossOrigin.MISSED
            if missed and (after.score or 0.0) > 0
            else self._origin(entry, after.task, missed=missed),
        )

    def _deadline(self, task: str) -> datetime:
        return next(found.deadline for found in self.composition.tasks if found.id == task)

    def _weight(self, task: TaskGrade) -> float:
        """Return the share of the day's score that the full score of *task* is."""
        best_worth = self.composition.spec.best_worth
        if best_worth is not None:
            return (task.worth or 0) / best_worth
        return task.days / sum(composed.length for composed in self.composition.tasks)

    def _origin(self, entry: LogEntry | None, task: str, *, missed: bool) -> LossOrigin:
        """Return why *task* lost its points with *entry* (None: the end of the work).

        *missed* means that an appointment was missed, so that the task can earn nothing more.
        """
        if task not in self.facts.begun:
            return LossOrigin.NEVER_BEGUN
        handed_in = self.facts.handed_in.get(task)
        if handed_in is not None and task in self.facts.not_asked:
            return LossOrigin.NEVER_ASKED
        if handed_in is not None and (entry is None or handed_in <= entry.seq):
            return LossOrigin.WRONG
        if entry is None or entry.tool in _LEAVING:
            return LossOrigin.STOPPED
        if missed and entry.until < self._deadline(task):
            return LossOrigin.MISSED
        passing = {WAIT_TOOL: LossOrigin.IDLE, THINK: LossOrigin.THINKING}
        return passing.get(entry.tool, LossOrigin.BUSY)


def harm_kind(text: str) -> str:
    """Return the kind of harm in *text*; the numbers of people or files do not matter."""
    return _NUMBER.sub("#", text)


def _new_harm(before: DayGrade, after: DayGrade) -> Iterator[str]:
    """Yield each harm in *after* whose kind does not occur in *before*."""
    known = {harm_kind(text) for task in before.tasks for text in task.harm}
    for text in dict.fromkeys(text for task in after.tasks for text in task.harm):
        if harm_kind(text) not in known:
            yield text
