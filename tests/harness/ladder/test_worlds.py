"""Worlds of a climb: each has its own seed, and is the one that the climb's seed gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed
from trainee_bench.harness.ladder.climb import size_flaw, world_flaw
from trainee_bench.harness.ladder.worlds import BenchmarkWorlds, GeneratedWorlds, task_count
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import Modality

SALT = "0" * 31 + "1"


def world(tasks: int, seed: int, name: str = "") -> Scenario:
    specs = tuple(TaskSpec(rule="kb_fix.easy") for _ in range(tasks))
    return Scenario(name=name or f"w-{tasks}-{seed}", seed=seed, days=(DaySpec(tasks=specs),))


async def make(tasks: int, seed: int, salt: str) -> Scenario:
    return world(tasks, seed).model_copy(update={"salt": salt})


def generated(climb: Climb) -> GeneratedWorlds:
    return GeneratedWorlds(climb, make, (1, 2, 4))


def climb_plan(scenarios: Sequence[Scenario], rounds: tuple[int, ...]) -> RunPlan:
    climb = Climb(rounds=rounds)
    return RunPlan(benchmark="ladder", scenarios=tuple(scenarios), agents=("nothing",), climb=climb)


async def test_every_world_of_every_climb_has_a_seed_of_its_own() -> None:
    seeds = [
        scenario.seed
        for seed in (0, 1, 7)
        for scenario in await generated(Climb(seed=seed)).take([1, 2, 1, 4], ())
    ]
    assert len(set(seeds)) == len(seeds)


def test_no_world_of_a_climb_is_one_of_ladder_core() -> None:
    shipped = load_shipped_benchmark("ladder-core").scenarios
    seeds = [int(scenario.name.rpartition("-")[2]) for scenario in shipped]
    assert Climb(seed=0).world_seed(0) > max(seeds)


async def test_the_next_round_goes_on_where_the_last_one_ended() -> None:
    source = generated(Climb(salt=SALT))
    whole = await source.take([1, 2, 4, 1], ())
    first = await source.take([1, 2], ())
    assert [*first, *await source.take([4, 1], first)] == whole
    assert {scenario.salt for scenario in whole} == {SALT}


async def test_a_seed_that_gives_no_world_is_replaced_and_three_are_an_error() -> None:
    tried: list[int] = []

    async def seldom(tasks: int, seed: int, salt: str) -> Scenario:
        tried.append(seed)
        if tasks == 4 or len(tried) == 1:
            raise ScenarioGenerationFailed("no draft is usable")
        return await make(tasks, seed, salt)

    source = GeneratedWorlds(Climb(), seldom, (1, 2, 4))
    (made,) = await source.take([1], ())
    assert made.seed == tried[1] != tried[0]
    with pytest.raises(PlanError, match="World 1 of the climb cannot be made: no draft"):
        await source.take([4], ())


async def test_worlds_of_a_benchmark_are_taken_once_and_shown_as_the_climb_asks() -> None:
    scenarios = (world(1, 0, "a"), world(2, 0, "b"), world(1, 1, "c"))
    climb = Climb(benchmark="mine", modality=Modality.TABLES)
    source = BenchmarkWorlds(climb, LoadedBenchmark("mine", scenarios))
    assert source.available(()) == {1: 2, 2: 1}
    taken = await source.take([1, 1], ())
    assert [scenario.name for scenario in taken] == ["a", "c"]
    assert {scenario.modality for scenario in taken} == {Modality.TABLES}
    assert source.available(taken) == {2: 1}


def test_a_benchmark_whose_scenarios_are_several_worlds_is_refused() -> None:
    days = (DaySpec(name="a", tasks=world(1, 0).days[0].tasks), DaySpec(name="b", tasks=()))
    two = Scenario(name="two", days=days)
    with pytest.raises(PlanError, match="two has several days"):
        BenchmarkWorlds(Climb(benchmark="mine"), LoadedBenchmark("mine", (two,)))


async def test_an_easier_world_of_the_same_size_is_found_out() -> None:
    climb = Climb(rounds=(2,))
    source = generated(climb)
    worlds = await source.take([1, 2], ())
    assert await world_flaw(climb_plan(worlds, (2,)), source) is None
    easier = [worlds[0], world(2, 99)]
    assert await world_flaw(climb_plan(easier, (2,)), source) == (
        "world 2 is not the one that the climb's seed gives"
    )


def test_a_round_that_nothing_was_known_for_is_found_out() -> None:
    plan = climb_plan([world(1, 0), world(2, 1), world(4, 2)], (2, 1))
    source = generated(Climb())
    assert "before every world" in (size_flaw(plan, source, []) or "")
    assert "its plan has 3" in (size_flaw(climb_plan(plan.scenarios, (2,)), source, []) or "")
    assert size_flaw(climb_plan(plan.scenarios, (3,)), source, []) is None


def test_the_size_of_a_world_counts_the_tasks_of_all_its_days() -> None:
    days = tuple(DaySpec(name=str(n), tasks=world(n, 0).days[0].tasks) for n in (1, 2))
    assert task_count(Scenario(name="week", days=days, week=True)) == 3
