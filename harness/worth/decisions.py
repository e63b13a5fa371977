"""Find the step that decided a missed checkpoint: nothing after it corrected the mistake.

The score still possible mostly falls at a deadline, when it is too late to do better. The mistake
may be hours older: a file with a wrong value, or a submission that lacked something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.harness.records.worth import APPOINTMENT_CHECKS, CheckpointDecision, DecisionKind
from trainee_bench.harness.scheduling.day_trace import WAIT_TOOL, submitted_task
from trainee_bench.harness.worth.loss_words import step_in_words
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL, SUBMIT_TOOL
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import CheckGrade, TaskGrade
from trainee_bench.world.action_log import LogEntry

_Check = tuple[str, str]
"""A task's id and a checkpoint's name."""
_PASSING = frozenset({WAIT_TOOL, FINISH_DAY_TOOL, SUBMIT_TOOL})
_ATTEND = "calendar_attend"
_ASKING = "chat_"


@dataclass(frozen=True)
class _Standing:
    """A verdict, the step since which it holds, and whether the checkpoint was met before that
    step."""

    passed: bool
    seen: str
    since: int
    met_before: bool


class VerdictHistory:
    """The latest verdict on each checkpoint and its first step, from the grades after every
    step."""

    def __init__(self) -> None:
        self._standing: dict[_Check, _Standing] = {}

    def note(self, step: int, grades: Sequence[TaskGrade]) -> None:
        """Record the *grades* after *step*; step 0 is before the first action."""
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
    """Finds the steps of a worked day that decided its checkpoints.

    *log* has the calls of the day, *looking* the tools that change nothing.
    """

    composition: ComposedDay
    log: Sequence[LogEntry]
    looking: frozenset[str]
    history: VerdictHistory

    def decisions(self, end: DayGrade) -> Iterator[CheckpointDecision]:
        """Yield the decisions on the checkpoints that *end* misses.

        Checkpoints that no step decided are left out: nothing was done for them, and nothing was
        submitted.
        """
        standing = self.history.standing
        for grade in end.tasks:
            handed_in = self._handed_in(grade.task)
            for check in grade.checkpoints:
                if check.passed:
                    continue
                known = standing[grade.task, check.name]
                if found := self._decided(check, known, handed_in):
                    yield self._decision(grade.task, check, *found, handed_in)

    def _decision(
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
        """Return how a missed checkpoint was decided, and by which call; None if no step decided
        it."""
        entry = self.log[standing.since - 1] if standing.since else None
        if entry is not None and self._may_be_wrong(entry, check):
            return DecisionKind.DONE, entry
        if handed_in is not None and handed_in.seq >= standing.since:
            return DecisionKind.HANDED_IN, handed_in
        return (DecisionKind.LOST, entry) if entry is not None and standing.met_before else None

    def _may_be_wrong(self, entry: LogEntry, check: CheckGrade) -> bool:
        """Return whether *entry* may have been a mistake. Questions and meetings only bring
        facts."""
        if not entry.actor or entry.tool in self.looking or entry.tool in _PASSING:
            return False
        if entry.tool == _ATTEND:
            return check.name in APPOINTMENT_CHECKS
        return not entry.tool.startswith(_ASKING)

    def _handed_in(self, task: str) -> LogEntry | None:
        """Return the last accepted submission of *task*, None if there is none."""
        attempts = (
            entry for entry in reversed(self.log) if submitted_task(entry) == task.casefold()
        )
        return next((entry for entry in attempts if entry.ok), None)
