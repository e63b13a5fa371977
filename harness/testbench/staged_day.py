"""A staged day in this process: the same tools, called without a transport.

It is for certificates and tests, which work thousands of days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.testbench.work_plan import (
    honest_works,
    outline_of,
    without_submitted,
    work_tasks,
)
from trainee_bench.harness.testbench.workbook_files import sheets_as_json
from trainee_bench.mcp_servers import default_toolboxes, names_with
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade, grade_tasks
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.offices.opened import office_of
from trainee_bench.meta_tasks.scenario import (
    NO_VARIATION,
    DaySpec,
    Scenario,
    TaskSpec,
    Variation,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit
from trainee_bench.meta_tasks.work.need import TaskWork
from trainee_bench.meta_tasks.working_days import WORKING_WEEK
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.files import Files
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.filesystem.store import FileInfo
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.week import END_DAY, NEXT_DAY
from trainee_bench.world.workbook.model import parse_workbook
from trainee_bench.world.world import ActionResult, World

Key = TypeVar("Key")
Cached = TypeVar("Cached")
_ANSWERS: dict[str, tuple[str, ...]] = {}
_CACHE_SIZE = 64
"""The number of right answers that are cached: cheats share their other seeds."""
PASSING_DAYS = (END_DAY, NEXT_DAY)
"""The actions of a log between two days of a week, which nobody calls as tools."""
NO_REPLACEMENTS: Mapping[str, TaskWork] = {}


@dataclass(frozen=True)
class StagedDay:
    """A staged day: its composition, its world, and the dispatcher of the employee's tools."""

    composition: ComposedDay
    world: World
    seat: ToolDispatcher

    @property
    def costs(self) -> dict[str, int]:
        """Return the minutes that a call of each tool costs."""
        costs = {name: tool.minutes for name, tool in self.seat.tools.items()}
        return costs | self.composition.scenario_day.scenario.minutes

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""
        done = await self.seat.call(tool, arguments)
        if done.result is None:
            raise ToolFailed(str(done.error), done.now, done.notices)
        shown = done.result.picture
        data, picture = done.result.data.model_dump(mode="json"), shown.data if shown else None
        return ToolResponse(done.result.text, data, done.now, picture, done.notices)

    async def observe(
        self, tool: str, arguments: Mapping[str, JsonValue]
    ) -> ActionResult[BaseModel]:
        """Call a tool, or make the world perform one of its own actions (see `PASSING_DAYS`).

        Returns the world's own result or error.
        """
        own = {END_DAY: self.world.end_day, NEXT_DAY: self.world.begin_next_day}
        return await (own[tool]() if tool in own else self.seat.call(tool, arguments))

    async def work(
        self,
        instead: Mapping[str, TaskWork] = NO_REPLACEMENTS,
        habits: Sequence[Habit] | None = None,
        tools: ToolCaller | None = None,
    ) -> dict[str, Exception]:
        """Let a careful worker do all tasks that are worth doing; return errors by task id.

        Tasks named in *instead* are done by the work given for their ids. *habits* may differ from
        a careful worker's, *tools* from the day's. In a week a new worker begins each morning.
        """
        errors: dict[str, Exception] = {}
        for place in range(len(self.composition.days)):
            if place:
                await self.world.begin_next_day()
            today = self.composition.on_day(place)
            replaced = {task.id: instead[task.id] for task in today.tasks if task.id in instead}
            works = await without_submitted(self, {**honest_works(today), **replaced}, today)
            caller, outline = tools or self, outline_of(today)
            errors |= await work_tasks(caller, self.costs, works, outline, habits)
        return errors

    async def grades(self) -> list[TaskGrade]:
        """Return the grades of all tasks in the world's present state."""
        day = self.composition
        return await self.world.read(lambda tx: grade_tasks(tx, day, day.tasks))

    async def put(self, path: str, content: FileContent) -> None:
        """Write a file as the employee: a text through its tool, other kinds directly."""
        if content.kind is FileKind.TEXT:
            await self.call("files_write", {"path": path, "text": content.data.decode()})
            return

        def verb(tx: Transaction) -> Result[FileInfo]:
            return Result("", Files(tx).put(path, content))

        await self.world.execute(self.seat.person, "put", {}, verb)

    async def fork(self) -> StagedDay:
        """Return the same day in a copy of its world."""
        return open_staged_day(self.composition, await self.world.fork())


def contents(tx: Transaction, composition: ComposedDay) -> tuple[FileContent, ...]:
    """Return the contents of all deliverables of the day, in order; "" for a missing one."""
    files, missing = Files(tx), FileContent(kind=FileKind.TEXT, data=b"")
    return tuple(
        files.content(path) if files.exists(path) else missing
        for path in composition.deliverable_paths
    )


def output_texts(tx: Transaction, composition: ComposedDay) -> tuple[str, ...]:
    """Return the deliverables as texts: sheets of a workbook as JSON, other binary files as a
    hash."""
    return tuple(map(readable, contents(tx, composition)))


def readable(content: FileContent) -> str:
    """Return a text that identifies the content of a file."""
    if content.kind is FileKind.TEXT:
        return content.data.decode()
    if content.kind is FileKind.WORKBOOK:
        return sheets_as_json(parse_workbook(content.data.decode()))
    return content.sha256


def open_staged_day(composition: ComposedDay, world: World) -> StagedDay:
    """Return the staged day of *world*, which was staged from *composition*.

    It has only the default apps, with the opt-in tools that its scenario names: every rule must be
    solvable with those.
    """
    named = composition.scenario_day.scenario.tools or ()
    boxes = default_toolboxes(composition.tool_variants, named).values()
    seat = ToolDispatcher(world, composition.company.trainee.id, boxes)
    return StagedDay(composition, world, seat)


async def stage_day(composition: ComposedDay) -> StagedDay:
    """Stage *composition* in a new inline world in memory."""
    world = await World.create_inline(composition.world_config(), composition.populate)
    return open_staged_day(composition, world)


def single_task_day(rule: str, seed: int, variation: Variation = NO_VARIATION) -> ComposedDay:
    """Compose a day with one task of *rule*, or a week if the task takes one.

    If something happens on an earlier day than the task, it comes on the third day.
    """
    known = catalog.find_rule(rule)
    days = [DaySpec(tasks=(TaskSpec(rule=known.id),))]
    week = known.meta_task.family_class.whole_week
    if week:
        days += [DaySpec(tasks=()) for _ in range(1, WORKING_WEEK)]
    elif any(found.several_days for found in known.meta_task.complications):
        days, week = [DaySpec(tasks=()), DaySpec(tasks=()), *days], True
    office = office_of(known.meta_task.family_class)
    scenario = Scenario(
        name=known.id,
        seed=seed,
        days=tuple(days),
        week=week,
        office=office,
        tools=names_with(catalog.needed_tools([known.id])),
    )
    return composed(scenario, 0, variation)


async def oracle_log(composition: ComposedDay) -> list[LogEntry]:
    """Return the actions with which an honest worker does the day, staged for this purpose."""
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        return await day.world.log()


async def oracle_outputs(composition: ComposedDay) -> tuple[str, ...]:
    """Return the texts of all deliverables after honest work; the latest results are cached."""
    key = composition.scenario_day.model_dump_json()
    if key not in _ANSWERS:
        cache_latest(_ANSWERS, key, await _solve(composition))
    return _ANSWERS[key]


def cache_latest(where: dict[Key, Cached], key: Key, value: Cached) -> None:
    """Cache *value* in *where*, and drop all but the latest values."""
    while len(where) >= _CACHE_SIZE:
        del where[next(iter(where))]
    where[key] = value


async def _solve(composition: ComposedDay) -> tuple[str, ...]:
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        return await day.world.read(partial(output_texts, composition=composition))
