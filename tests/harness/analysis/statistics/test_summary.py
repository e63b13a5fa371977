"""The figures of a run, checked by hand: means over the right things, nothing dropped silently.

Intervals contain the mean, shrink with more scenarios, and repeat exactly.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.analysis.report.rendered import markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.statistics.bootstrap import ScenarioTotal, bootstrap_mean
from trainee_bench.harness.analysis.statistics.summary import (
    agent_summaries,
    breakdowns,
    pass_power,
    unsupported_tasks,
)
from trainee_bench.harness.records.results import UNSUPPORTED

EASY, HARD = "a.easy", "b.hard"
RESULTS = [
    episode("good", "s1", task(1.0, EASY), task(0.5, HARD, label="hard"), steps=4),
    episode("good", "s2", task(1.0, EASY), steps=8),
    episode("bad", "s1", task(0.0, EASY), task(0.0, HARD, label="hard")),
    episode("bad", "s2", task(0.0, EASY)),
]


def test_score_is_the_mean_of_episodes_and_success_the_share_of_tasks() -> None:
    good, bad = agent_summaries(RESULTS)
    assert (good.agent, bad.agent) == ("good", "bad")
    assert good.score is not None and good.score.mean == pytest.approx((0.75 + 1) / 2)
    assert good.success is not None and good.success.mean == pytest.approx(2 / 3)
    assert good.family_score == pytest.approx((1 + 0.5) / 2)
    assert good.steps == 6
    assert bad.score is not None and bad.score.mean == 0


def test_the_most_complete_days_come_first_and_among_equals_the_best_score() -> None:
    results = [
        *(episode("nearly", name, task(0.9)) for name in ("s1", "s2")),
        *(episode("half", name, task(score)) for name, score in (("s1", 1.0), ("s2", 0.0))),
        *(episode("barely", name, task(0.1)) for name in ("s1", "s2")),
    ]
    assert [line.agent for line in agent_summaries(results)] == ["half", "nearly", "barely"]


def test_complete_is_the_share_of_days_that_were_a_success_of_those_graded_in_full() -> None:
    left_by_the_best_plan = episode("good", "s3", task(1.0, EASY), task(0.0, HARD), success=True)
    broken = episode("good", "s4", task(None), error="the line is dead", steps=0)
    (line,) = agent_summaries([*RESULTS[:2], left_by_the_best_plan, broken])
    assert line.complete is not None and line.complete.mean == pytest.approx(2 / 3)
    assert line.success is not None and line.success.mean == pytest.approx(3 / 5)


def test_broken_episodes_count_as_missing_coverage_and_not_as_zero() -> None:
    broken = episode("good", "s3", task(None), error="the line is dead", steps=0)
    (line,) = agent_summaries([RESULTS[0], broken])
    assert line.score is not None and line.score.mean == 0.75
    assert line.broken_as_0 is not None and line.broken_as_0.mean == 0.375
    assert (line.broken, line.episodes) == (1, 2)
    assert line.coverage == pytest.approx(2 / 3)
    assert line.steps == 4


def test_tasks_that_could_not_be_graded_count_0_in_the_second_mean_alone() -> None:
    partly = episode("good", "s1", task(1.0), task(None))
    (line,) = agent_summaries([partly])
    assert line.score is not None and line.score.mean == 1
    assert line.broken_as_0 is not None and line.broken_as_0.mean == 0.5


def test_a_task_of_a_week_that_could_not_be_graded_weighs_as_much_as_it_has_days() -> None:
    partly = episode("good", "s1", task(1.0), task(None, days=4))
    (line,) = agent_summaries([partly])
    assert line.broken_as_0 is not None and line.broken_as_0.mean == 0.2


def test_where_worth_counts_what_could_not_be_graded_has_added_nothing() -> None:
    partly = episode("good", "s1", task(1.0, worth=3), task(None, worth=2), score=0.6)
    (line,) = agent_summaries([partly])
    assert line.broken_as_0 is not None and line.broken_as_0.mean == 0.6


def test_without_anything_broken_both_means_and_their_intervals_are_the_same() -> None:
    for line in agent_summaries(RESULTS):
        assert line.broken_as_0 == line.score


def test_tasks_of_families_not_built_are_listed_by_name_once_per_day() -> None:
    missing = task(None, "Sales Analysis", error=UNSUPPORTED)
    results = [
        episode("good", "s1", task(1.0), missing, missing),
        episode("bad", "s1", task(0.0), missing, missing),
        episode("good", "s2", missing, task(0.5)),
    ]
    assert unsupported_tasks(results) == {"Sales Analysis": 3}


def test_breakdowns_group_tasks_by_label_family_and_number_of_tasks() -> None:
    found = {breakdown.title: breakdown for breakdown in breakdowns(RESULTS)}
    assert set(found) == {"tasks in the day", "label", "domain", "family"}
    hard = found["label"].cells["hard"]["good"]
    assert (hard.tasks, hard.score and hard.score.mean) == (1, 0.5)
    two = found["tasks in the day"].cells["2"]["good"]
    assert (two.tasks, two.score and two.score.mean) == (2, 0.75)


def test_complications_are_compared_where_there_are_any_and_a_task_counts_for_each() -> None:
    both = episode("good", "s1", task(0.5, "a.hard+busy_holder+retraction"), task(1.0, EASY))
    (found,) = [breakdown for breakdown in breakdowns([both]) if breakdown.title == "complication"]
    assert {group: cells["good"].tasks for group, cells in found.cells.items()} == {
        "busy_holder": 1,
        "none": 1,
        "retraction": 1,
    }


def test_days_are_compared_if_there_are_several() -> None:
    second = episode("good", "s1", task(0.5), day="day_2", episode="x")
    found = {breakdown.title: breakdown for breakdown in breakdowns([*RESULTS, second])}
    assert set(found["day"].cells) == {"day_1", "day_2"}


def test_pass_k_is_the_chance_that_all_repeats_succeed() -> None:
    repeats = [
        episode("good", "s1", task(1.0), attempt=1),
        episode("good", "s1", task(1.0), attempt=2),
        episode("good", "s2", task(1.0), attempt=1),
        episode("good", "s2", task(0.0), attempt=2),
    ]
    assert agent_summaries(repeats)[0].pass_all == 0.5
    assert agent_summaries(RESULTS)[0].pass_all is None


def test_pass_k_of_fewer_than_all_attempts_is_the_share_of_choices_without_a_failure() -> None:
    tries = (1.0, 1.0, 1.0, 0.0)
    repeats = [episode("good", "s1", task(s), attempt=n) for n, s in enumerate(tries, start=1)]
    chances = [pass_power(repeats, k) for k in (1, 2, 3, 4, 5)]
    assert chances == [0.75, 0.5, 0.25, 0, None]
    assert (agent_summaries(repeats)[0].pass_all, agent_summaries(repeats)[0].attempts) == (0, 4)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=4))
def test_pass_k_is_what_counting_all_choices_of_attempts_gives(tasks: list[list[bool]]) -> None:
    repeats = [
        episode("good", f"s{n}", task(float(success)), attempt=attempt)
        for n, successes in enumerate(tasks)
        for attempt, success in enumerate(successes, start=1)
    ]
    for k in range(1, 6):
        counted = [
            sum(map(all, choices)) / len(choices)
            for successes in tasks
            if (choices := list(combinations(successes, k)))
        ]
        expected = pytest.approx(sum(counted) / len(counted)) if counted else None
        assert pass_power(repeats, k) == expected


def test_pass_k_is_of_tasks_and_leaves_out_what_was_not_graded() -> None:
    repeats = [
        episode("good", "s1", task(1.0), task(0.0, HARD), attempt=1),
        episode("good", "s1", task(1.0), task(0.0, HARD), attempt=2),
        episode("good", "s2", task(None), error="the line is dead", attempt=1),
        episode("good", "s2", task(1.0), attempt=2),
    ]
    assert pass_power(repeats, 2) == 0.5
    assert pass_power(repeats, 1) == pytest.approx(2 / 3)


def test_the_report_shows_what_was_missed_with_what_was_seen() -> None:
    text = markdown_text(plan("s1", "s2", agents=("good", "bad")), RESULTS)
    assert (
        "| good | 0.50 (0.00-1.00) | 0.88 (0.75-1.00) | 0.88 (0.75-1.00) | 0.67 (0.50-1.00) |"
        in text
    )
    assert "missed: It is done. Seen: nothing" in text
    assert "### Scores by difficulty" in text


def test_the_report_lists_unbuilt_families_faults_and_agents_own_errors() -> None:
    results = [
        episode("good", "s1", task(1.0), task(None, "Sales Analysis", error=UNSUPPORTED)),
        episode("good", "s2", task(None), error="the line is dead"),
        episode("bad", "s1", task(0.0), agent_error="KeyError: 'x'"),
    ]
    text = markdown_text(plan("s1", "s2", agents=("good", "bad")), results)
    assert "- Sales Analysis: 1 task\n" in text
    assert "`s2.day_1.good.1`: the line is dead" in text
    assert "`s1.day_1.bad.1`: KeyError: 'x'" in text


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
