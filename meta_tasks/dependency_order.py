"""The order in which the tasks of a day are composed: causes before what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from trainee_bench.meta_tasks.task_context import CompositionError

Key = TypeVar("Key")


class HasDependencies(Protocol):
    """A task as a scenario names it."""

    @property
    def rule(self) -> str:
        """The id of its rule."""

    @property
    def dependencies(self) -> tuple[str, ...]:
        """The rules of the tasks that it depends on."""


Spec = TypeVar("Spec", bound=HasDependencies)


def in_dependency_order(keyed: Sequence[tuple[Key, Spec]]) -> list[tuple[Key, Spec]]:
    """*keyed* with every task behind those it names, otherwise in the same order.

    Raises CompositionError for tasks that wait for one another.
    """
    left, ordered = list(keyed), list[tuple[Key, Spec]]()
    while left:
        waiting = {spec.rule for _, spec in left}
        ready = [pair for pair in left if not waiting & set(pair[1].dependencies)]
        if not ready:
            raise CompositionError(f"{', '.join(sorted(waiting))} wait for one another")
        ordered.append(ready[0])
        left.remove(ready[0])
    return ordered
