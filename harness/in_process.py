"""Working a day without any transport: the same tools, called directly.

For certificates and tests, where thousands of days are worked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from harness.scheduler import run_oracles
from mcp_servers import usual
from mcp_servers.serving.seat import Seat
from meta_tasks import catalog
from meta_tasks.composition import Composition, compose
from meta_tasks.grade import TaskGrade, grade_task
from meta_tasks.hands import Answer, ToolFailed, Work
from meta_tasks.scenario import PLAIN, DaySpec, Scenario, TaskSpec, Variation
from world.apps.files import Files
from world.turn import Turn
from world.world import Done, World

Key = TypeVar("Key")
Found = TypeVar("Found")
_SINGLE: dict[tuple[str, object, int, str], Composition] = {}
_ANSWERS: dict[str, tuple[str, ...]] = {}
_REMEMBERED = 64
"""Days that are kept, and their right answers: the other seeds of one cheat are soon another's."""
NOBODY: Mapping[str, Work] = {}


@dataclass(frozen=True)
class Workday:
    """A staged day at hand: its composition, its world, the employee's seat."""

    composition: Composition
    world: World
    seat: Seat

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> Answer:
        """Call a tool. Raises ToolFailed with the tool's words."""
        done = await self.seat.call(tool, arguments)
        if done.result is None:
            raise ToolFailed(str(done.error), done.now)
        shown = done.result.picture
        data = done.result.data.model_dump(mode="json")
        return Answer(done.result.text, data, done.now, shown.data if shown else None)

    async def observe(self, tool: str, arguments: Mapping[str, JsonValue]) -> Done[BaseModel]:
        """Call a tool; its result or error as the world gives it."""
        return await self.seat.call(tool, arguments)

    async def run_oracles(self, instead: Mapping[str, Work] = NOBODY) -> dict[str, Exception]:
        """Let the oracles of all tasks work, or *instead* of some (by id) another; what went
        wrong, by task."""
        costs = {name: tool.minutes for name, tool in self.seat.tools.items()}
        costs |= self.composition.resolved.scenario.minutes
        work = {task.id: type(task.meta_task).oracle for task in self.composition.tasks}
        return await run_oracles(self, costs, work | dict(instead))

    async def grades(self) -> list[TaskGrade]:
        """The grades of all tasks as the world stands now."""

        def see(turn: Turn) -> list[TaskGrade]:
            return [grade_task(turn, self.composition, task) for task in self.composition.tasks]

        return await self.world.look(see)

    async def fork(self) -> Workday:
        """The same day in a copy of its world."""
        return at_seat(self.composition, await self.world.fork())


def outputs(turn: Turn, composition: Composition) -> tuple[str, ...]:
    """The texts of all files the day's tasks ask for, in order; "" for a missing one."""
    files = Files(turn)
    return tuple(files.text(path) if files.exists(path) else "" for path in composition.outputs)


def at_seat(composition: Composition, world: World) -> Workday:
    """The workday of *world*, which was staged from *composition*.

    It has no app that a day must name: every rule has to be solvable without those.
    """
    seat = Seat(world, composition.company.trainee.id, usual().values())
    return Workday(composition, world, seat)


async def stage_day(composition: Composition) -> Workday:
    """A new world in memory, staged from *composition*."""
    world = await World.create(None, composition.opening(), composition.stage)
    return at_seat(composition, world)


def single_task(rule: str, seed: int, variation: Variation = PLAIN) -> Composition:
    """A day with nothing but one task of *rule*; the latest are remembered."""
    known = catalog.rules().get(rule)
    key = (rule, type(known.meta_task) if known else None, seed, variation.model_dump_json())
    if key not in _SINGLE:
        scenario = Scenario(name=rule, seed=seed, days=(DaySpec(tasks=(TaskSpec(rule=rule),)),))
        remember(_SINGLE, key, compose(scenario, 0, variation))
    return _SINGLE[key]


async def right_answers(composition: Composition) -> tuple[str, ...]:
    """The texts of all outputs of the day after the oracles' work; the latest are remembered."""
    key = composition.resolved.model_dump_json()
    if key not in _ANSWERS:
        remember(_ANSWERS, key, await _worked_out(composition))
    return _ANSWERS[key]


def remember(where: dict[Key, Found], key: Key, found: Found) -> None:
    """Keep what was *found*, and of all only the latest."""
    while len(where) >= _REMEMBERED:
        del where[next(iter(where))]
    where[key] = found


async def _worked_out(composition: Composition) -> tuple[str, ...]:
    day = await stage_day(composition)
    async with day.world:
        await day.run_oracles()
        return await day.world.look(partial(outputs, composition=composition))
