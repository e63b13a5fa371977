"""Scenes and days of the event planning family, and its worked example."""

from __future__ import annotations

import json

from pydantic import JsonValue

from harness.in_process import Workday, outputs, stage_day
from meta_tasks.composition import Composition, compose
from meta_tasks.families.event_planning import EventPlanning
from meta_tasks.families.event_planning.outing import Outing
from meta_tasks.families.event_planning.town import Road, Stop, Town
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.scenario import PLAIN, DaySpec, Scenario, TaskSpec, Variation
from meta_tasks.stage import Modality

RULES = [rule.id for rule in EventPlanning.rules()]
LEVELS = [rule.removeprefix("event_planning.") for rule in RULES]

# The worked example: three places, two restaurants, all figures calculated by hand.
#
#     2 --4.1-- 3 --2.3-- 1 --5.0-- 0 --8.3-- 4 --1.0-- 5
#
TOWN = Town(
    places=(
        Stop(1, "Larkspur Maze", 400, (16, 20, 25)),
        Stop(2, "Dunmore Castle", 350, (0, 0, 0)),
        Stop(5, "Eastcliff Caverns", 390, (30, 30, 30)),
    ),
    restaurants=(
        Stop(3, "Walnut Bistro", 420, (50, 50, 50)),
        Stop(4, "Juno Grill", 460, (70, 70, 70)),
    ),
    roads=(Road(0, 1, 50), Road(1, 3, 23), Road(3, 2, 41), Road(0, 4, 83), Road(4, 5, 10)),
)


def day_of(
    level: str,
    seed: int,
    *,
    modality: Modality = Modality.TABLES,
    size: int = 50,
    variation: Variation = PLAIN,
    **parameters: JsonValue,
) -> Composition:
    """A day with one task of this level; roads as a table, which is quicker to read."""
    spec = TaskSpec(rule=f"event_planning.{level}", parameters=parameters)
    scenario = Scenario(
        name="event",
        seed=seed,
        company_size=size,
        modality=modality,
        days=(DaySpec(tasks=(spec,)),),
    )
    return compose(scenario, 0, variation)


def scene_of(level: str, seed: int, **parameters: JsonValue) -> Scene[Outing]:
    return day_of(level, seed, **parameters).tasks[0].scene


def text_at(scene: Scene[Outing], name: str) -> str:
    """The text of the staged file whose path contains *name*."""
    (text,) = (e.event.text for e in scene.events if name in getattr(e.event, "path", ""))
    return str(text)


async def solved(composition: Composition) -> Workday:
    """The day after the oracle's work."""
    day = await stage_day(composition)
    assert await day.run_oracles() == {}
    return day


async def handed_in(day: Workday) -> dict[str, JsonValue]:
    (text,) = await day.world.look(lambda turn: outputs(turn, day.composition))
    sheet: dict[str, JsonValue] = json.loads(text)
    return sheet


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def missed(day: Workday, **changes: JsonValue) -> set[str]:
    """The checkpoints that fall when the right sheet is handed in with these *changes*."""
    sheet = await handed_in(day) | changes
    copy = await day.fork()
    async with copy.world:
        (path,) = day.composition.outputs
        await copy.call("files_write", {"path": path, "text": json.dumps(sheet)})
        return {check.name for check in (await graded(copy)).checkpoints if not check.passed}
