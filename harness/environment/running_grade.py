"""Grades of a running day, kept as long as nothing that they depend on changes.

They equal the verifier's grades, which grade each task as of its deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Generic, TypeVar

from trainee_bench.mcp_servers.verifier import DayGrade, day_grade
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import (
    CheckedTask,
    Damage,
    TaskGrade,
    check_task,
    day_damage,
    task_grade,
)
from trainee_bench.world.recorded_reads import RecordedReads
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World

T = TypeVar("T")
NOTHING_SETTLED: Mapping[str, TaskGrade] = {}


@dataclass(frozen=True)
class _Known(Generic[T]):
    """The result of a query of the world, what it read, and the tables written since."""

    result: T
    reads: RecordedReads
    changed: frozenset[str] = frozenset()

    def holds(self, tx: Transaction) -> bool:
        """Whether the query would give the same result again."""
        return not self.changed or self.reads.still_hold(tx, self.changed)


class RunningGrade:
    """Grades of the tasks of *composition*; only those that may have changed are computed again.

    *settled* are the grades of tasks that were due before.
    """

    def __init__(
        self, composition: ComposedDay, settled: Mapping[str, TaskGrade] = NOTHING_SETTLED
    ):
        self._composition = composition
        self._settled = dict(settled)
        self._known: dict[str, _Known[CheckedTask]] = {}
        self._damage: _Known[Damage] | None = None

    @property
    def settled(self) -> Mapping[str, TaskGrade]:
        """The grades of tasks that were due before, by id."""
        return dict(self._settled)

    def copy(self, world: World) -> RunningGrade:
        """Return the running grade of a copy of *world* in its present state."""
        self._take_changes(world)
        copy = RunningGrade(self._composition, self._settled)
        copy._known, copy._damage = dict(self._known), self._damage
        return copy

    def settle(self, world: World, now: datetime) -> None:
        """Fix the grades of the tasks that are due *now*: later work on them does not count."""
        tasks, settled = self._composition.tasks, self._settled
        if due := [task for task in tasks if task.deadline <= now and task.id not in settled]:
            self._settled |= self._grades(world, due)

    def of(self, world: World) -> DayGrade:
        """Return the grade of the day in the present state of *world*."""
        grades = self._settled | self._grades(world, self._open)
        tasks = self._composition.tasks
        return day_grade(self._composition, [grades[task.id] for task in tasks])

    @property
    def _open(self) -> list[ComposedTask]:
        return [task for task in self._composition.tasks if task.id not in self._settled]

    def _grades(self, world: World, tasks: Iterable[ComposedTask]) -> dict[str, TaskGrade]:
        """Return the grades of *tasks*, by id."""
        wanted = {task.id: task for task in tasks}
        if not wanted:
            return {}
        self._take_changes(world)
        if any(known.changed for known in self._everything_known):
            complete(world.read(self._keep_what_holds))
        if self._damage is None:
            self._damage = _ask(world, partial(day_damage, composition=self._composition))
        for task in wanted.values():
            if task.id not in self._known:
                self._known[task.id] = _ask(
                    world, partial(check_task, task=task, until=task.deadline)
                )
        damage = self._damage.result
        return {id: task_grade(task, self._known[id].result, damage) for id, task in wanted.items()}

    @property
    def _everything_known(self) -> list[_Known[CheckedTask] | _Known[Damage]]:
        return [*self._known.values(), *([self._damage] if self._damage else [])]

    def _take_changes(self, world: World) -> None:
        """Record with every known result which tables were written since."""
        if changed := world.take_changed_tables():
            self._known = {
                id: replace(known, changed=known.changed | changed)
                for id, known in self._known.items()
            }
            if self._damage is not None:
                self._damage = replace(self._damage, changed=self._damage.changed | changed)

    def _keep_what_holds(self, tx: Transaction) -> None:
        """Forget the results that may have changed."""
        nothing = frozenset[str]()
        self._known = {
            id: replace(known, changed=nothing)
            for id, known in self._known.items()
            if known.holds(tx)
        }
        if self._damage is not None:
            holds = self._damage.holds(tx)
            self._damage = replace(self._damage, changed=nothing) if holds else None


def _ask(world: World, query: Callable[[Transaction], T]) -> _Known[T]:
    return _Known(*complete(world.read_recorded(query)))
