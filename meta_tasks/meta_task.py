"""The contract of a family: parameters and a seed give a scene, code grades what was done.

MetaTask ──scene(stage)──► Scene: objective, truth, clues, expectations, events
    │                                        │
    │ oracle(client)                         └──► staged into a world
    ▼
checkpoints: Case (the world as it stands, the truth) ──► Verdict
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from trainee_bench.meta_tasks.answers import AnswerKeys, TextKind, note_answer_form
from trainee_bench.meta_tasks.broken_check import how_it_broke
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.meta_tasks.scene_features import RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import OutputType, TaskContext, TaskOutput
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient
from trainee_bench.world.apps.files import Files
from trainee_bench.world.colleagues.knowledge import Clue, Expectation, Knowledge
from trainee_bench.world.colleagues.reviews import Reviews
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Event, Transaction

Truth = TypeVar("Truth")
Other = TypeVar("Other")
Model = TypeVar("Model", bound=Deliverable)
MAX_PROCESS_SHARE = 0.2
"""The most that points for process may make of a task's weight."""
NOTES_HEADING = "\n\nPlease note as well:\n"
"""Stands between what a family asks for and what complications add to it."""


class Domain(StrEnum):
    """The four kinds of ability the paper distinguishes."""

    INFORMATION = "information_synthesis"
    TIME = "time_management"
    INQUIRY = "proactive_inquiry"
    STRATEGY = "strategic_optimisation"


class Difficulty(StrEnum):
    """How hard a rule is held to be."""

    EASY = "easy"
    HARD = "hard"


@dataclass(frozen=True)
class PlannedEvent:
    """An event of a scene and when it is due. It never happens before the task is published:
    without a time, or with an earlier one, it happens together with the publication."""

    event: Event
    due: datetime | None = None


@dataclass(frozen=True)
class Hints:
    """Help in three tiers. The first two never contain an answer."""

    strategy: str
    where: str
    how: str


@dataclass(frozen=True)
class TaskInstance(Generic[Truth]):
    """A rule made concrete: what is told, what is hidden, what lies where, what is right.

    Clues, expectations and events take effect when the task is published, never before.

    ``objective`` is all the agent is told at the start; ``truth`` stays with the verifier.
    ``writes`` are the paths outside the workspace the task asks the agent to change.
    ``requester`` is who asks for it (a person's id); an announcing mail comes from them.
    """

    title: str
    objective: str
    truth: Truth
    hints: Hints
    clues: tuple[Clue, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    events: tuple[PlannedEvent, ...] = ()
    writable_paths: frozenset[str] = frozenset()
    deliverable_paths: tuple[str, ...] = ()
    """Paths of the files the agent is asked to hand in."""
    requester: str = ""
    task_output: TaskOutput | None = None
    """What other tasks of the day may take as their input."""
    background: tuple[str, ...] = ()
    """Parts of sentences of the objective, and of paths, without which honest work comes out the
    same, although one may have to read them to know; the certificate proves that every other
    sentence, file and mail is needed."""
    records: tuple[RecordFile, ...] = ()
    """The files of records that decide the answer, each staged by one of the events."""
    superseded: frozenset[str] = frozenset()
    """Ids of clues, and paths of files, that no longer matter, since the task or its records became
    others."""
    possible_holders: frozenset[str] = frozenset()
    """Ids of all people who may hold a clue or an expectation, where secrets decide who does. What
    has to be the same whatever the secrets are, such as the people of a complication, is drawn
    among others."""
    right_text: str = ""
    """What the first file to hand in says if it is right: its values, without the names of fields
    and without what may be said in several ways. For who looks it over; "" if nobody can."""
    must_know_by: datetime | None = None
    """When the agent must know of the task at the latest (before its appointment)."""
    settled_from: datetime | None = None
    """The hour, named in the objective, until which what is asked for may still be changed by
    messages: who has all other facts can only wait for it."""


@dataclass(frozen=True)
class Verdict:
    """Whether a checkpoint holds, and what was seen (never what should have been). Where its check
    broke over what was handed in, ``error`` says how, for whoever mends it."""

    passed: bool
    seen: str
    error: str | None = None


class Unreadable(Exception):
    """What was handed in cannot be read: a checkpoint that meets this does not hold, and *flaw*
    is what was seen."""

    def __init__(self, flaw: InvalidDeliverable):
        super().__init__(flaw.seen)
        self.flaw = flaw


class GradingContext(Generic[Truth]):
    """One task to be graded: the world as it stands, and the truth.

    What colleagues told or heard after *until* does not count: the last action before a
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
        """Have `verdict_of` give this *verdict* on a *checkpoint* of the family; the same."""
        return self._verdicts.setdefault(checkpoint, verdict)

    def verdict_of(self, mark: Checkpoint, owner: object) -> Verdict:
        """What a checkpoint of the family says, however often it is asked for."""
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
        """Whether the employee told, in time, what each of the task's expectations waits for whose
        names begin so, of which there is one at least."""
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
        """What answers are compared by: equal ones of this company have equal keys."""
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
    outcome holds. ``needs`` names the process point without which an outcome does not count:
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
    needs: str | None = None
    day: int | None = None
    """The day of a week (0 is Monday) on which it is earned or missed, if that is not the day on
    which the task is due."""

    @property
    def counts_with(self) -> str | None:
        """The checkpoint that has to hold, too, for this one to count, if there is one."""
        return self.only_with or self.needs

    def verdict(self, owner: object, grading: GradingContext[Any]) -> Verdict:
        """What the check of *owner*, which declares it, says, or why what was handed in cannot be
        read. A check that raises has failed: otherwise a text that breaks it would pay."""
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
    needs: str | None = None,
    where: str = "",
    how: str = "",
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method ``(self, case) -> Verdict`` as a checkpoint of its meta-task."""

    def declare(check: CheckFunction) -> CheckFunction:
        name = check.__name__
        mark = Checkpoint(name, sentence, weight, only_with, where, how, False, check, needs)
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


@dataclass(frozen=True)
class SolverVariant:
    """Another way to work a task than its oracle's, for certificates: a harmless one is a
    success all the same, a wrong one is not."""

    name: str
    harmless: bool
    work: Solver


@dataclass(frozen=True)
class Rule:
    """A family with its difficulty parameters set: the paper's meta-task.

    ``guess_rate`` bounds how common one full answer may be over many seeds.
    """

    id: str
    difficulty: Difficulty
    meta_task: MetaTask[Any]
    guess_rate: float = 0.2


def rules_of(made: Iterable[MetaTask[Any]], hard: Callable[[Any], bool]) -> tuple[Rule, ...]:
    """A rule for each of the meta-tasks *made*, in their order; *hard* says which are hard."""
    return tuple(
        Rule(one.rule_id, Difficulty.HARD if hard(one) else Difficulty.EASY, one) for one in made
    )


class PublishedEntry(BaseModel):
    """The arguments that an entry of the original's files has, exactly these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def parameters(self) -> Mapping[str, object]:
        """The parameters of the meta-task that it means."""
        return dict(self)


class MetaTask(BaseModel, ABC, Generic[Truth]):
    """One family. Fields are its parameters: those of a rule are required, what a seed may draw
    is optional and None until a scenario fixes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: ClassVar[str]
    domain: ClassVar[Domain]
    output_type: ClassVar[OutputType | None] = None
    """What the results of this family can be the input of, if of anything."""
    input_type: ClassVar[OutputType | None] = None
    """What this family can take from another task's result: see ``TaskContext.task_input``."""
    revises_input: ClassVar[bool] = False
    """Whether it says that this result may still change, and its oracle then does it again."""
    features: ClassVar[frozenset[SceneFeature]] = frozenset()
    """What complications can build on."""
    keeps_appointment: ClassVar[bool] = False
    """Whether its tasks have to be known by a time: see `TaskInstance.must_know_by`."""
    whole_week: ClassVar[bool] = False
    """Whether its tasks go on over the days of a week, in which alone they can be composed. Without
    another deadline they are due at the end of the last day. On each morning their oracle begins
    anew: it has to find what it still needs in the world, such as in files of its own."""
    published_name: ClassVar[str] = ""
    """What entries of this family are called in the original's configuration files."""
    published_entry: ClassVar[type[PublishedEntry] | None] = None
    """What their arguments are."""

    @classmethod
    @abstractmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Every rule of the family, always in the same order."""

    @property
    @abstractmethod
    def rule_id(self) -> str:
        """The id of the rule that these parameters make, such as ``kb_fix.easy``."""

    @property
    def policy_changes_on(self) -> int | None:
        """The day of a week (0 is Monday) from which on checkpoints that name a day ask for work by
        another policy than before; None if none changes."""
        return None

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Self:
        """The meta-task an entry of the original's files means. Raises ValueError."""
        if cls.published_entry is None:
            raise ValueError(f"{cls.family} does not occur in the original's files")
        entry = cls.published_entry.model_validate(arguments)
        return cls.model_validate(entry.parameters())

    @abstractmethod
    def generate(self, context: TaskContext) -> TaskInstance[Truth]:
        """The task made concrete: a pure function of the parameters and the stage's seed."""

    @staticmethod
    @abstractmethod
    async def oracle(client: ToolClient) -> None:
        """Do the task honestly, through the tools alone, from what they say."""

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """The cheapest way to look done: from all that can be seen, with nobody asked. The
        certificate proves that it earns next to nothing; a family without one does nothing."""

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Wrong and harmless ways to do what is no file; for files, mutants are made."""
        return ()

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What is checked, in order of declaration. Override to leave out what does not
        apply to these parameters."""
        return declared_checkpoints(type(self))


def declared_checkpoints(owner: type) -> tuple[Checkpoint, ...]:
    """All methods of *owner* (a family, a complication) marked as checkpoints, in order of
    declaration."""
    members = [member for cls in reversed(owner.__mro__) for member in vars(cls).values()]
    functions = [member for member in members if inspect.isfunction(member)]
    return tuple(f.__dict__["checkpoint"] for f in functions if "checkpoint" in f.__dict__)
