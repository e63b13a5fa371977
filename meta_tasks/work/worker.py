"""A worker: the honest work of some tasks, with habits, by one engine and one planner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.work.achieving import Beside
from trainee_bench.meta_tasks.work.asking import JointQuestion, send_together
from trainee_bench.meta_tasks.work.engine import Engine, ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit, ways_with
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.planner import NO_PLAN, DayOutline, Planner
from trainee_bench.meta_tasks.work.sources import TaskRoot

TaskWork = Callable[[Work, str], Awaitable[None]]
"""How a family's tasks are worked: a function over needs, given the task's id."""


@dataclass(frozen=True)
class Worked(Need[None]):
    """A task is worked as its family does."""

    task: str

    async def satisfy(self, work: Work) -> None:
        """Replaced by `employ`, which knows the families."""
        raise NotImplementedError


def employ(
    tools: ToolCaller,
    costs: Mapping[str, int],
    works: Mapping[str, TaskWork],
    habits: Sequence[Habit],
    *,
    trusts_notices: bool,
    plan: DayOutline = NO_PLAN,
) -> tuple[Engine, Planner]:
    """A worker for the tasks of *works*, by id, and what lets them work: ``Planner.run``."""

    async def root(work: Work, need: Need[object]) -> None:
        assert isinstance(need, TaskRoot)
        beside = await work(Beside(need.task))
        await work.all([Worked(need.task), *beside])

    async def worked(work: Work, need: Need[object]) -> None:
        assert isinstance(need, Worked)
        await works[need.task](work, need.task)

    way_of = ways_with(habits, {TaskRoot: root, Worked: worked})
    roots = [TaskRoot(task) for task in works]
    engine = Engine(tools, way_of, roots, {JointQuestion: send_together}, trusts_notices)
    return engine, Planner(engine, costs, plan)
