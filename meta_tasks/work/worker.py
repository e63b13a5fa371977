"""A worker: the honest work of some tasks, with habits, by one engine and one planner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.work.achieving import Beside
from trainee_bench.meta_tasks.work.asking import JointQuestion
from trainee_bench.meta_tasks.work.engine import Engine, ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit, ways_with
from trainee_bench.meta_tasks.work.joint_questions import send_together
from trainee_bench.meta_tasks.work.need import Need, TaskWork, Work
from trainee_bench.meta_tasks.work.outline import NO_PLAN, DayOutline
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.sources import TaskRoot


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
    outline: DayOutline = NO_PLAN,
    at_once: int = 1,
) -> Planner:
    """A worker for the tasks of *works*, by id; `Planner.run` lets it work.

    It makes up to *at_once* calls in one turn, for which *tools* are a `BatchToolCaller`.
    """

    async def root(work: Work, need: Need[object]) -> None:
        assert isinstance(need, TaskRoot)
        beside = await work(Beside(need.task))
        await work.all([Worked(need.task), *beside])

    async def worked(work: Work, need: Need[object]) -> None:
        assert isinstance(need, Worked)
        await works[need.task](work, need.task)

    way_of = ways_with(habits, {TaskRoot: root, Worked: worked})
    roots = [TaskRoot(task) for task in works]
    engine = Engine(tools, way_of, roots, {JointQuestion: send_together}, outline.trusts_notices)
    return Planner(engine, costs, outline, at_once)
