"""Checkpoints, the context in which they look at a world, and their verdicts.

GradingContext (the world as it stands, the truth) ──Checkpoint.check──► Verdict
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
"""Characters of an error: it may quote what an agent wrote, which may be a megabyte."""


def how_it_broke(bug: Exception) -> tuple[str, str]:
    """Two texts on the *bug* that a check raised: one for the agent, one that helps to mend it.

    The error's own text may quote the right answer. Line numbers are left out, so that a grade
    stays the same where code is only moved.
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
    broke over what was handed in, ``error`` says how."""

    passed: bool
    seen: str
    error: str | None = None


class Unreadable(Exception):
    """The file that was handed in cannot be read: a checkpoint that meets this does not hold, and
    *flaw* is what was seen."""

    def __init__(self, flaw: InvalidDeliverable):
        super().__init__(flaw.seen)
        self.flaw = flaw


class GradingContext(Generic[Truth]):
    """One task to be graded: the world as it stands, and the truth.

    Things that colleagues told or heard after *until* do not count: the last action before a
    deadline may have lasted longer. *asked_for* are the paths that the task asks to write.
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

    def with_truth(self, truth: Other) -> GradingContext[Other]:
        """The same task at the same time, graded by another *truth*."""
        other = GradingContext(self.tx, self.task, truth, self._until, self.asked_for)
        other._verdicts = self._verdicts
        return other

    def settle(self, checkpoint: str, verdict: Verdict) -> Verdict:
        """Have `verdict_of` give this *verdict* on a *checkpoint* of the family, and return it."""
        return self._verdicts.setdefault(checkpoint, verdict)

    def verdict_of(self, mark: Checkpoint, owner: object) -> Verdict:
        """The verdict of a checkpoint of the family, which is checked once only."""
        known = self._verdicts.get(mark.name)
        return known or self.settle(mark.name, mark.verdict(owner, self))

    def clue_released_at(self, clue: str) -> datetime | None:
        """When the employee was told the task's clue of this name, if in time."""
        return self._in_time(Knowledge(self.tx).told_at(f"{self.task}/{clue}", self.employee))

    def expectation_met_at(self, expectation: str) -> datetime | None:
        """When the employee told a colleague what they expected, if in time."""
        return self._in_time(
            Knowledge(self.tx).heard_at(f"{self.task}/{expectation}", self.employee)
        )

    def signed_at(self, review: str) -> datetime | None:
        """When the task's file was signed off as it says now, if in time."""
        return self._in_time(Reviews(self.tx).signed_at(f"{self.task}/{review}", self.employee))

    def all_met(self, expectation: str) -> bool:
        """Whether the task has expectations whose names begin so, and the employee met all of them
        in time."""
        begins = f"{self.task}/{expectation}"
        waited = [id for id in Knowledge(self.tx).expected() if id.startswith(begins)]
        heard = [Knowledge(self.tx).heard_at(id, self.employee) for id in waited]
        return bool(heard) and all(map(self._in_time, heard))

    def is_in_time(self, moment: datetime) -> bool:
        """Whether what happened then counts."""
        return self._until is None or moment <= self._until

    def _in_time(self, moment: datetime | None) -> datetime | None:
        return moment if moment is not None and self.is_in_time(moment) else None

    @cached_property
    def keys(self) -> AnswerKeys:
        """Keys of answers: equal answers of this company have equal keys."""
        return AnswerKeys(Directory(self.tx).everybody())

    def text(self, path: str) -> str | None:
        """The text of a file, None if there is no such text file."""
        try:
            return Files(self.tx).text(path)
        except NotFound:
            return None

    def read_deliverable(self, path: str, model: type[Model]) -> Model | InvalidDeliverable:
        """The deliverable at *path*, or why it cannot be read."""
        note_answer_form(path, model)
        text = self.text(path)
        return (
            model.parse(text)
            if text is not None
            else InvalidDeliverable(f"there is no text file {path}")
        )

    def read(self, path: str, model: type[Model]) -> Model:
        """The deliverable at *path*. Raises Unreadable, with which the checkpoint ends."""
        given = self.read_deliverable(path, model)
        if isinstance(given, InvalidDeliverable):
            raise Unreadable(given)
        return given

    def labels(self, path: str) -> list[str]:
        """The lines of a text file that are not empty, each a label to be compared by its
        `text_key`. Raises Unreadable if there is no such file."""
        note_answer_form(path, TextKind.TEXT)
        text = self.text(path)
        if text is None:
            raise Unreadable(InvalidDeliverable(f"there is no text file {path}"))
        lines = map(str.strip, text.removeprefix("\ufeff").splitlines())
        return [line for line in lines if line]


@dataclass(frozen=True)
class Checkpoint:
    """One verifiable thing: an English sentence, its weight, and the method that checks it.

    ``only_with`` names the outcome a process point belongs to: it counts only if that
    outcome holds. ``only_after`` names the process point without which an outcome does not count:
    before that it can only have been guessed. ``where`` and ``how`` are the second and third
    tier of feedback.
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
    """The day of a week (0 is Monday) on which it is earned or missed, if that is not the day on
    which the task is due."""

    @property
    def counts_with(self) -> str | None:
        """The checkpoint that has to hold, too, for this one to count, if there is one."""
        return self.only_with or self.only_after

    def verdict(self, owner: object, grading: GradingContext[Any]) -> Verdict:
        """The verdict of the check, which *owner* declares; if the file cannot be read, the reason.
        A check that raises has failed: otherwise a text that breaks it would pay."""
        try:
            return self.check(owner, grading)
        except Unreadable as error:
            return Verdict(False, error.flaw.seen)
        except Exception as bug:  # noqa: BLE001 - whatever was handed in is graded
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
    """Declare a method ``(self, case) -> Verdict`` as a checkpoint of its meta-task."""

    def declare(check: CheckFunction) -> CheckFunction:
        name = check.__name__
        mark = Checkpoint(name, sentence, weight, only_with, where, how, False, check, only_after)
        check.__dict__["checkpoint"] = mark
        return check

    return declare


def forbidden(sentence: str) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method that passes unless something happened that must not."""

    def declare(check: CheckFunction) -> CheckFunction:
        mark = Checkpoint(check.__name__, sentence, 0, None, "", "", True, check)
        check.__dict__["checkpoint"] = mark
        return check

    return declare


def declared_checkpoints(owner: type) -> tuple[Checkpoint, ...]:
    """All methods of *owner* (a family, a complication) marked as checkpoints, in order of
    declaration."""
    members = [member for cls in reversed(owner.__mro__) for member in vars(cls).values()]
    functions = [member for member in members if inspect.isfunction(member)]
    return tuple(f.__dict__["checkpoint"] for f in functions if "checkpoint" in f.__dict__)
