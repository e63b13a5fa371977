"""Finds the step that decided a missed checkpoint: after it, nothing corrected the mistake.

A value falls when it is too late to do better, mostly at a deadline. The mistake may have been made
hours earlier: a file was written with a wrong value, or handed in without what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.harness.records.worth import APPOINTMENT_CHECKS, CheckpointDecision, DecisionKind
from trainee_bench.harness.scheduling.day_trace import SUBMIT_TOOL, WAIT_TOOL, submitted_task
from trainee_bench.harness.worth.loss_words import step_in_words
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import CheckGrade, TaskGrade
from trainee_bench.world.action_log import LogEntry

_Check = tuple[str, str]
"""A task's id and the name of a checkpoint."""
_PASSING = frozenset({WAIT_TOOL, FINISH_DAY_TOOL, SUBMIT_TOOL})
_ATTEND = "calendar_attend"
_ASKING = "chat_"


@dataclass(frozen=True)
class _Standing:
    """A verdict, after which step it became so, and whether the checkpoint was met before it."""

    passed: bool
    seen: str
    since: int
    met_before: bool


class VerdictHistory:
    """Since which step each checkpoint is as it is, from the grades after every step."""

    def __init__(self) -> None:
        self._standing: dict[_Check, _Standing] = {}

    def note(self, step: int, grades: Sequence[TaskGrade]) -> None:
        """The *grades* after *step*, 0 for before the first."""
        for grade in grades:
            for check in grade.checkpoints:
                key = (grade.task, check.name)
                before = self._standing.get(key)
                if before is None or (before.passed, before.seen) != (check.passed, check.seen):
                    met = before is not None and before.passed
                    self._standing[key] = _Standing(check.passed, check.seen, step, met)

    @property
    def standing(self) -> Mapping[_Check, _Standing]:
        """The verdict on each checkpoint after the last step."""
        return dict(self._standing)


@dataclass(frozen=True)
class DecisionFinder:
    """Finds where the checkpoints of a day of *composition* were decided, worked as *log* says.
    *looking* are the tools that change nothing."""

    composition: ComposedDay
    log: Sequence[LogEntry]
    looking: frozenset[str]
    history: VerdictHistory

    def decisions(self, end: DayGrade) -> Iterator[CheckpointDecision]:
        """Yield the decisions on the checkpoints that *end* misses. Those that no step decided are
        left out: nothing was done for them, and nothing was handed in."""
        standing = self.history.standing
        for grade in end.tasks:
            handed_in = self._handed_in(grade.task)
            for check in grade.checkpoints:
                if check.passed:
                    continue
                known = standing[grade.task, check.name]
                if found := self._decided(check, known, handed_in):
                    yield self._told(grade.task, check, *found, handed_in)

    def _told(
        self,
        task: str,
        check: CheckGrade,
        kind: DecisionKind,
        entry: LogEntry,
        handed_in: LogEntry | None,
    ) -> CheckpointDecision:
        later = handed_in is not None and handed_in.seq >= entry.seq
        return CheckpointDecision(
            task=task,
            checkpoint=check.sentence,
            kind=kind,
            step=entry.seq,
            at=entry.at,
            did=step_in_words(entry, len(self.composition.company.people)),
            handed_in=handed_in.seq if handed_in is not None and later else None,
        )

    def _decided(
        self, check: CheckGrade, standing: _Standing, handed_in: LogEntry | None
    ) -> tuple[DecisionKind, LogEntry] | None:
        """How and at which step a missed checkpoint was decided."""
        entry = self.log[standing.since - 1] if standing.since else None
        if entry is not None and self._may_be_wrong(entry, check):
            return DecisionKind.DONE, entry
        if handed_in is not None and handed_in.seq >= standing.since:
            return DecisionKind.HANDED_IN, handed_in
        return (DecisionKind.LOST, entry) if entry is not None and standing.met_before else None

    def _may_be_wrong(self, entry: LogEntry, check: CheckGrade) -> bool:
        """Whether *entry* did something that can be wrong: a question, or hearing somebody, only
        brings an agent nearer to what it needs."""
        if not entry.actor or entry.tool in self.looking or entry.tool in _PASSING:
            return False
        if entry.tool == _ATTEND:
            return check.name in APPOINTMENT_CHECKS
        return not entry.tool.startswith(_ASKING)

    def _handed_in(self, task: str) -> LogEntry | None:
        """The last submission of *task* that was accepted."""
        named = (entry for entry in reversed(self.log) if submitted_task(entry) == task.casefold())
        return next((entry for entry in named if entry.ok), None)
