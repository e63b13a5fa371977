"""The habits of a careful worker: what is done around the ways to satisfy some kinds of needs, and
the habits that every office calls for, whatever complications a task has."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, ClassVar, TypeVar

from trainee_bench.meta_tasks.authoring.converters import CLOCK, FULL_NAME
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.patience import LOOK_FOR_AWAY
from trainee_bench.meta_tasks.work.asking import Answered, Successors
from trainee_bench.meta_tasks.work.engine import Way
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.meta_tasks.work.sources import Inbox, ReadMessage

T = TypeVar("T")
Inner = Callable[[], Awaitable[T]]
"""The way that a habit wraps."""
Around = Callable[[Work, Any, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""A function that satisfies a need, given the result of the inner way, its third argument."""


WayAround = TypeVar("WayAround", bound=Callable[..., Awaitable[Any]])


def around(kind: type[Need[Any]]) -> Callable[[WayAround], WayAround]:
    """Declare a method ``(self, work, need, inner)`` of a habit as the wrapper of ways to satisfy
    needs of this *kind*."""

    def declare(way: WayAround) -> WayAround:
        way.__dict__["around"] = kind
        return way

    return declare


class Habit:
    """One thing that a careful worker does. It knows no other habit."""

    name: ClassVar[str]
    _declared: ClassVar[Mapping[type[Need[Any]], str]]
    """Its methods that are declared with `around`: their names by the kinds of needs."""

    def __init_subclass__(cls) -> None:
        members = [member for kind in reversed(cls.__mro__) for member in vars(kind).items()]
        methods = {name: member.__dict__ for name, member in members if inspect.isfunction(member)}
        cls._declared = {own["around"]: name for name, own in methods.items() if "around" in own}

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Return its wrappers by the kind of need."""
        return {kind: getattr(self, name) for kind, name in self._declared.items()}


NO_HABITS: Sequence[Habit] = ()
"""The habits of a worker who does the task and nothing else."""


def ways_with(
    habits: Sequence[Habit], own: Mapping[type[Need[Any]], Way]
) -> Callable[[type[Need[Any]]], Way]:
    """Return how a worker with *habits* satisfies each kind of need. *own* replaces plain ways."""
    around: dict[type[Need[Any]], list[Around]] = {}
    for habit in habits:
        for kind, way in habit.ways().items():
            around.setdefault(kind, []).append(way)
    found: dict[type[Need[Any]], Way] = {}

    def way_of(kind: type[Need[Any]]) -> Way:
        if kind not in found:
            found[kind] = reduce(_within, around.get(kind, []), own.get(kind, _plainly))
        return found[kind]

    return way_of


async def _plainly(work: Work, need: Need[Any]) -> Any:
    return await need.satisfy(work)


def _within(inner: Way, around: Around) -> Way:
    async def way(work: Work, need: Need[Any]) -> Any:
        return await around(work, need, lambda: inner(work, need))

    return way


DEPUTY = ValueTemplate("Please contact {value} (", FULL_NAME)
"""The text by which the automatic reply of an absent colleague names the deputy."""
BACK = ValueTemplate("I am not available until {value} today.", CLOCK)
"""The text by which it says when they are back."""


@dataclass(frozen=True)
class DeputyOf(Need[str]):
    """The full name of a person's deputy today; "" if there is no deputy."""

    person: str

    async def satisfy(self, work: Work) -> str:
        """Look for an automatic reply that names a deputy."""
        for message in await work(Inbox()):
            if message.automatic and message.sender == self.person:
                deputy = DEPUTY.search(message.text)
                if deputy is not None:
                    return deputy
        return ""


class TurnsToDeputies(Habit):
    """A habit: turns to the deputy whom the automatic reply of an absent colleague names."""

    name = "turns to deputies"

    @around(Successors)
    async def _successors(
        self, work: Work, need: Successors, inner: Inner[tuple[str, ...]]
    ) -> tuple[str, ...]:
        known, deputy = await inner(), await work(DeputyOf(need.person))
        return (*known, (await work(PersonCalled(deputy))).id) if deputy else known


class ComesBackLater(Habit):
    """A habit: looks only now and then for the answer of somebody who is away, until they are
    back."""

    name = "comes back later"

    @around(Answered)
    async def _answered(self, work: Work, need: Answered, inner: Inner[ReadMessage]) -> ReadMessage:
        if not work.worker.trusts_notices:  # otherwise a notice comes
            for message in await work(Inbox()):
                if message.automatic and message.sender == need.person:
                    back = BACK.search(message.text)
                    if back is not None:
                        await work.pause(datetime.combine(need.sent.at, back), LOOK_FOR_AWAY)
        return await inner()


HABITS: tuple[Habit, ...] = (TurnsToDeputies(), ComesBackLater())
"""The habits that every office calls for, besides those of all complications."""
