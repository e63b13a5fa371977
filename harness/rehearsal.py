"""A day worked by one of our agents without any transport, and graded as of its deadlines.

What generating, certifying and freezing scenarios look at.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from harness.agents import Recruit
from harness.agents.oracle import OracleFailed
from harness.doors import SeatDoor
from harness.in_process import Workday, remember, stage_day
from harness.prompt import prompt
from harness.workplace import Limits, Workplace
from mcp_servers.verifier import DayGrade, grade_world
from meta_tasks.composition import Composition
from world.apps.desk import Desk
from world.log import Entry
from world.turn import Turn

_WAITING = "desk_wait"


@dataclass(frozen=True)
class Rehearsal:
    """What came of a day: the grade, when each task was handed in last (if at all), the
    simulated time spent with work and not with waiting, and the actions."""

    grade: DayGrade
    handed_in: Mapping[str, datetime | None]
    busy: timedelta
    log: tuple[Entry, ...]


async def work(agent: str, day: Workday) -> Workplace:
    """Let *agent* work the staged *day* to its end, whatever it raises by itself."""
    recruit = Recruit.called(agent)
    limits = Limits(steps=recruit.steps or Limits().steps)
    said = await day.world.look(lambda turn: prompt(turn, limits))
    door = SeatDoor(day.seat)
    scenario = day.composition.resolved.scenario
    office = Workplace(door, door.tools(scenario.minutes), said, day.composition.day, limits)
    with office.scope:
        await recruit.work(office, day.composition)
    if office.fault is not None:
        raise office.fault
    return office


_GRADES: dict[tuple[str, str], DayGrade] = {}


async def grade_of(agent: str, composition: Composition) -> DayGrade:
    """What *agent* earns on the day; the latest are remembered, for certificates ask for the
    same ones again and again."""
    key = (agent, composition.resolved.model_dump_json())
    if key not in _GRADES:
        remember(_GRADES, key, (await rehearse(agent, composition)).grade)
    return _GRADES[key]


async def rehearse(agent: str, composition: Composition) -> Rehearsal:
    """Stage the day anew, let *agent* work it, and grade it.

    What the agent raises is its own affair: the day is graded as the world stands.
    """
    day = await stage_day(composition)
    async with day.world:
        with contextlib.suppress(OracleFailed):
            await work(agent, day)
        log = tuple(await day.world.log())
        busy = sum((entry.until - entry.at for entry in log if entry.tool != _WAITING), timedelta())

        def submissions(turn: Turn) -> dict[str, datetime | None]:
            return {task.id: Desk(turn).submitted(task.id) for task in composition.tasks}

        handed_in = await day.world.look(submissions)
        return Rehearsal(await grade_world(day.world), handed_in, busy, log)
