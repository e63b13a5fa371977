"""Intervals over scenarios: they hold the mean, shrink with more scenarios, and repeat exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.analysis.statistics.bootstrap import ScenarioTotal, bootstrap_mean

UNITS = st.lists(
    st.builds(ScenarioTotal, st.floats(0, 1).map(lambda x: round(x, 2)), st.just(1)),
    min_size=2,
    max_size=8,
)


@given(UNITS)
def test_the_interval_lies_within_the_values_and_around_nothing_else(
    units: list[ScenarioTotal],
) -> None:
    found = bootstrap_mean(units, "t")
    assert found is not None and found.low is not None and found.high is not None
    values = [unit.total for unit in units]
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.mean == pytest.approx(sum(values) / len(values))


def test_the_mean_weighs_scenarios_by_how_many_values_they_bring() -> None:
    found = bootstrap_mean([ScenarioTotal(0, 1), ScenarioTotal(3, 3)], "t")
    assert found is not None
    assert found.mean == 0.75


def test_the_same_results_give_the_same_interval_and_other_names_other_draws() -> None:
    units = [ScenarioTotal(value, 1) for value in (0, 0.1, 0.5, 0.9, 1, 0.3, 0.7)]
    assert bootstrap_mean(units, "a") == bootstrap_mean(units, "a")
    assert bootstrap_mean(units, "a") != bootstrap_mean(units, "b")


def test_more_scenarios_give_a_narrower_interval() -> None:
    few = bootstrap_mean([ScenarioTotal(0, 1), ScenarioTotal(1, 1)] * 3, "t")
    many = bootstrap_mean([ScenarioTotal(0, 1), ScenarioTotal(1, 1)] * 50, "t")
    assert few is not None and many is not None
    assert few.low is not None and few.high is not None
    assert many.low is not None and many.high is not None
    assert many.high - many.low < few.high - few.low
    assert many.low < 0.5 < many.high


def test_one_scenario_has_a_mean_and_no_interval_and_none_has_neither() -> None:
    found = bootstrap_mean([ScenarioTotal(1, 2), ScenarioTotal(0, 0)], "t")
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.5, None, None)
    assert bootstrap_mean([ScenarioTotal(0, 0)], "t") is None
