"""The contract of a complication: it makes the task of any family that it fits harder.

    family ──generate──► Scene ──apply──► Complicated: another instance, facts to grade by

    habits ──► how an honest worker deals with it; without them a worker ignores it

A complication knows no family. It builds on what every instance has (people, time, facts that
colleagues hold) and on what a family says that its tasks have (`SceneFeature`).
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
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.habits import Habit


@dataclass(frozen=True)
class ForeignCall:
    """A tool call that an honest worker made on another day, with the names of this one's note."""

    tool: str
    arguments: Mapping[str, JsonValue]


DoTask = Callable[[], Awaitable[None]]
"""Does a task honestly, as if it had no complication."""
OWN_SHARE = 0.45
"""The weight of what a complication asks for beside the task itself, as a part of the task's own:
then it makes a little more than 0.3 of the whole."""
_LATER = ("calendar_attend", "desk_wait")
"""Calls that let time pass."""
BITE = 0.3
"""What ignoring a complication costs at least, as a part of the task's weight."""


class ComplicationKind(StrEnum):
    """The kinds of difficulty at work."""

    CHANGE = "information that changes"
    SOURCES = "sources"
    PEOPLE = "people and time"
    SAFETY = "safety"
    SIZE = "size"


class Stage(IntEnum):
    """A complication's place among those of a task, whatever order they are named in.

    This is the order in which a worker meets them. They are applied in it, too, but what exchanges
    the request comes first: all others must fit the second task (`application_order`).
    """

    READING = 1
    """Changes what is read or told, or when."""
    SIGNING = 2
    """Something is done with the result before it is submitted."""
    REQUEST = 3
    """Puts another task in place of the first."""
    NEWS = 4
    """Something becomes known later, and the task has to be done again."""
    EXCHANGE = 5
    """Files are exchanged later: after all other news, for which they are read again anyway."""
    HANDING_IN = 6
    """Asks for more when the result is handed in."""
    BESIDE = 7
    """Asks for something beside the task."""
    APPOINTMENT = 8
    """Asks for something at a certain time, whatever else there is to do."""

    @property
    def changes_result(self) -> bool:
        """Whether the result is made anew after it was first there."""
        return self in (Stage.SIGNING, Stage.REQUEST, Stage.NEWS, Stage.EXCHANGE)


@dataclass(frozen=True)
class Complicated:
    """What `Complication.apply` makes of a scene.

    ``facts`` are what its own checkpoints are graded by. Who ignores the complication takes the
    texts that are the keys of ``believed`` for what their values say.
    """

    scene: Scene
    facts: Any = None
    believed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LeastAct:
    """A call of *tool* without which nobody deals with a complication. It begins between two times
    (None: as long as the task counts) and takes what the tool takes or, if it *ends* at a known
    time, at least until then."""

    tool: str
    opens: datetime
    closes: datetime | None = None
    ends: datetime | None = None


class Complication(ABC):
    """One way in which a task becomes harder. Its own checkpoints are declared as a family's are,
    with ``GradingContext.truth`` being its facts; each weighs `OWN_SHARE` of the task's own."""

    name: ClassVar[str]
    """How rules name it: ``family.rule+name``."""
    kind: ClassVar[ComplicationKind]
    about: ClassVar[str]
    """What it does to a task, in one sentence."""
    requires: ClassVar[frozenset[SceneFeature]] = frozenset()
    """What a family's tasks must have for it to fit."""
    stage: ClassVar[Stage]
    """Where it stands among others."""
    announced: ClassVar[bool] = True
    """Whether a note, a mail or a message says that something is to be heeded; else only a page of
    the handbook does, which holds for all tasks."""

    drawn: ClassVar[bool] = True
    """Whether days are drawn with it; else only rules that name it have it, so that days drawn from
    a seed stay the same."""

    takes: ClassVar[int] = 0
    """Minutes, at least, from when the work can begin until the complication's event."""
    leaves: ClassVar[int] = 0
    """Minutes, at least, from that event to the deadline, if changes are timed by the deadline."""
    asks: ClassVar[int] = 0
    """Minutes, at least, from that event until colleagues go home, if they may still be asked."""

    habits: ClassVar[tuple[Habit, ...]] = ()
    """What a careful worker does who deals with it; a worker without these ignores it."""
    ignoring: ClassVar[tuple[Habit, ...]] = ()
    """What a worker does besides who ignores it, where leaving its habits out is not enough."""
    needs_patience: ClassVar[bool] = False
    """Whether who ignores it gives up waiting for somebody: any other such complication of the task
    then costs them as much."""

    def fits(self, family: type[MetaTask[Any]]) -> bool:
        """Whether the tasks of *family* have what it needs. What goes on over a whole week has
        changes of its own: complications are about one day."""
        return not family.whole_week and self.requires <= family.features

    @abstractmethod
    def apply(self, scene: Scene) -> Complicated:
        """The harder scene: a pure function of the scene. Raises CompositionError."""

    def settle(
        self, scene: Scene, before: Scene, own: Scene, later: Sequence[Mapping[str, int]]
    ) -> Scene:
        """The *scene* once all complications are in it. Only a complication that depends on later
        ones overrides this. *before* and *own* are the scenes without and with this one; *later*
        are the secrets that each of the later ones exchanged."""
        return scene

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Work as somebody who looks at nothing but the task, and knows the calls that were right
        *elsewhere*: by default these calls again. *do* does the task itself."""
        await repeat(client, elsewhere)

    async def work_early(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Work as somebody who acts before anything has come: by default blindly, and at once."""
        at_once = [call for call in elsewhere if call.tool not in _LATER]
        await self.work_blind(client, do, at_once)

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Whether the employee did what the complication itself waits for: by default what its own
        checkpoints check. Only certificates ask, and only about one that has its own part."""
        own = self.checkpoints()
        return all(mark.verdict(self, grading).passed for mark in own if not mark.forbidden)

    def least_acts(self, instance: TaskInstance[Any], facts: Any) -> Sequence[LeastAct]:
        """What nobody can do without who deals with it, beside messages that colleagues wait for
        and the task's own result: by default nothing. An upper bound of what can be done builds on
        it, so anything of which one cannot be sure is left out. *facts* are its own of *instance*,
        the whole task."""
        return ()

    @property
    def has_own_part(self) -> bool:
        """Whether it waits for something beside the task's own result."""
        counted = any(not mark.forbidden for mark in self.checkpoints())
        return counted or type(self).is_dealt_with is not Complication.is_dealt_with

    def withholds(self, grading: GradingContext[Any]) -> str:
        """Why the outcomes of the task do not count, whatever was handed in; "" if they do."""
        return ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What is checked beside the task itself. It counts only with an outcome of the task."""
        return declared_checkpoints(type(self))


async def repeat(client: ToolClient, calls: Sequence[ForeignCall]) -> None:
    """Make all *calls*, whichever of them a tool refuses."""
    for call in calls:
        with suppress(ToolFailed):
            await client.call(call.tool, **call.arguments)
