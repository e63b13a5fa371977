"""Checkpoints, the context in which they examine a world, and their verdicts.

GradingContext (the present world, the truth) ──Checkpoint.check──► Verdict
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from trainee_bench.meta_tasks.answers import AnswerKeys, TextKind, note_answer_form
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.world.apps.files import Files
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.reviews import Reviews
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction

_LONGEST = 500
"""The most characters of an error: it may quote an agent's text, which may be a megabyte."""


def how_it_broke(bug: Exception) -> tuple[str, str]:
    """Return two texts on the *bug* that a check raised: one for the agent, and one that helps to
    fix it.

    The error's own text may quote the right answer. Line numbers are left out, so that a grade does
    not change when code is only moved.
    """
    kind = type(bug).__name__
    where = traceback.extract_tb(bug.__traceback__, limit=-1)[-1].name
    text = f"{bug}".encode(errors="replace").decode()[:_LONGEST]
    return f"the check broke on what was handed in ({kind})", f"{kind}: {text} (in {where})"


Truth = TypeVar("Truth")
Other = TypeVar("Other")
Model = TypeVar("Model", bound=Deliverable)


@dataclass(frozen=True)
class Verdict:
    """Whether a checkpoint holds, and what was seen (never what should have been). If its check
    broke on what was handed in, ``error`` says how."""

    passed: bool
    seen: str
    error: str | None = None


class Unreadable(Exception):
    """The file that was handed in cannot be read. A checkpoint that raises this does not hold, and
    *flaw* is what was seen."""

    def __init__(self, flaw: InvalidDeliverable):
        super().__init__(flaw.seen)
        self.flaw = flaw


@dataclass(frozen=True)
class FoundResult:
    """Whether a result could be read in a file, and the *facts* (names of clues) without which it
    cannot be right; none if it needs all of them."""

    there: bool
    facts: frozenset[str] = frozenset()

    def needs(self, fact: str) -> bool:
        """Return whether it cannot be right without this fact."""
        return not self.facts or fact in self.facts


class GradingContext(Generic[Truth]):
    """One task to be graded: the present world, and the truth.

    Anything that colleagues told or heard after *until* does not count: the last action before a
    deadline may have lasted longer. *asked_for* are the paths that the task asks the agent to
    write.
    """

    def __init__(
        self,
        tx: Transaction,
        task: str,
        truth: Truth,
        until: datetime | None = None,
        asked_for: frozenset[str] = frozenset(),
    ):
        self.tx = tx
        self.task = task
        self.truth = truth
        self.employee = tx.employee
        self.asked_for = asked_for
        self._until = until
        self._verdicts: dict[str, Verdict] = {}
        self.results: dict[str, FoundResult] = {}
        """The finding in each file in which checks looked for a result."""

    def with_truth(self, truth: Other) -> GradingContext[Other]:
        """Return the same task at the same time, with another *truth*."""
        other = GradingContext(self.tx, self.task, truth, self._until, self.asked_for)
        other._verdicts, other.results = self._verdicts, self.results
        return other

    def again(self) -> GradingContext[Truth]:
        """Return the same task at the same time, with nothing checked so far."""
        return GradingContext(self.tx, self.task, self.truth, self._until, self.asked_for)

    def settle(self, checkpoint: str, verdict: Verdict) -> Verdict:
        """Make *verdict* the verdict on a *checkpoint* of the family, and return the one that
        counts: the first."""
        return self._verdicts.setdefault(checkpoint, verdict)

    def verdict_of(self, mark: Checkpoint, owner: object) -> Verdict:
        """Return the verdict of a checkpoint of the family. It is checked only once."""
        known = self._verdicts.get(mark.name)
        return known or self.settle(mark.name, mark.verdict(owner, self))

    def clue_released_at(self, clue: str) -> datetime | None:
        """Return when the employee was told the task's clue of this name, if in time."""
        return self._in_time(Knowledge(self.tx).told_at(f"{self.task}/{clue}", self.employee))

    def expectation_met_at(self, expectation: str) -> datetime | None:
        """Return when the employee told a colleague what they expected, if in time."""
        return self._in_time(
            Knowledge(self.tx).heard_at(f"{self.task}/{expectation}", self.employee)
        )

    def signed_at(self, review: str) -> datetime | None:
        """Return when the present version of the task's file was signed off, if in time."""
        return self._in_time(Reviews(self.tx).signed_at(f"{self.task}/{review}", self.employee))

    def all_met(self, expectation: str) -> bool:
        """Return whether the task has expectations whose names begin with *expectation*, and the
        employee met all of them in time."""
        begins = f"{self.task}/{expectation}"
        waited = [id for id in Knowledge(self.tx).expected() if id.startswith(begins)]
        heard = [Knowledge(self.tx).heard_at(id, self.employee) for id in waited]
        return bool(heard) and all(map(self._in_time, heard))

    def is_in_time(self, moment: datetime) -> bool:
        """Return whether an event at this moment counts."""
        return self._until is None or moment <= self._until

    def _in_time(self, moment: datetime | None) -> datetime | None:
        return moment if moment is not None and self.is_in_time(moment) else None

    @cached_property
    def keys(self) -> AnswerKeys:
        """The keys of answers: equal answers in this company have equal keys."""
        return AnswerKeys(Directory(self.tx).everybody())

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if there is no such text file."""
        try:
            return Files(self.tx).text(path)
        except NotFound:
            return None

    def read_deliverable(self, path: str, model: type[Model]) -> Model | InvalidDeliverable:
        """Return the deliverable at *path*, or why it cannot be read."""
        note_answer_form(path, model)
        text = self.text(path)
        given = (
            model.parse(text)
            if text is not None
            else InvalidDeliverable(f"there is no text file {path}")
        )
        self.results[path] = FoundResult(not isinstance(given, InvalidDeliverable))
        return given

    def read(self, path: str, model: type[Model]) -> Model:
        """Return the deliverable at *path*. Raises Unreadable, which ends the checkpoint."""
        given = self.read_deliverable(path, model)
        if isinstance(given, InvalidDeliverable):
            raise Unreadable(given)
        return given

    def labels(self, path: str) -> list[str]:
        """Return the non-empty lines of a text file, each a label to be compared by its `text_key`.
        Raises Unreadable if there is no such file."""
        note_answer_form(path, TextKind.TEXT)
        text = self.text(path)
        self.results[path] = FoundResult(bool((text or "").strip()))
        if text is None:
            raise Unreadable(InvalidDeliverable(f"there is no text file {path}"))
        lines = map(str.strip, text.removeprefix("\ufeff").splitlines())
        return [line for line in lines if line]


@dataclass(frozen=True)
class Checkpoint:
    """One verifiable claim: an English sentence, its weight, and the method that checks it.

    ``only_with`` names the outcome that a process point belongs to: it counts only if that outcome
    holds. ``only_after`` names the process point without which an outcome does not count, since
    until then it can only have been guessed. ``where`` and ``how`` are the second and third tier of
    feedback.
    """

    name: str
    sentence: str
    weight: float
    only_with: str | None
    where: str
    how: str
    forbidden: bool
    check: Callable[[Any, GradingContext[Any]], Verdict]
    only_after: str | None = None
    day: int | None = None
    """The day of a week (0 is Monday) on which it is earned or missed, if not the day on which the
    task is due."""

    @property
    def counts_with(self) -> str | None:
        """The other checkpoint that has to hold for this one to count, if there is one."""
        return self.only_with or self.only_after

    def verdict(self, owner: object, grading: GradingContext[Any]) -> Verdict:
        """Return the verdict of the check that *owner* declares; if the file cannot be read, the
        reason. A check that raises has failed: otherwise a text that breaks it would pay off."""
        try:
            return self.check(owner, grading)
        except Unreadable as error:
            return Verdict(False, error.flaw.seen)
        except Exception as bug:  # noqa: BLE001 - every submission gets a grade
            return Verdict(False, *how_it_broke(bug))


CheckFunction = Callable[[Any, GradingContext[Any]], Verdict]


def checkpoint(
    sentence: str,
    *,
    weight: float = 1,
    only_with: str | None = None,
    only_after: str | None = None,
    where: str = "",
    how: str = "",
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method ``(self, grading) -> Verdict`` as a checkpoint of its meta-task."""

    def declare(check: CheckFunction) -> CheckFunction:
        name = check.__name__
        mark = Checkpoint(name, sentence, weight, only_with, where, how, False, check, only_after)
        check.__dict__["checkpoint"] = mark
        return check

    return declare


def forbidden(sentence: str) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method that passes unless something forbidden happened."""

    def declare(check: CheckFunction) -> CheckFunction:
        mark = Checkpoint(check.__name__, sentence, 0, None, "", "", True, check)
        check.__dict__["checkpoint"] = mark
        return check

    return declare


def declared_checkpoints(owner: type) -> tuple[Checkpoint, ...]:
    """Return all methods of *owner* (a family or a complication) that are declared as checkpoints,
    in order of declaration."""
    members = [member for cls in reversed(owner.__mro__) for member in vars(cls).values()]
    functions = [member for member in members if inspect.isfunction(member)]
    return tuple(f.__dict__["checkpoint"] for f in functions if "checkpoint" in f.__dict__)
