"""Scenes and days of the event planning family, and its worked example."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import JsonValue

from tests.meta_tasks.days import hand_in, staged
from trainee_bench.harness.testbench.staged_day import StagedDay, output_texts
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.families.event_planning import EventPlanning
from trainee_bench.meta_tasks.families.event_planning.deliverables import EventTruth
from trainee_bench.meta_tasks.families.event_planning.subject import Road, Stop, Town
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scenario import NO_VARIATION, DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import Modality
from trainee_bench.world.apps.files import PictureAppears
from trainee_bench.world.pictures.road_map import RoadMap

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
    variation: Variation = NO_VARIATION,
    **parameters: JsonValue,
) -> ComposedDay:
    """A day with one task of this level; roads as a table, which is quicker to read."""
    spec = TaskSpec(rule=f"event_planning.{level}", parameters=parameters)
    scenario = Scenario(
        name="event",
        seed=seed,
        company_size=size,
        modality=modality,
        days=(DaySpec(tasks=(spec,)),),
    )
    return compose_day(scenario, 0, variation)


def scene_of(level: str, seed: int, **parameters: JsonValue) -> TaskInstance[EventTruth]:
    return day_of(level, seed, **parameters).tasks[0].instance


def text_at(instance: TaskInstance[EventTruth], name: str) -> str:
    """The text of the staged file whose path contains *name*."""
    (text,) = (e.event.text for e in instance.hidden.events if name in getattr(e.event, "path", ""))
    return str(text)


def map_of(instance: TaskInstance[EventTruth]) -> RoadMap:
    (drawn,) = (
        e.event.drawing for e in instance.hidden.events if isinstance(e.event, PictureAppears)
    )
    assert isinstance(drawn, RoadMap)
    return drawn


@asynccontextmanager
async def solved(composition: ComposedDay) -> AsyncIterator[StagedDay]:
    """The day after honest work."""
    async with staged(composition) as day:
        assert await day.work() == {}
        yield day


async def handed_in(day: StagedDay) -> dict[str, JsonValue]:
    (text,) = await day.world.read(lambda tx: output_texts(tx, day.composition))
    sheet: dict[str, JsonValue] = json.loads(text)
    return sheet


async def missed(day: StagedDay, **changes: JsonValue) -> set[str]:
    """The checkpoints that fall when the right sheet is handed in with these *changes*."""
    sheet = await handed_in(day) | changes
    copy = await day.fork()
    async with copy.world:
        return {name for name, holds in (await hand_in(copy, sheet)).items() if not holds}
