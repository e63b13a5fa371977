"""How the oracle works a day, for code that draws days: what it achieves, and when it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.harness.agents.builtin.oracle import Oracle
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.harness.testbench.work_plan import last_changes, make_worker
from trainee_bench.mcp_servers.verifier import grade_staged
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.urgency import HANDING_IN
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.transaction import Transaction


@dataclass(frozen=True)
class Rehearsal:
    """The outcome of the oracle's work on a day; times are by task id.

    ``full`` means that the day was a full success and no oracle gave up. ``came`` is when each task
    came, and ``handed_in`` when it was last submitted, None if never. ``done`` is when nothing was
    left to do for it except to look for news.
    """

    full: bool
    came: Mapping[str, datetime | None]
    handed_in: Mapping[str, datetime | None]
    done: Mapping[str, datetime]


class DeadlineMissed(Exception):
    """Some ``tasks`` (ids) of the plan were not submitted when they were due."""

    def __init__(self, tasks: frozenset[str]):
        super().__init__(f"{', '.join(sorted(tasks))} missed the deadline")
        self.tasks = tasks


class _WatchedDay:
    """A day's tools, until a task among *due* misses its deadline."""

    def __init__(self, day: StagedDay, due: Mapping[str, datetime]):
        self._day, self._due = day, dict(due)

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises DeadlineMissed, and ToolFailed as the tool does."""
        answer = await self._day.call(tool, arguments)
        if tool in HANDING_IN:
            self._due.pop(str(arguments["task"]), None)
        missed = frozenset(task for task, due in self._due.items() if due < answer.time)
        if missed:
            raise DeadlineMissed(missed)
        return answer


async def rehearse(composition: ComposedDay, *, foresight: bool = False) -> Rehearsal | None:
    """Return what `rehearse_in_time` does, or None if the oracle misses a deadline."""
    try:
        return await rehearse_in_time(composition, foresight=foresight)
    except DeadlineMissed:
        return None


async def rehearse_in_time(composition: ComposedDay, *, foresight: bool = False) -> Rehearsal:
    """Let the oracle work the tasks of the best plan.

    With *foresight* it knows when each task changes for the last time. Raises DeadlineMissed at the
    first deadline that it misses.
    """
    oracle = await Oracle.for_day(composition)
    due = {task.id: task.deadline for task in composition.worthwhile_tasks}
    day = await stage_day(composition)
    async with day.world:
        outline = oracle.outline
        if foresight:
            outline = replace(outline, settled=last_changes(composition))
        worker = make_worker(_WatchedDay(day, due), day.costs, oracle.works, outline)
        errors = await worker.run()

        def publications(tx: Transaction) -> dict[str, datetime | None]:
            return {task.id: Desk(tx).published_at(task.id) for task in composition.tasks}

        def submissions(tx: Transaction) -> dict[str, datetime | None]:
            return {task.id: Desk(tx).submitted_at(task.id) for task in composition.tasks}

        came, handed_in = await day.world.read(publications), await day.world.read(submissions)
        grade = await grade_staged(day.world, composition)
        full = not errors and grade.success and grade.score == 1
        return Rehearsal(full, came, handed_in, _last_acts(day, worker))


def _last_acts(day: StagedDay, worker: Planner) -> dict[str, datetime]:
    """Return when the *worker* last did more than look for each task (by id)."""
    starts = day.composition.day.starts
    return {
        task.id: max(
            (act.until for act in worker.acts_for(task.id) if not _only_looks(day, act.tool)),
            default=starts,
        )
        for task in day.composition.worthwhile_tasks
    }


def _only_looks(day: StagedDay, tool: str) -> bool:
    return day.seat.tools[tool].read_only


async def fails(agent: type[InOrder], composition: ComposedDay) -> bool:
    """Return whether *agent* misses a deadline of the day, or does not do everything right."""
    worker = await agent.for_day(composition)
    day = await stage_day(composition)
    async with day.world:
        due = {task.id: task.deadline for task in composition.worthwhile_tasks}
        try:
            await worker.work_with(_WatchedDay(day, due), day.costs)
        except DeadlineMissed:
            return True
        return not (await grade_staged(day.world, composition)).success
