"""The ladder's worlds: so many tasks over as many days as that takes, and much that is of other
days."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.quick_round import quick_only
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.ladder_draft import (
    DUTIES_A_WEEK,
    TASKS_A_DAY,
    Kind,
    draw_ladder_world,
)
from trainee_bench.harness.generation.ladder_worlds import (
    RUNGS,
    depends_on_other_days,
    make_ladder_world,
)
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import TaskNotComposed
from trainee_bench.world.random_streams import random_stream

LONG = 16
SHIPPED = load_shipped_benchmark("ladder-core").scenarios
SEVERAL = [world for world in SHIPPED if len(world.days) > 1]


def size(world: Scenario) -> int:
    """Return the number of tasks of *world*."""
    return sum(len(day.tasks) for day in world.days)


def drawn(tasks: int, seed: int = 1, salt: str = "") -> Scenario:
    return draw_ladder_world(tasks, seed, salt, random_stream("test", tasks, seed, salt))


@pytest.mark.parametrize("tasks", quick_only({1, 8, 16, 64}, RUNGS))
def test_a_rung_has_eight_tasks_a_day_and_duties_in_its_full_weeks(tasks: int) -> None:
    world = drawn(tasks)
    assert [len(day.tasks) for day in world.days] == [
        min(TASKS_A_DAY, tasks) for _ in range(max(1, tasks // TASKS_A_DAY))
    ]
    assert world.week == (tasks > TASKS_A_DAY) and world.arrival is Arrival.STREAMED
    duties = [sum(Kind.of(task.rule) is Kind.DUTY for task in day.tasks) for day in world.days]
    weeks = len(world.days) // 5
    assert sum(duties) == DUTIES_A_WEEK * weeks == sum(duties[place * 5] for place in range(weeks))


@pytest.mark.parametrize("tasks", [16, 32, 64])
def test_more_than_a_third_of_a_drawn_world_is_of_another_day(tasks: int) -> None:
    kinds = Counter(Kind.of(task.rule) for day in drawn(tasks).days for task in day.tasks)
    assert tasks - kinds[Kind.ORDINARY] >= tasks / 3
    assert kinds[Kind.TOLD_ANEW] or tasks == 16


@pytest.mark.parametrize("world", SEVERAL, ids=lambda world: world.name)
def test_no_rule_comes_twice_on_a_day_and_nothing_is_told_on_the_first(world: Scenario) -> None:
    for day in world.days:
        assert len({task.rule.partition("+")[0] for task in day.tasks}) == len(day.tasks)
    assert not any(Kind.of(task.rule).complication for task in world.days[0].tasks)


def test_the_same_arguments_make_the_same_world_and_a_salt_another() -> None:
    assert drawn(16) == drawn(16)
    assert drawn(16, seed=2).seed != drawn(16).seed
    salted = drawn(16, salt="0" * 32)
    assert salted.salt and salted.salt != drawn(16, salt="1" * 32).salt


async def test_the_ladder_has_no_other_rungs() -> None:
    with pytest.raises(ValueError, match="no rung of 3 tasks; choose one of"):
        await make_ladder_world(3, 1)


async def test_a_made_world_is_worked_in_full_by_the_oracle() -> None:
    world = await make_ladder_world(2, 1)
    assert world == await make_ladder_world(2, 1)
    assert (await run_in_process("oracle", compose_day(world))).grade.success


def test_a_task_that_cannot_be_composed_is_named() -> None:
    early = TaskSpec(rule="sales.top_sales_employee+told_before", name="early")
    with pytest.raises(TaskNotComposed) as raised:
        compose_day(Scenario(name="x", days=(DaySpec(tasks=(early,)),)))
    assert (raised.value.name, raised.value.rule) == ("early", early.rule)


# the shipped rungs ------------------------------------------------------------------------------


def test_each_shipped_rung_has_several_seeds() -> None:
    counts = Counter(map(size, SHIPPED))
    assert tuple(sorted(counts)) == RUNGS[: len(counts)] and LONG in counts
    assert min(counts.values()) >= 2


LONG_WORLDS = [
    pytest.param(world, marks=() if size(world) == LONG else pytest.mark.sweep, id=world.name)
    for world in SEVERAL
]


@pytest.mark.parametrize("world", LONG_WORLDS)
def test_a_third_of_a_shipped_world_depends_on_another_day_and_nothing_collides(
    world: Scenario,
) -> None:
    composition = compose_day(world)
    assert len(depends_on_other_days(composition)) >= size(world) / 3
    paths = composition.deliverable_paths
    assert len({*paths}) == len(paths)
    notes = [
        task.instance.told.objective.partition("under the reference")[2]
        for task in composition.tasks
    ]
    references = [note.split()[0] for note in notes if note]
    assert references and len({*references}) == len(references)


def test_some_tasks_of_the_shipped_worlds_are_due_on_a_later_day() -> None:
    tasks = [task for world in SEVERAL for day in world.days for task in day.tasks]
    assert any(task.due_day is not None for task in tasks)


FIRST = {world.name for tasks in RUNGS for world in [w for w in SHIPPED if size(w) == tasks][:1]}
WORKED = [
    pytest.param(
        world,
        id=world.name,
        marks=() if world.name in FIRST and size(world) <= LONG else pytest.mark.sweep,
    )
    for world in SHIPPED
]


@pytest.mark.parametrize("world", WORKED)
@pytest.mark.timeout(300)
async def test_the_oracle_works_a_shipped_world_in_full(world: Scenario) -> None:
    done = await run_in_process("oracle", compose_day(world))
    assert done.grade.success and done.grade.score == 1


@pytest.mark.parametrize("world", LONG_WORLDS)
@pytest.mark.timeout(300)
async def test_without_notes_a_shipped_world_of_several_days_falls_to_seven_tenths(
    world: Scenario,
) -> None:
    forgot = await run_in_process("oracle_without_notes", compose_day(world))
    assert (forgot.grade.score or 0) <= 0.7


@pytest.mark.parametrize("world", WORKED)
@pytest.mark.parametrize("cheat", ["nothing", "sprayer"])
@pytest.mark.timeout(300)
async def test_no_cheat_completes_a_task_of_a_shipped_world(world: Scenario, cheat: str) -> None:
    done = await run_in_process(cheat, compose_day(world))
    assert not any(task.success for task in done.grade.tasks)
