"""The figures of a week: which day each part belongs to, which differences are paired, what is
met."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.builders import episode, task
from trainee_bench.harness.analysis.statistics.bootstrap import bootstrap_statistic
from trainee_bench.harness.analysis.statistics.week_learning import (
    followed_by_offset,
    forgotten_per_day,
    gain,
    gain_per_day,
    least_squares_slope,
    paired_gains,
    part_mean,
)
from trainee_bench.harness.analysis.statistics.week_parts import (
    DayPart,
    Familiarity,
    day_parts,
    policy_days,
)
from trainee_bench.harness.records.results import CheckpointResult, EpisodeResult, TaskResult
from trainee_bench.meta_tasks.catalog import all_rules, find_rule

CLAIMS, LINKS, OTHER_LINKS, SALES = (
    "week.claims", "kb_fix.easy", "kb_fix.medium", "sales.top_sales_employee",
)  # fmt: skip
EVERYTHING = lambda part: True  # noqa: E731 - a filter that accepts all


def one_day(id: str, rule: str, day: int, score: float | None = 1.0, due: int = -1) -> TaskResult:
    """A single-day task, published on *day* and due on it or later."""
    checks = tuple(
        CheckpointResult(name=name, sentence="", weight=weight, passed=passed, seen="")
        for name, weight, passed in (("a", score or 0, True), ("b", 1 - (score or 0), False))
        if weight
    )
    return task(score, rule, task=id, published_day=day, due_day=max(day, due), checkpoints=checks)


def claims(*passed: bool) -> TaskResult:
    """The duty of deciding claims, with these of its checkpoints passed."""
    marks = find_rule(CLAIMS).meta_task.checkpoints()
    checks = tuple(
        CheckpointResult(name=m.name, sentence="", weight=m.weight, passed=held, seen="")
        for m, held in zip(marks, passed, strict=True)
    )
    score = sum(c.weight * c.passed for c in checks) / sum(c.weight for c in checks)
    return task(score, CLAIMS, task="T1", published_day=0, due_day=4, checkpoints=checks)


def week(scenario: str, *tasks: TaskResult, **more: object) -> EpisodeResult:
    return episode("x", scenario, *tasks, **{"day": "week", **more})


# parts ------------------------------------------------------------------------------------


def test_a_duty_has_a_part_on_each_day_that_its_family_names_and_the_rest_on_the_last() -> None:
    held = (True, False, True, False, True, False, True)  # five days, the report, having heard
    parts = {part.day: part for part in day_parts(week("a", claims(*held)))}
    assert {day: part.score for day, part in parts.items()} == {
        0: 1, 1: 0, 2: 1, 3: 0, 4: pytest.approx(1.5 / 3.5),
    }  # fmt: skip
    assert all(part.whole_week and part.familiarity is None for part in parts.values())


def test_a_task_of_one_day_falls_on_the_day_on_which_it_is_due() -> None:
    (part,) = day_parts(week("a", one_day("T1", LINKS, 1, 0.25, due=3)))
    assert (part.day, part.score, part.whole_week) == (3, 0.25, False)


def test_ordinary_days_broken_weeks_and_ungraded_tasks_have_no_parts() -> None:
    assert not list(day_parts(episode("x", "a", task(1.0, LINKS))))
    assert not list(day_parts(week("a", one_day("T1", LINKS, 0), error="it broke")))
    assert not list(day_parts(week("a", one_day("T1", LINKS, 0, None))))


def met(*before: TaskResult, rule: str = LINKS, day: int = 3) -> DayPart:
    """Return what is met before a last task that follows the tasks *before*."""
    *_, last = day_parts(week("a", *before, one_day("T9", rule, day)))
    return last


@pytest.mark.parametrize(
    ("before", "familiarity", "nights"),
    [
        ([one_day("T1", LINKS, 0)], Familiarity.RULE, 3),
        ([one_day("T1", LINKS, 0), one_day("T2", LINKS, 2)], Familiarity.RULE, 1),
        ([one_day("T1", LINKS, 0, due=2)], Familiarity.RULE, 1),
        ([one_day("T1", LINKS, 0, due=3)], None, None),
        ([one_day("T1", f"{LINKS}+busy_holder", 1)], Familiarity.RULE, 2),
        ([one_day("T1", OTHER_LINKS, 0)], Familiarity.FAMILY, None),
        ([one_day("T1", OTHER_LINKS, 0), one_day("T2", LINKS, 3)], Familiarity.FAMILY, None),
        ([one_day("T1", OTHER_LINKS, 0, due=3)], None, None),
        ([one_day("T1", OTHER_LINKS, 0), one_day("T2", LINKS, 0, due=3)], None, None),
        ([one_day("T1", SALES, 0)], Familiarity.NOTHING, None),
        ([one_day("T1", LINKS, 3)], Familiarity.NOTHING, None),
    ],
)
def test_a_rule_is_met_in_the_night_in_which_there_is_feedback_on_it(
    before: list[TaskResult], familiarity: Familiarity | None, nights: int | None
) -> None:
    part = met(*before)
    assert (part.familiarity, part.nights) == (familiarity, nights)


def test_on_the_first_day_nothing_is_known_or_new() -> None:
    assert met(one_day("T1", LINKS, 0), day=0).familiarity is None


def test_every_duty_names_days_of_its_week_and_is_done_by_the_last() -> None:
    duties = [r.meta_task for r in all_rules().values() if r.meta_task.family_class.whole_week]
    for duty in duties:
        named = [mark.day for mark in duty.checkpoints()]
        assert set(named) <= {None, 0, 1, 2, 3, 4}
        assert None in named and set(named) - {None}, duty.rule_id
    assert CLAIMS in {duty.rule_id for duty in duties if duty.policy_changes_on == 2}


# gains ------------------------------------------------------------------------------------


def test_only_the_very_same_part_of_the_same_week_is_a_partner() -> None:
    having = week("a", one_day("T1", LINKS, 1))
    assert [g.gain for g in paired_gains([having], [week("a", one_day("T1", LINKS, 1, 0.25))])] == [
        0.75
    ]
    for other in (
        week("b", one_day("T1", LINKS, 1, 0.0)),
        week("a", one_day("T2", LINKS, 1, 0.0)),
        week("a", one_day("T1", LINKS, 1, None)),
        week("a", one_day("T1", LINKS, 1, 0.0), seed=7),
        week("a", one_day("T1", LINKS, 1, 0.0), attempt=2),
        week("a", one_day("T1", LINKS, 1, 0.0), error="it broke"),
    ):
        assert paired_gains([having], [other]) == []


def gains_by_day(*values: float, scenario: str = "a") -> tuple[EpisodeResult, EpisodeResult]:
    """A week with this gain on each day."""
    having = [one_day(f"T{day}", LINKS, day, 1.0) for day in range(len(values))]
    lacking = [one_day(f"T{day}", LINKS, day, 1.0 - value) for day, value in enumerate(values)]
    return week(scenario, *having), week(scenario, *lacking)


def test_a_days_gain_is_the_mean_of_its_parts_and_a_weeks_that_of_its_days() -> None:
    having = week("a", *(one_day(f"T{n}", LINKS, int(n > 1)) for n in range(5)))
    scores = (0.0, 0.5, 0.5, 0.5, 0.5)
    lacking = week("a", *(one_day(f"T{n}", LINKS, int(n > 1), s) for n, s in enumerate(scores)))
    found = gain(paired_gains([having], [lacking]), EVERYTHING)
    assert found is not None
    assert found.mean == pytest.approx((0.75 + 0.5) / 2)
    late = gain(paired_gains([having], [lacking]), lambda part: part.day > 0)
    assert late is not None
    assert late.mean == 0.5
    assert gain([], EVERYTHING) is None


def test_the_slope_says_how_much_the_gain_grows_from_day_to_day() -> None:
    pairs = [gains_by_day(0, 0.2, 0.4, 0.6), gains_by_day(0, 0, 0, 0, scenario="b")]
    found = gain_per_day(paired_gains(*zip(*pairs, strict=True)), EVERYTHING)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.1, 0, 0.2))
    alone = paired_gains(*([gained] for gained in gains_by_day(0.5)))
    assert gain_per_day(alone, EVERYTHING) is None


@given(st.floats(-3, 3), st.floats(-3, 3), st.lists(st.integers(0, 9), min_size=2, unique=True))
def test_the_slope_of_points_on_a_line_is_the_lines(
    slope: float, start: float, places: list[int]
) -> None:
    points = [(x, start + slope * x) for x in places]
    assert least_squares_slope(points) == pytest.approx(slope, abs=1e-6)
    assert least_squares_slope([points[0]] * 3) is None
    assert least_squares_slope([]) is None


def test_forgetting_is_what_the_gain_loses_with_each_night() -> None:
    def pair(scenario: str) -> tuple[EpisodeResult, EpisodeResult]:
        first = [one_day("T1", LINKS, 0), one_day("T2", SALES, 0), one_day("T3", OTHER_LINKS, 0)]
        later = [("T4", LINKS, 1, 0.9), ("T5", SALES, 3, 0.5), ("T6", OTHER_LINKS, 4, 0.3)]
        having = [*first, *(one_day(id, rule, day) for id, rule, day, _ in later)]
        lacking = [*first, *(one_day(id, rule, day, 1 - g) for id, rule, day, g in later)]
        return week(scenario, *having), week(scenario, *lacking)

    gains = paired_gains(*zip(*(pair(name) for name in "abc"), strict=True))
    found = forgotten_per_day(gains)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.2, 0.2))
    near = part_mean(gains, lambda part: part.nights == 1)
    assert near is not None
    assert near.mean == pytest.approx(0.9)
    assert forgotten_per_day([gained for gained in gains if gained.part.nights == 1]) is None


def test_resamplings_without_the_statistic_are_left_out() -> None:
    units = [((1.0, 1.0), (2.0, 0.0)), ((1.0, 1.0),)]
    found = bootstrap_statistic(
        units, lambda own: least_squares_slope([p for points in own for p in points]), "test"
    )
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((-1, -1, -1))
    assert bootstrap_statistic([((1.0, 1.0),)], lambda own: None, "test") is None


# policies ---------------------------------------------------------------------------------


def test_a_policy_is_followed_by_days_from_its_change_and_nothing_else_counts() -> None:
    held = (True, True, False, True, True, True, True)
    found = {day.offset: day.followed for day in policy_days(week("a", claims(*held)))}
    assert found == {-2: True, -1: True, 0: False, 1: True, 2: True}
    assert not list(policy_days(week("a", one_day("T1", LINKS, 2))))
    assert not list(policy_days(week("a", claims(*held), error="it broke")))
    shares = followed_by_offset([week("a", claims(*held)), week("b", claims(*[False] * 7))])
    assert {offset: share.mean for offset, share in shares.items()} == {
        -2: 0.5, -1: 0.5, 0: 0, 1: 0.5, 2: 0.5,
    }  # fmt: skip
