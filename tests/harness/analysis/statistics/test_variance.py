"""The split of the variance: unbiased by exact enumeration, and the differences that follow."""

from __future__ import annotations

from itertools import product
from statistics import fmean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.analysis.comparison.paired import paired_difference
from trainee_bench.harness.analysis.statistics.bootstrap import ScenarioTotal
from trainee_bench.harness.analysis.statistics.variance import (
    UNLIMITED,
    VarianceComponents,
    alike_agents,
    difference_components,
    smallest_difference,
    variance_components,
)

VALUES = st.floats(0, 1).map(lambda value: round(value, 3))


def split(*days: list[float]) -> VarianceComponents:
    found = variance_components(days)
    assert found is not None
    return found


def test_equal_attempts_at_different_days_vary_by_day_alone() -> None:
    found = split([1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0])
    assert (found.attempt, found.day_share) == (0, 1)
    assert found.day == pytest.approx(1 / 3)


def test_equal_days_with_different_attempts_vary_by_attempt_alone() -> None:
    found = split([1.0, 0.0], [1.0, 0.0], [1.0, 0.0])
    assert found.attempt == 0.5 and found.day == -0.25
    assert found.day_share == 0
    assert found.standard_error(3, 2) == pytest.approx((0.5 / 6) ** 0.5)


def test_without_any_variance_there_is_no_share() -> None:
    assert split([1.0, 1.0], [1.0]).day_share is None


@pytest.mark.parametrize("days", [[], [[1.0, 0.0]], [[1.0], [0.0]], [[1.0, 0.0], []]])
def test_one_day_or_single_attempts_cannot_be_split(days: list[list[float]]) -> None:
    assert variance_components(days) is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=3), st.integers(2, 3))
def test_for_complete_days_both_parts_are_unbiased_whatever_the_chances_of_the_days(
    chances: list[float], attempts: int
) -> None:
    expected_day = expected_attempt = 0.0
    for outcomes in product((0.0, 1.0), repeat=len(chances) * attempts):
        days = [list(outcomes[n * attempts :][:attempts]) for n in range(len(chances))]
        weight = 1.0
        for p, day in zip(chances, days, strict=True):
            for value in day:
                weight *= p if value else 1 - p
        found = split(*days)
        expected_day += weight * found.day
        expected_attempt += weight * found.attempt
    assert expected_attempt == pytest.approx(fmean(p * (1 - p) for p in chances), abs=1e-9)
    assert expected_day == pytest.approx(variance(chances), abs=1e-9)


@given(st.floats(0, 0.4), st.floats(0, 0.4))
def test_with_unequal_attempts_both_parts_are_unbiased_too(day: float, attempt: float) -> None:
    counts = (1, 2, 3)
    found = [
        split(
            *(
                [0.5 + effect * day + next(signs) * attempt for _ in range(count)]
                for effect, count in zip(effects, counts, strict=True)
            )
        )
        for effects in product((-1, 1), repeat=len(counts))
        for signs in map(iter, product((-1, 1), repeat=sum(counts)))
    ]
    assert fmean(one.attempt for one in found) == pytest.approx(attempt**2, abs=1e-9)
    assert fmean(one.day for one in found) == pytest.approx(day**2, abs=1e-9)


def test_with_unequal_attempts_the_standard_error_is_that_of_the_mean_over_days() -> None:
    counts, day, attempt = (1, 1, 3), 0.2, 0.4
    found = [
        split(
            *(
                [effect * day + next(signs) * attempt for _ in range(count)]
                for effect, count in zip(effects, counts, strict=True)
            )
        )
        for effects in product((-1, 1), repeat=len(counts))
        for signs in map(iter, product((-1, 1), repeat=sum(counts)))
    ]
    true = VarianceComponents(3, found[0].attempts, 0, day**2, attempt**2)
    error = fmean(one.mean**2 for one in found) ** 0.5
    assert true.standard_error(3, true.attempts) == pytest.approx(error)
    equal = alike_agents(true, days_in_common=False)
    assert equal.standard_error(3, equal.attempts) == pytest.approx(2**0.5 * error)


@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=2, max_size=6))
def test_the_standard_error_of_the_run_itself_is_that_of_its_daily_means(
    days: list[list[float]],
) -> None:
    found = split(*days)
    usual = (variance([fmean(day) for day in days]) / len(days)) ** 0.5
    error = found.standard_error(len(days), 3)
    assert error == pytest.approx(usual, abs=1e-9) or (found.day < 0 and error > usual)


@given(st.lists(st.tuples(*[st.lists(VALUES, min_size=2, max_size=2)] * 2), min_size=6, max_size=9))
def test_what_this_run_can_tell_is_what_a_comparison_says(
    days: list[tuple[list[float], list[float]]],
) -> None:
    one, other = ({n: day[side] for n, day in enumerate(days)} for side in (0, 1))
    found = difference_components(one, other)
    assert found is not None
    units = [ScenarioTotal(fmean(one[n]) - fmean(other[n]), 1) for n in one]
    compared = paired_difference(units, "t").detectable or 0.0
    told = found.detectable(found.days, found.attempts)
    assert told == pytest.approx(compared, abs=1e-9) or (found.day < 0 and told > compared)
    assert found.mean == pytest.approx(fmean(unit.total for unit in units))


def test_a_pair_is_split_over_the_days_that_both_attempted() -> None:
    one = {"a": [1.0, 0.0], "b": [1.0], "c": [1.0, 1.0], "d": [0.0]}
    found = difference_components(one, {"a": [1.0, 1.0], "b": [0.0], "d": []})
    assert found is not None
    assert found.days == 2
    assert found.attempts == pytest.approx(4 / 3), "the harmonic mean of 2 and 1"
    assert found.mean == pytest.approx((-0.5 + 1) / 2)


def test_a_pair_without_several_attempts_on_either_side_cannot_be_split() -> None:
    once, twice = {"a": [1.0], "b": [0.0]}, {"a": [1.0, 0.0], "b": [0.0, 1.0]}
    assert difference_components(once, twice) is None
    assert difference_components(twice, once) is None


@given(st.lists(st.lists(VALUES, min_size=2, max_size=3), min_size=2, max_size=5))
def test_more_days_and_more_attempts_tell_smaller_differences_and_unlimited_ones_the_smallest(
    days: list[list[float]],
) -> None:
    found = difference_components(dict(enumerate(days)), dict(enumerate(days[::-1])))
    assert found is not None
    now = found.detectable(4, 2)
    assert found.detectable(8, 2) <= now and found.detectable(4, 4) <= now
    assert found.detectable(4, UNLIMITED) <= found.detectable(4, 1_000)
    assert found.detectable(16, 2) == pytest.approx(now / 2), "four times the days halve it"


def test_an_equal_agent_for_whom_the_same_days_are_hard_is_told_apart_best() -> None:
    components = split([1.0, 0.5], [0.0, 0.5], [0.5, 1.0], [0.0, 0.0])
    alike = alike_agents(components, days_in_common=True)
    unlike = alike_agents(components, days_in_common=False)
    assert alike.detectable(4, 2) < unlike.detectable(4, 2)
    assert alike.detectable(4, UNLIMITED) == 0


def test_the_smallest_difference_is_2_8_standard_errors() -> None:
    assert smallest_difference(1) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
