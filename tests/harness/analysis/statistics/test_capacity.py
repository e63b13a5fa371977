"""Capacity: the fit agrees with its formulas, and its interval covers the truth."""

from __future__ import annotations

from math import exp, expm1, log

import pytest

from benchmarks.ladder_coverage import Worker, independent, simulate
from trainee_bench.harness.analysis.statistics.capacity import (
    SLOPE_DEVIATION,
    WorldOutcome,
    fit_capacity,
)
from trainee_bench.harness.analysis.statistics.proportion import wilson_share

SOME = {4: (3, 0), 8: (5, 2), 16: (3, 5), 32: (0, 2)}
"""Complete and incomplete worlds by size."""
BY_CHANCE = {1: (2, 3), 4: (4, 5), 8: (2, 3), 32: (4, 3), 64: (3, 2), 128: (3, 4)}
"""Outcomes that have nothing to do with the size."""


def worlds(counts: dict[int, tuple[int, int]]) -> list[WorldOutcome]:
    return [
        WorldOutcome(tasks, complete)
        for tasks, pair in counts.items()
        for complete, count in zip((True, False), pair, strict=True)
        for _ in range(count)
    ]


def likelihood(capacity: float, log_slope: float, counts: dict[int, tuple[int, int]]) -> float:
    """The penalised log likelihood, written down once more."""
    total = -((log_slope / SLOPE_DEVIATION) ** 2) / 2
    for tasks, (complete, incomplete) in counts.items():
        hazard = log(2) * (tasks / capacity) ** exp(log_slope)
        total += incomplete * log(-expm1(-hazard)) - complete * hazard
    return total


def profile(capacity: float, counts: dict[int, tuple[int, int]]) -> float:
    return max(likelihood(capacity, step / 200, counts) for step in range(-400, 401))


def test_equal_numbers_of_complete_and_incomplete_worlds_of_one_size_give_that_size() -> None:
    capacity = fit_capacity(worlds({8: (6, 6)}))
    assert capacity.estimate == pytest.approx(8, rel=0.002)
    assert capacity.slope == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize("counts", [SOME, BY_CHANCE])
def test_the_interval_ends_where_the_profile_likelihood_has_fallen_by_half_the_quantile(
    counts: dict[int, tuple[int, int]],
) -> None:
    capacity = fit_capacity(worlds(counts))
    assert capacity.estimate is not None and capacity.low is not None
    assert capacity.high is not None
    top = profile(capacity.estimate, counts)
    assert top >= max(profile(capacity.estimate * turn, counts) for turn in (0.97, 1.03))
    for bound in (capacity.low, capacity.high):
        assert 2 * (top - profile(bound, counts)) == pytest.approx(3.8415, abs=0.03)


def test_the_surer_lower_bound_is_that_of_the_quantile_of_99_percent() -> None:
    capacity = fit_capacity(worlds(SOME))
    assert capacity.estimate is not None and capacity.sure_low is not None
    fallen = profile(capacity.estimate, SOME) - profile(capacity.sure_low, SOME)
    assert 2 * fallen == pytest.approx(6.6349, abs=0.03)
    complete = fit_capacity(worlds({8: (3, 0)})).sure_low
    assert complete == pytest.approx(24 * log(2) / -log(0.01))


def test_climbs_that_may_end_above_the_ladder_cover_a_capacity_just_above_its_highest_number() -> (
    None
):
    climbs = simulate(independent(0.01), climbs=60, factor=3.0)
    assert climbs.covers >= 0.9 and climbs.told >= 0.9


def test_the_fitted_chance_is_one_half_at_the_capacity_and_falls_with_the_tasks() -> None:
    capacity = fit_capacity(worlds(SOME))
    assert capacity.estimate is not None
    chances = [capacity.chance(tasks) or 0 for tasks in (1, 4, capacity.estimate, 32, 128)]
    assert chances[2] == pytest.approx(0.5)
    assert chances == sorted(chances, reverse=True)


def test_without_a_failure_there_is_the_lower_bound_of_the_rule_of_three() -> None:
    capacity = fit_capacity(worlds({8: (3, 0)}))
    assert (capacity.estimate, capacity.high) == (None, None)
    assert capacity.low == pytest.approx(24 * log(2) / -log(0.05))
    assert str(capacity) == "at least 5.6"


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({8: (10, 0)}, "at least 8.0"),
        ({1: (1, 0), 64: (1, 0), 128: (5, 0)}, "at least 64"),
        ({64: (4, 0), 128: (30, 1)}, "at least 64"),
    ],
)
def test_no_lower_bound_is_told_that_is_above_the_largest_world_or_the_highest_number(
    counts: dict[int, tuple[int, int]], told: str
) -> None:
    """An agent may complete all of these and no world that is a little larger."""
    assert str(fit_capacity(worlds(counts))) == told


def test_without_a_success_there_is_the_upper_bound_at_which_that_has_a_chance_of_5_percent() -> (
    None
):
    capacity = fit_capacity(worlds({1: (0, 10)}))
    assert (capacity.estimate, capacity.low) == (None, None)
    assert capacity.high is not None
    assert (1 - 2 ** (-1 / capacity.high)) ** 10 == pytest.approx(0.05, rel=0.001)
    assert str(capacity).startswith("at most 0.")


def test_nothing_is_known_without_a_world() -> None:
    capacity = fit_capacity([])
    assert str(capacity) == "unknown"
    assert capacity.factor is None and capacity.chance(4) is None


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({64: (6, 2), 128: (4, 4)}, "at least"),
        ({1: (3, 17)}, "0.3"),
        ({32: (3, 3), 64: (2, 3), 128: (1, 1)}, "or more)"),
        (SOME, "("),
    ],
)
def test_what_is_told_says_no_more_than_the_worlds_do(
    counts: dict[int, tuple[int, int]], told: str
) -> None:
    capacity = fit_capacity(worlds(counts))
    assert told in str(capacity)
    assert capacity.only_lower_bound == ("at least" in str(capacity))


def test_another_complete_world_raises_the_capacity_and_another_incomplete_one_lowers_it() -> None:
    middle = fit_capacity(worlds(SOME)).estimate
    more = fit_capacity([*worlds(SOME), WorldOutcome(16, True)]).estimate
    fewer = fit_capacity([*worlds(SOME), WorldOutcome(16, False)]).estimate
    assert fewer is not None and middle is not None and more is not None
    assert fewer < middle < more


def test_the_order_of_the_worlds_changes_nothing() -> None:
    assert fit_capacity(worlds(SOME)) == fit_capacity(worlds(SOME)[::-1])


@pytest.mark.parametrize("worker", [independent(0.01), independent(0.05), independent(0.20)])
def test_intervals_of_climbs_cover_the_true_capacity_and_are_narrow(worker: Worker) -> None:
    climbs = simulate(worker, climbs=40)
    assert climbs.covers >= 0.9
    assert climbs.told >= 0.9
    assert climbs.factor <= 3


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    share = wilson_share(8, 10)
    assert share is not None and share.low is not None and share.high is not None
    assert (share.mean, round(share.low, 4), round(share.high, 4)) == (0.8, 0.4902, 0.9433)
    assert wilson_share(0, 0) is None
