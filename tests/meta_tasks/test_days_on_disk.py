"""Every kind of day can be kept in a folder, and comes back equal."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.complications import complications_of, discover_complications
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.meta_tasks.task_context import CompositionError

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
