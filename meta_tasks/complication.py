"""The contract of a complication: a change that makes the task of any fitting family harder.

    family ──generate──► Scene ──apply──► Complicated: a harder instance, facts to grade by

    habits ──► how an honest worker deals with it; a worker without them ignores it

A complication knows no family. It builds on what every instance has (people, time, facts that
colleagues hold) and on what a family declares its tasks to have (`SceneFeature`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.checkpoints import Checkpoint, GradingContext, declared_checkpoints
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import MetaTask, TaskInstance
from trainee_bench.meta_tasks.missing_facts import MissingFact
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.habits import Habit


@dataclass(frozen=True)
class ForeignCall:
    """A tool call that an honest worker made on another day, with the names from this day's
    note."""

    tool: str
    arguments: Mapping[str, JsonValue]


DoTask = Callable[[], Awaitable[None]]
"""A function that does the task honestly, as if it had no complication."""
OWN_SHARE = 0.45
"""The weight of what a complication asks for besides the task, as a share of the task's own weight.
It makes up a little more than 0.3 of the whole."""
_LATER = ("calendar_attend", "desk_wait")
"""Calls that let time pass."""
BITE = 0.3
"""The least that ignoring a complication costs, as a share of the task's weight."""


class ComplicationKind(StrEnum):
    """The kinds of difficulty at work."""

    CHANGE = "information that changes"
    SOURCES = "sources"
    PEOPLE = "people and time"
    SAFETY = "safety"
    SIZE = "size"
    HONESTY = "honesty"


class Stage(IntEnum):
    """The place of a complication among those of a task. The order in which they are named does not
    matter.

    Workers meet complications in this order. They are also applied in it, except that a
    complication that replaces the request comes first: all others must fit the second task
    (`application_order`).
    """

    READING = 1
    """A change in what is read or told, or when."""
    SIGNING = 2
    """An extra step with the result before it is submitted."""
    REQUEST = 3
    """Another task in place of the first one."""
    NEWS = 4
    """News that comes later, after which the task has to be done again."""
    EXCHANGE = 5
    """Files that are replaced later: after all other news, for which they are read again anyway."""
    HANDING_IN = 6
    """A further demand when the result is handed in."""
    BESIDE = 7
    """A demand besides the task."""
    APPOINTMENT = 8
    """A demand at a certain time, whatever else there is to do."""

    @property
    def changes_result(self) -> bool:
        """Whether the result has to be made again after it was first made."""
        return self in (Stage.SIGNING, Stage.REQUEST, Stage.NEWS, Stage.EXCHANGE)


@dataclass(frozen=True)
class Complicated:
    """The result of `Complication.apply`.

    The complication's own checkpoints are graded by ``facts``. A worker who ignores the
    complication reads each key of ``believed`` as its value.
    """

    scene: Scene
    facts: Any = None
    believed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LeastAct:
    """A call of *tool* that is needed to deal with a complication. It begins between two times
    (None: as long as the task counts). It takes as long as the tool takes, or at least until *ends*
    if that time is known."""

    tool: str
    opens: datetime
    closes: datetime | None = None
    ends: datetime | None = None


class Complication(ABC):
    """One way to make a task harder. Its checkpoints are declared as those of a family are, with
    its facts as ``GradingContext.truth``. Together they weigh `OWN_SHARE` of the task's own
    weight."""

    name: ClassVar[str]
    """Its name in rule ids: ``family.rule+name``."""
    kind: ClassVar[ComplicationKind]
    about: ClassVar[str]
    """Its effect on a task, in one sentence."""
    requires: ClassVar[frozenset[SceneFeature]] = frozenset()
    """The features that a family's tasks must have for it to fit."""
    stage: ClassVar[Stage]
    """Its place among the complications of a task."""
    announced: ClassVar[bool] = True
    """Whether a note, a mail or a message says that something has to be observed. Otherwise only a
    page of the handbook says so, which applies to all tasks."""

    drawn: ClassVar[bool] = True
    """Whether drawn days can have it. Otherwise only rules that name it have it, so that days drawn
    from a seed stay the same."""

    tools: ClassVar[frozenset[str]] = frozenset()
    """The opt-in tools that a careful worker needs for it. A scenario must name them."""

    takes: ClassVar[int] = 0
    """The least number of minutes from when the work can begin until the complication's event."""
    leaves: ClassVar[int] = 0
    """The least number of minutes from that event to the deadline, if changes are timed by the
    deadline."""
    asks: ClassVar[int] = 0
    """The least number of minutes from that event until colleagues go home, if they may still be
    asked."""

    habits: ClassVar[tuple[Habit, ...]] = ()
    """The habits of a careful worker who deals with it. A worker without them ignores it."""
    ignoring: ClassVar[tuple[Habit, ...]] = ()
    """Extra habits of a worker who ignores it, if leaving out its habits is not enough."""
    needs_patience: ClassVar[bool] = False
    """Whether a worker who ignores it gives up waiting for somebody. Then any other such
    complication of the task costs that worker as much."""
    several_days: ClassVar[bool] = False
    """Whether something happens on an earlier day than the task: only worlds of several days have
    it."""

    def fits(self, family: type[MetaTask[Any]]) -> bool:
        """Return whether the tasks of *family* have what it needs. Complications are about one day;
        tasks of a whole week have changes of their own."""
        return not family.whole_week and self.requires <= family.features

    @abstractmethod
    def apply(self, scene: Scene) -> Complicated:
        """Return the harder scene, as a pure function of *scene*. Raises CompositionError."""

    def settle(
        self, scene: Scene, before: Scene, own: Scene, later: Sequence[Mapping[str, int]]
    ) -> Scene:
        """Return the *scene* once all complications are in it. Only a complication that depends on
        later ones overrides this. *before* and *own* are the scenes without and with this one.
        *later* holds the secrets that each later one exchanged."""
        return scene

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Work without looking at anything but the task, knowing the calls that were right
        *elsewhere*. By default, repeat these calls. *do* does the task itself."""
        await repeat(client, elsewhere)

    async def work_early(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Work like somebody who acts before anything has come. By default, work blindly and at
        once."""
        at_once = [call for call in elsewhere if call.tool not in _LATER]
        await self.work_blind(client, do, at_once)

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Return whether the employee did what the complication itself waits for. By default its
        own checkpoints decide. Only certificates ask, and only if the complication has its own
        part."""
        own = self.checkpoints()
        return all(mark.verdict(self, grading).passed for mark in own if not mark.forbidden)

    def least_acts(self, instance: TaskInstance[Any], facts: Any) -> Sequence[LeastAct]:
        """Return the calls that nobody who deals with it can avoid. By default there are none.

        Messages that colleagues wait for and the task's own result are not among them. An upper
        bound of what can be done builds on this, so leave out any call that is not certain. *facts*
        are the complication's facts, *instance* is the whole task.
        """
        return ()

    def missing(self, facts: Any) -> MissingFact | None:
        """Return the fact without which the task cannot be done, given the complication's *facts*;
        None if it can be done. A complication that overrides this lets no other task take the
        result, and goes with none that asks for something to be done with it."""
        return None

    @property
    def needs_result(self) -> bool:
        """Whether it asks for something to be done with the result besides handing it in."""
        withholds = type(self).withholds is not Complication.withholds
        return self.stage < Stage.BESIDE and (withholds or bool(self.checkpoints()))

    @property
    def may_be_impossible(self) -> bool:
        """Whether its tasks cannot be done at some seeds."""
        return type(self).missing is not Complication.missing

    def bites(self, facts: Any) -> bool:
        """Return whether a worker who ignores it loses anything, given its *facts*. By default this
        is so at every seed."""
        return not self.may_be_impossible or self.missing(facts) is not None

    @property
    def has_own_part(self) -> bool:
        """Whether it waits for something besides the task's own result."""
        counted = any(not mark.forbidden for mark in self.checkpoints())
        return counted or type(self).is_dealt_with is not Complication.is_dealt_with

    def withholds(self, grading: GradingContext[Any]) -> str:
        """Return why the outcomes of the task do not count, whatever was handed in; "" if they
        do."""
        return ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints besides those of the task. They count only with an outcome of the
        task."""
        return declared_checkpoints(type(self))


async def repeat(client: ToolClient, calls: Sequence[ForeignCall]) -> None:
    """Make all *calls*, and ignore those that a tool refuses."""
    for call in calls:
        with suppress(ToolFailed):
            await client.call(call.tool, **call.arguments)
