"""What a careful worker does beside the task: ways around the ways of some kinds of needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, TypeVar

from trainee_bench.meta_tasks.work.engine import Way
from trainee_bench.meta_tasks.work.need import Need, Work

T = TypeVar("T")
Inner = Callable[[], Awaitable[T]]
"""The way that a habit goes around."""
Around = Callable[[Work, Any, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Satisfies a need by what the inner way, the third argument, comes to."""


class Habit:
    """One thing that a careful worker does. It knows no other habit."""

    name: ClassVar[str]

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """What it does around the ways of needs, by their kind."""
        raise NotImplementedError


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
