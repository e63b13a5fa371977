"""What an agent is told: who it is, how work is done, and its tasks as they stand on the desk."""

from __future__ import annotations

from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_people_prompt, build_prompt
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.office import BEGIN_HINT
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.apps.desk import Desk

SCENARIO = load_shipped_benchmark().scenarios[0]


async def test_it_says_who_when_how_and_every_task_word_for_word() -> None:
    day = await stage_day(compose_day(SCENARIO))
    async with day.world:
        said = await day.world.read(
            lambda tx: build_prompt(tx, EpisodeLimits(steps=77, calls_per_turn=2))
        )
        tasks = await day.world.read(lambda tx: Desk(tx).tasks())
    trainee = day.composition.company.trainee
    assert said.startswith(f"You are {trainee.name}, ")
    assert "Wednesday, 2025-10-01 08:00" in said
    assert BEGIN_HINT in said
    assert "up to 2 calls" in said and "77 turns" in said
    assert len(tasks) == 3
    for task in tasks:
        assert f"{task.id}: {task.title} (due {task.deadline:%H:%M})\n{task.objective}" in said


async def test_people_are_told_the_same_in_words_for_people() -> None:
    day = await stage_day(compose_day(SCENARIO))
    async with day.world:
        said = await day.world.read(lambda tx: build_people_prompt(tx, EpisodeLimits(steps=77)))
        tasks = await day.world.read(lambda tx: Desk(tx).tasks())
    assert said.startswith(f"You are {day.composition.company.trainee.name}, ")
    assert "you have 77 of them today" in said
    for task in tasks:
        assert f"{task.id}: {task.title} (due {task.deadline:%H:%M})\n{task.objective}" in said
    rules = said.partition("Your tasks:")[0]
    for word in ("desk_", "tool", "turn", "call"):
        assert word not in rules, word


async def test_tasks_that_come_in_later_are_not_told_before() -> None:
    streamed = SCENARIO.model_validate({**SCENARIO.model_dump(), "arrival": "streamed"})
    composition = compose_day(streamed)
    later = [task for task in composition.tasks if task.arrives > composition.day.starts]
    assert later
    day = await stage_day(composition)
    async with day.world:
        said = await day.world.read(lambda tx: build_prompt(tx, EpisodeLimits()))
    assert not any(task.instance.told.objective in said for task in later)
