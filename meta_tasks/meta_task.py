"""The contract of a family: parameters and a seed make a scene, and code grades the work.

MetaTask ──generate(context)──► TaskInstance: what is told, what is hidden, what is graded
    │                                        │
    │ honest_work(work, task)                └──► staged into a world
    ▼
checkpoints: GradingContext (the present world, the truth) ──► Verdict
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from trainee_bench.meta_tasks.checkpoints import Checkpoint, declared_checkpoints
from trainee_bench.meta_tasks.missing_facts import MissingFact
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
"""The largest share of a task's weight that points for process may have."""
NOTES_HEADING = "\n\nPlease also note:\n"
"""The text between a family's objective and the notes that complications add to it."""


def with_note(objective: str, note: str) -> str:
    """Return *objective* with one more note at its end, unless it already has the note."""
    if f"\n- {note}" in objective:
        return objective
    heading = "\n" if NOTES_HEADING in objective else NOTES_HEADING
    return f"{objective}{heading}- {note}"


class Domain(StrEnum):
    """The four kinds of ability that the paper distinguishes."""

    INFORMATION = "information_synthesis"
    TIME = "time_management"
    INQUIRY = "proactive_inquiry"
    STRATEGY = "strategic_optimisation"


class Difficulty(StrEnum):
    """The difficulty of a rule."""

    EASY = "easy"
    HARD = "hard"


@dataclass(frozen=True)
class PlannedEvent:
    """An event of a scene and when it is due. It never happens before the task is published:
    without a time, or with an earlier one, it happens at the publication.

    With ``known_before``, it happens at its time in any case. Only events that tell nothing about
    the task may do so, such as an absence that the directory shows from the morning on, or those
    that are to tell something before it."""

    event: Event
    due: datetime | None = None
    known_before: bool = False


def first_version(path: str) -> str:
    """Return the name, in a background, of the file at *path* before an event replaces it."""
    return f"the first version of {path}"


@dataclass(frozen=True)
class Hints:
    """Help in three tiers. The first two never contain an answer."""

    strategy: str
    where: str
    how: str


@dataclass(frozen=True)
class ToldPart:
    """The part that the agent is told when the task is published.

    Agents with guidance also get the hints; all others get the objective alone.
    """

    title: str
    objective: str
    hints: Hints
    requester: str = ""
    """The person (an id) who asks for it. An announcing mail comes from them."""
    deliverable_paths: tuple[str, ...] = ()
    """The paths of the files that the agent is asked to hand in."""
    writable_paths: frozenset[str] = frozenset()
    """The paths outside the workspace that the agent is asked to change."""
    must_know_by: datetime | None = None
    """The latest time at which the agent must know of the task (before its appointment)."""
    settled_from: datetime | None = None
    """The hour, named in the objective, until which messages may still change what is asked for.
    Somebody who has all other facts can only wait for it."""


@dataclass(frozen=True)
class HiddenPart:
    """The part that the agent has to find out or to expect: what people know and wait for, which
    files exist, and what happens. It takes effect when the task is published, never before."""

    clues: tuple[Clue, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    events: tuple[PlannedEvent, ...] = ()
    records: tuple[RecordFile, ...] = ()
    """The files of records that decide the answer, each staged by one of the events."""
    superseded: frozenset[str] = frozenset()
    """The ids of clues and paths of files that no longer matter, since the task or its records were
    replaced."""
    possible_holders: frozenset[str] = frozenset()
    """The ids of all people who may hold a clue or an expectation, if secrets decide who does.
    Complications choose their people among all others, so that the choice is the same for all
    secrets."""
    told_ahead: Mapping[str, tuple[datetime, ...]] = field(default_factory=dict, hash=False)
    """The starts of the days on which a clue (its id) is told, for clues that are told before the
    task comes."""


@dataclass(frozen=True)
class GradedPart(Generic[Truth]):
    """The part that only the verifier and certificates know: the ``truth`` that checkpoints compare
    with, and what else follows from the secrets of the task."""

    truth: Truth
    right_text: str = ""
    """The values of a right first file, without field names and without anything that may be said
    in several ways. A reviewer compares with it; "" if nobody can review the file."""
    task_output: TaskOutput | None = None
    """The result that other tasks of the day may take as their input."""
    background: tuple[str, ...] = ()
    """Parts of sentences of the objective, and of paths, that do not change honest work, although
    one may have to read them to know. The certificate proves that every other sentence, file and
    mail is needed. `first_version` names a file that is replaced later."""
    missing: MissingFact | None = None
    """The fact without which it cannot be done; None if it can be done."""


@dataclass(frozen=True)
class TaskInstance(Generic[Truth]):
    """A rule made concrete, in three parts: what is told, what is hidden, what is graded."""

    told: ToldPart
    hidden: HiddenPart
    graded: GradedPart[Truth]


@dataclass(frozen=True)
class SolverVariant:
    """A way to work a task other than the honest one, for certificates. A harmless one is still a
    success, a wrong one is not."""

    name: str
    harmless: bool
    work: TaskWork
    habits: tuple[Habit, ...] = ()
    """The habits of a worker who works this way."""


class ComposableTask(Protocol):
    """A task that can be composed and graded: a family's own, or one with complications."""

    @property
    def plain(self) -> MetaTask[Any]:
        """The family's own task, without complications."""

    @property
    def complications(self) -> tuple[Complication, ...]:
        """The task's complications, by stage and name."""

    @property
    def family_class(self) -> type[MetaTask[Any]]:
        """The family of the task."""

    @property
    def rule_id(self) -> str:
        """The id of the task's rule."""

    @property
    def policy_changes_on(self) -> int | None:
        """The day that `MetaTask.policy_changes_on` describes."""

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """Return the task made concrete. Raises CompositionError where that is impossible."""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints."""


@dataclass(frozen=True)
class Rule:
    """A family with its difficulty parameters set: the paper's meta-task.

    ``guess_rate`` is the largest share of seeds that may have the same full answer.
    """

    id: str
    difficulty: Difficulty
    meta_task: ComposableTask
    guess_rate: float = 0.2


def rules_of(made: Iterable[MetaTask[Any]], hard: Callable[[Any], bool]) -> tuple[Rule, ...]:
    """Return a rule for each of the meta-tasks *made*, in their order; *hard* says which are
    hard."""
    return tuple(
        Rule(meta_task.rule_id, Difficulty.HARD if hard(meta_task) else Difficulty.EASY, meta_task)
        for meta_task in made
    )


class PublishedEntry(BaseModel):
    """The arguments of an entry in the original's files, with exactly these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def parameters(self) -> Mapping[str, object]:
        """Return the parameters of the meta-task that it means."""
        return dict(self)


class HonestWay(Protocol):
    """Honest work in a separate module: see `MetaTask.honest_work`."""

    def __call__(self, work: Work, task: str) -> Coroutine[Any, Any, None]:
        """Do the task of this id."""


class Shortcut(Protocol):
    """A shortcut in a separate module: see `MetaTask.shortcut`."""

    def __call__(self, client: ToolClient) -> Coroutine[Any, Any, None]:
        """Make the task look done."""


class MetaTask(BaseModel, ABC, Generic[Truth]):
    """One family. Its fields are its parameters: those of a rule are required; those that a seed
    may draw are optional, and None until a scenario fixes them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: ClassVar[str]
    domain: ClassVar[Domain]
    output_type: ClassVar[OutputType | None] = None
    """The type of the results of this family as other tasks' input, if they can be one."""
    input_type: ClassVar[OutputType | None] = None
    """The type of another task's result that it can take: see ``TaskContext.task_input``."""
    revises_input: ClassVar[bool] = False
    """Whether its objective says that this input may still change."""
    features: ClassVar[frozenset[SceneFeature]] = frozenset()
    """The features that complications can build on."""
    keeps_appointment: ClassVar[bool] = False
    """Whether its tasks have to be known by a certain time: see `ToldPart.must_know_by`."""
    whole_week: ClassVar[bool] = False
    """Whether its tasks take a whole week, the only place where they can be composed. Without
    another deadline they are due at the end of the last day. Honest work begins anew each morning:
    it has to find what it still needs in the world, such as in its own files."""
    usual_deadline: ClassVar[time | None] = None
    """The clock time at which its tasks are due if a scenario says nothing; None for the end of the
    day."""
    guessing_waived: ClassVar[str] = ""
    """The reason why the same answer may be right at every seed; "" if it may not. A certificate
    prints it in place of the claim that guesses rarely are right."""
    published_name: ClassVar[str] = ""
    """The name of this family's entries in the original's configuration files."""
    published_entry: ClassVar[type[PublishedEntry] | None] = None
    """The arguments of these entries."""

    @classmethod
    @abstractmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return every rule of the family, always in the same order."""

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
    def repetition_works(self) -> str:
        """The reason why the calls of another seed are often right; "" if they are not.

        It is a finding that the next generator version mends. Certificates leave out the cheats
        that know other seeds, and attacks print it beside their scores.
        """
        return ""

    @property
    def policy_changes_on(self) -> int | None:
        """The day of a week (0 is Monday) from which checkpoints that name a day ask for work by
        another policy than before; None if no policy changes."""
        return None

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Self:
        """Return the meta-task that an entry of the original's files means. Raises ValueError."""
        if cls.published_entry is None:
            raise ValueError(f"{cls.family} does not occur in the original's files")
        entry = cls.published_entry.model_validate(arguments)
        return cls.model_validate(entry.parameters())

    @abstractmethod
    def generate(self, context: TaskContext) -> TaskInstance[Truth]:
        """Return the task made concrete, as a pure function of the parameters and the context's
        seed."""

    @staticmethod
    @abstractmethod
    async def honest_work(work: Work, task: str) -> None:
        """Do the task of this id honestly, from what the tools say alone.

        Honest work is one plain function over needs (`meta_tasks.work`). It neither waits nor
        repeats: anything that may change is awaited as a need. The engine satisfies the needs of
        all tasks of a day.
        """

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """Do the least that looks done, from all that can be seen, without asking anybody. The
        certificate proves that it earns next to nothing. A family without a shortcut does nothing
        here."""

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Return wrong and harmless ways to work results that are not files; files have mutants."""
        return ()

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints, in order of declaration. Override to leave out those that do not
        apply to these parameters."""
        return declared_checkpoints(type(self))
