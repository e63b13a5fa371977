"""The grades of a day that goes on: kept where nothing changed that they depend on.

They equal those of the verifier, which grades each task as of its deadline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import TaskGrade, grade_task
from trainee_bench.world.inline import complete
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

NOTHING_SETTLED: Mapping[str, TaskGrade] = {}


@dataclass(frozen=True)
class _Known:
    """A task's grade, and the tables that were read to find it."""

    grade: TaskGrade
    tables: frozenset[str]


class RunningGrade:
    """The grades of the tasks of *composition*, whose world is asked only for what may have
    changed. *settled* are those of tasks that were due before."""

    def __init__(
        self, composition: ComposedDay, settled: Mapping[str, TaskGrade] = NOTHING_SETTLED
    ):
        self._composition = composition
        self._settled = dict(settled)
        self._known: dict[str, _Known] = {}

    @property
    def settled(self) -> Mapping[str, TaskGrade]:
        """The grades of tasks that were due before, by id."""
        return dict(self._settled)

    def settle(self, world: World, now: datetime) -> None:
        """Fix the grades of the tasks that are due *now*: what is done later does not count."""
        due = [task for task in self._open if task.deadline <= now]
        self._settled |= {task.id: self._grade(world, task) for task in due}

    def of(self, world: World) -> tuple[TaskGrade, ...]:
        """The grades of all tasks, in their order."""
        fresh = {task.id: self._grade(world, task) for task in self._open}
        grades = self._settled | fresh
        return tuple(grades[task.id] for task in self._composition.tasks)

    @property
    def _open(self) -> list[ComposedTask]:
        return [task for task in self._composition.tasks if task.id not in self._settled]

    def _grade(self, world: World, task: ComposedTask) -> TaskGrade:
        self._forget(world.take_changed_tables())
        if task.id not in self._known:
            self._known[task.id] = complete(world.read(lambda tx: self._graded(tx, task)))
        return self._known[task.id].grade

    def _graded(self, tx: Transaction, task: ComposedTask) -> _Known:
        grade = grade_task(tx, self._composition, task, task.deadline)
        return _Known(grade, tx.tables)

    def _forget(self, changed: frozenset[str]) -> None:
        if changed:
            self._known = {
                task: known for task, known in self._known.items() if not known.tables & changed
            }
