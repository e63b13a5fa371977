"""pass^k and pass@k: unbiased, over all days with enough attempts, no broken one hidden."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.builders import episode, task
from trainee_bench.harness.analysis.statistics.attempts import (
    AttemptCounts,
    all_succeed,
    any_succeeds,
    day_attempts,
    pass_rates,
    repeated_work,
    task_attempts,
)
from trainee_bench.harness.records.results import UNSUPPORTED, EpisodeResult

EASY, HARD = "a.easy", "b.hard"
OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=6)


def tries(scenario: str, *scores: float | None, agent: str = "good") -> list[EpisodeResult]:
    """Attempts at a day of one task; one without a score broke."""
    return [
        episode(agent, scenario, task(s), attempt=n, error=None if s is not None else "cut off")
        for n, s in enumerate(scores, start=1)
    ]


@given(OUTCOMES, st.integers(1, 6))
def test_both_are_what_counting_all_choices_of_k_attempts_gives(
    outcomes: list[bool], k: int
) -> None:
    choices = list(combinations(outcomes, k))
    if not choices:
        return
    every, some = (sum(map(of, choices)) / len(choices) for of in (all, any))
    assert all_succeed(sum(outcomes), len(outcomes), k) == pytest.approx(every)
    assert any_succeeds(sum(outcomes), len(outcomes), k) == pytest.approx(some)


@given(st.integers(1, 7), st.floats(0, 1), st.data())
def test_both_are_unbiased_for_any_chance_of_success(n: int, p: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    every = sum(w * all_succeed(c, n, k) for c, w in enumerate(weights))
    some = sum(w * any_succeeds(c, n, k) for c, w in enumerate(weights))
    assert every == pytest.approx(p**k, abs=1e-9)
    assert some == pytest.approx(1 - (1 - p) ** k, abs=1e-9)


@pytest.mark.parametrize(("c", "n", "k"), [(1, 2, 3), (1, 2, 0), (3, 2, 1), (-1, 2, 1), (0, 0, 1)])
def test_what_no_attempts_can_give_is_refused(c: int, n: int, k: int) -> None:
    for chance in (all_succeed, any_succeeds):
        with pytest.raises(ValueError, match="give no figure"):
            chance(c, n, k)


COUNTS = st.lists(
    st.builds(
        lambda name, outcomes, broken: AttemptCounts(
            f"s{name}", sum(outcomes), len(outcomes), broken
        ),
        st.integers(0, 3),
        st.lists(st.booleans(), max_size=4),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=5,
)


@given(COUNTS, st.booleans())
def test_rates_and_their_intervals_are_chances_and_any_is_no_less_than_all(
    counts: list[AttemptCounts], broken_as_failed: bool
) -> None:
    for rate in pass_rates(counts, "a", broken_as_failed=broken_as_failed):
        assert rate.units == sum(
            unit.attempts(broken_as_failed=broken_as_failed) >= rate.k for unit in counts
        )
        for estimate in (rate.all_succeed, rate.any_succeeds):
            low = estimate.mean if estimate.low is None else estimate.low
            high = estimate.mean if estimate.high is None else estimate.high
            assert -1e-9 <= low <= high <= 1 + 1e-9
            assert low - 1e-9 <= estimate.mean <= high + 1e-9 or len(counts) > 1
        assert rate.all_succeed.mean <= rate.any_succeeds.mean + 1e-9


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_with_equal_attempts_more_of_them_fail_more_often_and_succeed_more_often(
    successes: list[int],
) -> None:
    rates = pass_rates([AttemptCounts(f"s{n}", c, 3, 0) for n, c in enumerate(successes)], "a")
    assert [rate.k for rate in rates] == [1, 2, 3]
    assert rates[0].all_succeed == rates[0].any_succeeds
    for fewer, more in pairwise(rates):
        assert more.all_succeed.mean <= fewer.all_succeed.mean + 1e-9
        assert more.any_succeeds.mean >= fewer.any_succeeds.mean - 1e-9


def test_rates_are_means_over_days_and_not_over_attempts() -> None:
    (own,) = repeated_work([*tries("s1", 1, 1, 1, 1), *tries("s2", 0, 0)])
    assert [(rate.k, rate.units, rate.all_succeed.mean) for rate in own.days] == [
        (1, 2, 0.5),
        (2, 2, 0.5),
        (3, 1, 1),
        (4, 1, 1),
    ]
    assert (own.fewest, own.most) == (2, 4)


def test_a_day_is_a_success_only_if_all_its_tasks_are() -> None:
    results = [
        episode("good", "s1", task(1.0, EASY), task(score, HARD), attempt=n)
        for n, score in enumerate((1.0, 0.0), start=1)
    ]
    (own,) = repeated_work(results)
    assert [rate.all_succeed.mean for rate in own.days] == [0.5, 0]
    assert [rate.all_succeed.mean for rate in own.tasks] == [0.75, 0.5]
    assert [rate.any_succeeds.mean for rate in own.tasks] == [0.75, 1]


def test_broken_attempts_are_left_out_of_one_figure_and_failures_in_the_other() -> None:
    (own,) = repeated_work([*tries("s1", 1, 1, None), *tries("s2", 1, 1, 1)])
    assert own.broken == 1
    assert [(rate.units, rate.all_succeed.mean) for rate in own.days] == [(2, 1), (2, 1), (1, 1)]
    failed = [(rate.units, rate.all_succeed.mean) for rate in own.days_broken_as_failed]
    assert failed == [(2, pytest.approx(5 / 6)), (2, pytest.approx(2 / 3)), (2, 0.5)]


def test_an_agent_all_of_whose_attempts_broke_is_still_shown() -> None:
    (own,) = repeated_work(tries("s1", None, None))
    assert (own.days, own.broken) == ((), 2)
    assert [rate.all_succeed.mean for rate in own.days_broken_as_failed] == [0, 0]


def test_the_tasks_of_an_episode_that_broke_are_attempts_at_the_same_tasks() -> None:
    graded = episode("good", "s1", task(1.0, EASY), task(0.0, HARD, task="T2"), attempt=1)
    broken = episode(
        "good", "s1", task(None, HARD, task=""), task(None, EASY, task=""), attempt=2, error="x"
    )
    counted = {(u.successes, u.graded, u.broken) for u in task_attempts([graded, broken])}
    assert counted == {(1, 1, 1), (0, 1, 1)}


def test_tasks_of_one_rule_on_one_day_are_counted_apart() -> None:
    results = [
        episode("good", "s1", task(1.0), task(0.0, task="T2"), attempt=attempt)
        for attempt in (1, 2)
    ]
    assert [(u.successes, u.graded) for u in task_attempts(results)] == [(2, 2), (0, 2)]


def test_a_partly_graded_day_is_a_broken_attempt_and_its_graded_task_is_none() -> None:
    partly = episode("good", "s1", task(1.0, EASY), task(None, HARD), attempt=1)
    assert [(u.graded, u.broken) for u in day_attempts([partly])] == [(0, 1)]
    assert [(u.graded, u.broken) for u in task_attempts([partly])] == [(1, 0), (0, 1)]


def test_tasks_whose_family_does_not_exist_are_no_attempts() -> None:
    missing = task(None, "Sales Analysis", error=UNSUPPORTED)
    assert [u.graded for u in task_attempts([episode("good", "s1", task(1.0), missing)])] == [1]


def test_an_agent_with_one_attempt_at_each_day_has_no_figures() -> None:
    results = [*tries("s1", 1), *tries("s2", 0), *tries("s1", 1, 0, agent="other")]
    assert [own.agent for own in repeated_work(results)] == ["other"]


@pytest.mark.parametrize(("score", "low", "high"), [(1, 0.61, 1), (0, 0, 0.39)])
def test_days_that_all_agree_have_the_interval_of_those_that_could_have_been_missed(
    score: float, low: float, high: float
) -> None:
    (own,) = repeated_work([e for n in range(6) for e in tries(f"s{n}", score, score)])
    for rate in own.days:
        for found in (rate.all_succeed, rate.any_succeeds):
            assert found.mean == score
            assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_days_that_are_all_as_often_complete_have_an_interval_too() -> None:
    (own,) = repeated_work([*tries("s1", 1, 0), *tries("s2", 0, 1), *tries("s3", 1, 0)])
    once, twice = (rate.all_succeed for rate in own.days)
    agree = 0.05 ** (1 / 3)
    assert (once.low, once.high) == pytest.approx((agree / 2, 1 - agree / 2))
    assert (twice.low, twice.high) == pytest.approx((0, 1 - agree))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12))
def test_intervals_of_more_attempts_follow_those_of_fewer(successes: list[int]) -> None:
    rates = pass_rates([AttemptCounts(f"s{n}", c, 3, 0) for n, c in enumerate(successes)], "a")
    for fewer, more in pairwise(rates):
        for figure, sign in (("all_succeed", 1), ("any_succeeds", -1)):
            less, much = (getattr(rate, figure) for rate in (fewer, more))
            assert sign * (less.low - much.low) >= -1e-9
            assert sign * (less.high - much.high) >= -1e-9


@pytest.mark.parametrize(("days", "chance"), [(5, 0.95), (12, 0.95), (12, 0.05), (50, 0.99)])
def test_the_interval_contains_a_chance_near_0_or_1_in_nine_of_ten_runs(
    days: int, chance: float
) -> None:
    contained = 0.0
    for complete in range(days + 1):
        counts = [AttemptCounts(f"s{n}", int(n < complete), 1, 0) for n in range(days)]
        (rate,) = pass_rates(counts, "a")
        low, high = rate.all_succeed.low, rate.all_succeed.high
        assert low is not None and high is not None
        weight = comb(days, complete) * chance**complete * (1 - chance) ** (days - complete)
        contained += weight * (low <= chance <= high)
    assert contained > 0.9


def test_the_order_of_results_changes_nothing() -> None:
    results = [*tries("s1", 1, 0, 1), *tries("s2", 0, None, 1)]
    assert repeated_work(results) == repeated_work(results[::-1])
