"""What a careful worker does beside the task: ways around the ways of some kinds of needs, and
those that every office calls for, whatever complications a task has."""

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
"""The way that a habit goes around."""
Around = Callable[[Work, Any, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Satisfies a need by what the inner way, the third argument, comes to."""


WayAround = TypeVar("WayAround", bound=Callable[..., Awaitable[Any]])


def around(kind: type[Need[Any]]) -> Callable[[WayAround], WayAround]:
    """Declare a method ``(self, work, need, inner)`` of a habit as what it does around the ways of
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
        """What it does around the ways of needs, by their kind."""
        return {kind: getattr(self, name) for kind, name in self._declared.items()}


NO_HABITS: Sequence[Habit] = ()
"""Those of somebody who does the task and nothing beside it."""


def ways_with(
    habits: Sequence[Habit], own: Mapping[type[Need[Any]], Way]
) -> Callable[[type[Need[Any]]], Way]:
    """How a worker with *habits* satisfies each kind of need; *own* replaces plain ways."""
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


DEPUTY = ValueTemplate("Please turn to {value} (", FULL_NAME)
"""How the automatic reply of somebody who is away names the deputy."""
BACK = ValueTemplate("is away until {value} today.", CLOCK)
"""How it says when they are back."""


@dataclass(frozen=True)
class DeputyOf(Need[str]):
    """The full name of whoever stands in for a person today; "" if nobody does."""

    person: str

    async def satisfy(self, work: Work) -> str:
        """Look whether an automatic reply names somebody."""
        for message in await work(Inbox()):
            if message.automatic and message.sender == self.person:
                deputy = DEPUTY.search(message.text)
                if deputy is not None:
                    return deputy
        return ""


class TurnsToDeputies(Habit):
    """Turns to the deputy whom the automatic reply of an absent colleague names."""

    name = "turns to deputies"

    @around(Successors)
    async def _successors(
        self, work: Work, need: Successors, inner: Inner[tuple[str, ...]]
    ) -> tuple[str, ...]:
        known, deputy = await inner(), await work(DeputyOf(need.person))
        return (*known, (await work(PersonCalled(deputy))).id) if deputy else known


class ComesBackLater(Habit):
    """Looks only now and then for the answer of somebody who is away, until they are back."""

    name = "comes back later"

    @around(Answered)
    async def _answered(self, work: Work, need: Answered, inner: Inner[ReadMessage]) -> ReadMessage:
        if not work.worker.trusts_notices:  # else one is told
            for message in await work(Inbox()):
                if message.automatic and message.sender == need.person:
                    back = BACK.search(message.text)
                    if back is not None:
                        await work.pause(datetime.combine(need.sent.at, back), LOOK_FOR_AWAY)
        return await inner()


HABITS: tuple[Habit, ...] = (TurnsToDeputies(), ComesBackLater())
"""These, beside the habits of all complications."""
