"""The contract of a family: parameters and a seed give a scene, code grades what was done.

MetaTask ──generate(context)──► TaskInstance: what is told, what is hidden, what is graded
    │                                        │
    │ honest_work(work, task)                └──► staged into a world
    ▼
checkpoints: GradingContext (the world as it stands, the truth) ──► Verdict
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from trainee_bench.meta_tasks.checkpoints import Checkpoint, declared_checkpoints
from trainee_bench.meta_tasks.scene_features import RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import OutputType, TaskContext, TaskOutput
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.transaction import Event

if TYPE_CHECKING:
    from trainee_bench.meta_tasks.complication import Complication
    from trainee_bench.meta_tasks.work.habits import Habit
    from trainee_bench.meta_tasks.work.need import TaskWork, Work

Truth = TypeVar("Truth")
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


def first_version(path: str) -> str:
    """Return a background's name for the file at *path* as it is before an event replaces it."""
    return f"the first version of {path}"


@dataclass(frozen=True)
class Hints:
    """Help in three tiers. The first two never contain an answer."""

    strategy: str
    where: str
    how: str


@dataclass(frozen=True)
class ToldPart:
    """What the agent is told when the task is published, and what follows from the words of it.

    Hints are told to agents that get guidance; all others have the objective alone.
    """

    title: str
    objective: str
    hints: Hints
    requester: str = ""
    """Who asks for it (a person's id); an announcing mail comes from them."""
    deliverable_paths: tuple[str, ...] = ()
    """Paths of the files the agent is asked to hand in."""
    writable_paths: frozenset[str] = frozenset()
    """Paths outside the workspace the agent is asked to change."""
    must_know_by: datetime | None = None
    """When the agent must know of the task at the latest (before its appointment)."""
    settled_from: datetime | None = None
    """The hour, named in the objective, until which what is asked for may still be changed by
    messages: who has all other facts can only wait for it."""


@dataclass(frozen=True)
class HiddenPart:
    """What the agent has to find out, or to expect: what people know and wait for, what lies where
    and what happens. It takes effect when the task is published, never before."""

    clues: tuple[Clue, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    events: tuple[PlannedEvent, ...] = ()
    records: tuple[RecordFile, ...] = ()
    """The files of records that decide the answer, each staged by one of the events."""
    superseded: frozenset[str] = frozenset()
    """Ids of clues, and paths of files, that no longer matter, since the task or its records became
    others."""
    possible_holders: frozenset[str] = frozenset()
    """Ids of all people who may hold a clue or an expectation, if secrets decide who does.
    Complications draw their people among others, so that they are the same for all secrets."""


@dataclass(frozen=True)
class GradedPart(Generic[Truth]):
    """What is right, which only the verifier and certificates know: the ``truth`` that checkpoints
    go by, and what else follows from the secrets of the task."""

    truth: Truth
    right_text: str = ""
    """The values of a right first file, without the names of fields and without what may be said in
    several ways. A reviewer compares with it; "" if nobody can review the file."""
    task_output: TaskOutput | None = None
    """What other tasks of the day may take as their input."""
    background: tuple[str, ...] = ()
    """Parts of sentences of the objective, and of paths, without which honest work comes out the
    same, although one may have to read them to know; the certificate proves that every other
    sentence, file and mail is needed. `first_version` names a file that another one replaces."""


@dataclass(frozen=True)
class TaskInstance(Generic[Truth]):
    """A rule made concrete, in three parts: what is told, what is hidden, what is graded."""

    told: ToldPart
    hidden: HiddenPart
    graded: GradedPart[Truth]


@dataclass(frozen=True)
class SolverVariant:
    """Another way to work a task than the honest one, for certificates: a harmless one is a
    success all the same, a wrong one is not."""

    name: str
    harmless: bool
    work: TaskWork
    habits: tuple[Habit, ...] = ()
    """What whoever works so does besides."""


class ComposableTask(Protocol):
    """A task that can be composed and graded: a family's own, or one with complications."""

    @property
    def plain(self) -> MetaTask[Any]:
        """The family's own task, without complications."""

    @property
    def complications(self) -> tuple[Complication, ...]:
        """Its complications, by stage and name."""

    @property
    def family_class(self) -> type[MetaTask[Any]]:
        """The family, whatever complications a task has."""

    @property
    def rule_id(self) -> str:
        """The id of its rule."""

    @property
    def policy_changes_on(self) -> int | None:
        """See `MetaTask.policy_changes_on`."""

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """The task made concrete. Raises CompositionError where that is impossible."""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What is checked."""


@dataclass(frozen=True)
class Rule:
    """A family with its difficulty parameters set: the paper's meta-task.

    ``guess_rate`` bounds how common one full answer may be over many seeds.
    """

    id: str
    difficulty: Difficulty
    meta_task: ComposableTask
    guess_rate: float = 0.2


def rules_of(made: Iterable[MetaTask[Any]], hard: Callable[[Any], bool]) -> tuple[Rule, ...]:
    """A rule for each of the meta-tasks *made*, in their order; *hard* says which are hard."""
    return tuple(
        Rule(meta_task.rule_id, Difficulty.HARD if hard(meta_task) else Difficulty.EASY, meta_task)
        for meta_task in made
    )


class PublishedEntry(BaseModel):
    """The arguments that an entry of the original's files has, exactly these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def parameters(self) -> Mapping[str, object]:
        """The parameters of the meta-task that it means."""
        return dict(self)


class HonestWay(Protocol):
    """Honest work that lies in a module of its own: see `MetaTask.honest_work`."""

    def __call__(self, work: Work, task: str) -> Coroutine[Any, Any, None]:
        """Do the task of this id."""


class Shortcut(Protocol):
    """A shortcut that does: see `MetaTask.shortcut`."""

    def __call__(self, client: ToolClient) -> Coroutine[Any, Any, None]:
        """Look done."""


class MetaTask(BaseModel, ABC, Generic[Truth]):
    """One family. Fields are its parameters: those of a rule are required, what a seed may draw
    is optional and None until a scenario fixes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: ClassVar[str]
    domain: ClassVar[Domain]
    output_type: ClassVar[OutputType | None] = None
    """What the results of this family can be the input of, if of anything."""
    input_type: ClassVar[OutputType | None] = None
    """The type of another task's result that it can take: see ``TaskContext.task_input``."""
    revises_input: ClassVar[bool] = False
    """Whether its objective says that this result may still change."""
    features: ClassVar[frozenset[SceneFeature]] = frozenset()
    """What complications can build on."""
    keeps_appointment: ClassVar[bool] = False
    """Whether its tasks have to be known by a time: see `ToldPart.must_know_by`."""
    whole_week: ClassVar[bool] = False
    """Whether its tasks go on over the days of a week, in which alone they can be composed. Without
    another deadline they are due at the end of the last day. On each morning honest work begins
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
    def plain(self) -> Self:
        """This task."""
        return self

    @property
    def complications(self) -> tuple[Complication, ...]:
        """None."""
        return ()

    @property
    def family_class(self) -> type[Self]:
        """Its family."""
        return type(self)

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
    async def honest_work(work: Work, task: str) -> None:
        """Do the task of this id honestly, from what the tools say alone.

        It is one plain function over needs (`meta_tasks.work`): it neither waits nor repeats, and
        what may change is awaited as a need. The engine satisfies the needs of all tasks of a day.
        """

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
