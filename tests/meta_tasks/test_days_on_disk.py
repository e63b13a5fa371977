"""Every kind of day can be kept in a folder, and comes back equal: agents are shown the same."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import pytest

from tests.corpus.frozen import FROZEN, recorded_digests
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.complications import complications_of, discover_complications
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.kept_results import keep_results

SEEDS = range(8)
BY_FAMILY = {rule.meta_task.family_class.family: id for id, rule in all_rules().items()}


def first_day(complication: str) -> ComposedDay:
    """The first day that can be composed with *complication*, over all rules."""
    fitting = [
        id
        for id, rule in all_rules().items()
        if complication in complications_of(rule.meta_task.family_class)
    ]
    for seed, rule in product(SEEDS, fitting):
        try:
            return single_task_day(f"{rule}+{complication}", seed)
        except CompositionError:
            continue
    raise AssertionError(f"no day can be composed with {complication}")


def comes_back(day: ComposedDay) -> bool:
    """Whether *day* is equal after it was kept."""
    return bool(pickle.loads(pickle.dumps(day, pickle.HIGHEST_PROTOCOL)) == day)


@pytest.mark.parametrize("rule", BY_FAMILY.values())
def test_a_day_of_each_family_comes_back_equal(rule: str) -> None:
    assert comes_back(single_task_day(rule, 0))


@pytest.mark.parametrize("complication", discover_complications())
def test_a_day_with_each_complication_comes_back_equal(complication: str) -> None:
    assert comes_back(first_day(complication))


@pytest.mark.parametrize("name", FROZEN)
def test_a_frozen_day_from_the_folder_is_staged_as_ever(name: str, tmp_path: Path) -> None:
    scenario = load_shipped_benchmark(name).scenarios[0]
    then, key = recorded_digests(), f"{scenario.name}/{scenario.days[0].name}"
    try:
        for _ in range(2):  # the first time it is written, the second time read
            keep_results(folder=tmp_path)
            day = Day.of(composed(scenario))
            assert len(list(tmp_path.glob("day-*"))) == 1
            day.reset()
            shown = day.frozen_digests()
            assert shown.world == then.digests[name][key]
            assert shown.prompts == then.prompts[name][key]
            day.close()
    finally:
        keep_results()
