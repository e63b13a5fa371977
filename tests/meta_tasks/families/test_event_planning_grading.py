"""Grading team events: right work in any form passes, each slip falls where it belongs."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import graded, staged, truth_of, write
from tests.meta_tasks.families.event_days import LEVELS, day_of, handed_in, missed, scene_of, solved
from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.event_planning.deliverables import (
    EventTruth,
    clock_at,
    deliverable_model,
    minute_of_day,
)
from trainee_bench.meta_tasks.families.event_planning.subject import (
    SINGLE_METRICS,
    DayPlan,
    NamedPlan,
    PlanMetric,
)
from trainee_bench.meta_tasks.task_context import Modality

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
FIELDS = ("event_date", "possible_dates", "vegetarian_meals", "plan", "overall_score", "end_time")
ALL = deliverable_model(tuple(PlanMetric), planned=True, timed=True)
SOUND: dict[str, JsonValue] = {
    "event_date": "2025-11-12",
    "possible_dates": ["2025-11-12"],
    "vegetarian_meals": 2,
    "plan": {"morning": "A", "lunch": "B", "afternoon": "C"},
    **dict.fromkeys(PlanMetric, 1.0),
    "end_time": "17:30",
    "can_complete_on_time": True,
}


def named(truth: EventTruth, plan: DayPlan) -> dict[str, JsonValue]:
    morning, lunch, afternoon = (truth.town.stops[number].name for number in plan)
    return {"morning": morning, "lunch": lunch, "afternoon": afternoon}


def block_of(length: int) -> int:
    """A seed with that many dates next to one another in common."""
    for seed in range(200):
        dates = scene_of("B1", seed).graded.truth.calendars.dates
        if len(dates) == length and dates[-1] - dates[0] == timedelta(days=length - 1):
            return seed
    raise AssertionError("there is no such block")


# right work ------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
async def test_d4_every_checkpoint_is_earned_by_right_work(level: str) -> None:
    async with solved(day_of(level, 1)) as day:
        grade = await graded(day)
        assert grade.success and grade.score == 1
        for check in grade.checkpoints:
            assert check.passed and check.where and check.how


@pytest.mark.parametrize("level", ["A1", "C3_distance"])
async def test_the_map_s_picture_suffices(level: str) -> None:
    async with solved(day_of(level, 5, modality=Modality.PICTURES)) as day:
        assert (await graded(day)).success
        assert any(entry.tool == "files_view_image" for entry in await day.world.log())


# the dates -------------------------------------------------------------------------------


async def test_the_middle_of_a_common_block_is_a_valid_date() -> None:
    async with solved(day_of("B1", block_of(3))) as day:
        for chosen in truth_of(day).calendars.dates:
            assert await missed(day, event_date=chosen.isoformat()) == set()


async def test_dates_are_right_in_any_order_and_wrong_with_one_more_less_or_twice() -> None:
    dates_fall = {"dates_right", "everybody_asked"}
    async with solved(day_of("B1", block_of(2))) as day:
        first, second = (common.isoformat() for common in truth_of(day).calendars.dates)
        other = (
            (truth_of(day).calendars.dates[-1] + timedelta(days=12)).replace(month=11).isoformat()
        )
        assert await missed(day, possible_dates=[second, first]) == set()
        for wrong in ([first], [first, second, other], [first, second, second], []):
            assert await missed(day, possible_dates=wrong) == dates_fall
        assert await missed(day, event_date=other) == dates_fall
        assert await missed(day, event_date=other, possible_dates=[first, second]) == dates_fall


@pytest.mark.parametrize("off", [-1, 1])
async def test_the_number_of_menus_belongs_to_the_dates(off: int) -> None:
    async with solved(day_of("A1", 3)) as day:
        count = truth_of(day).calendars.vegetarian + off
        assert await missed(day, vegetarian_meals=count) == {"dates_right", "everybody_asked"}


async def test_one_date_of_thirty_earns_nothing_and_neither_does_every_date() -> None:
    async with solved(day_of("B2", 3)) as day:
        every = [date(2025, 11, n).isoformat() for n in range(1, 31)]
        chosen = truth_of(day).calendars.dates[0].isoformat()
        assert "dates_right" in await missed(day, event_date=chosen, possible_dates=every)


async def test_having_asked_everybody_counts_with_the_dates_and_nothing_without_it() -> None:
    async with solved(day_of("A1", 2)) as day, staged(day.composition) as fresh:
        right = await handed_in(day)
        await write(day, "{}")
        assert (await graded(day)).score == 0  # everybody was asked, to no end
        await write(fresh, right)
        assert (await graded(fresh)).score == 0  # all of it is right, and none of it was told


# the figures -----------------------------------------------------------------------------


async def test_each_figure_falls_by_itself_and_a_rounded_one_passes() -> None:
    slips = {
        PlanMetric.INTEREST: (0.005, 0.03),
        PlanMetric.COST: (0.05, 1),
        PlanMetric.DISTANCE: (0.04, 0.1),
        PlanMetric.OVERALL: (0.0005, 0.002),
    }
    async with solved(day_of("A3", 4)) as day:
        right = await handed_in(day)
        for figure, (rounding, slip) in slips.items():
            value = float(str(right[figure]))
            assert await missed(day, **{figure: value + rounding}) == set()
            assert await missed(day, **{figure: value - slip}) == {figure}


async def test_a_price_of_another_third_of_the_month_is_wrong() -> None:
    seeds = (n for n in range(60) if len(_costs(scene_of("A2", n).graded.truth)) == 3)
    async with solved(day_of("A2", next(seeds))) as day:
        costs = _costs(truth_of(day))
        right = costs.pop(truth_of(day).calendars.third)
        assert (await handed_in(day))["cost_per_person"] == right
        for wrong in costs:
            assert await missed(day, cost_per_person=wrong) == {"cost_per_person"}


def _costs(truth: EventTruth) -> list[int]:
    """The given plan's cost in each third of the month, if it is another in each."""
    assert truth.plan
    stops = [truth.town.stops[number] for number in truth.plan]
    costs = [sum(stop.prices[third] for stop in stops) for third in range(3)]
    return costs if len(set(costs)) == 3 else []


async def test_any_plan_of_one_s_own_passes_with_its_own_figures() -> None:
    async with solved(day_of("B3", 6)) as day:
        truth = truth_of(day)
        for plan in truth.town.plans[::60]:
            figures = {f.value: truth.ranking.value(plan, f) for f in PlanMetric}
            assert await missed(day, plan=named(truth, plan), **figures) == set()
        fallen = await missed(day, plan=named(truth, truth.town.plans[1]))
        assert PlanMetric.OVERALL in fallen and "dates_right" not in fallen


@pytest.mark.parametrize("level", ["B2", "C1_interest"])
async def test_an_invalid_plan_earns_no_figure_of_one_s_own(level: str) -> None:
    async with solved(day_of(level, 2)) as day:
        truth = truth_of(day)
        good = named(truth, truth.town.plans[0])
        place, meal = good["morning"], good["lunch"]
        for change in ({"afternoon": place}, {"lunch": place}, {"morning": meal}, {"lunch": "Ok"}):
            lost = await missed(day, plan={**good, **change})
            expected = {"plan_best"} if truth.best else {figure.value for figure in SINGLE_METRICS}
            assert lost == expected


@pytest.mark.parametrize("level", ["C1_interest", "C2_cost", "C3_distance", "C4_score"])
async def test_every_best_plan_is_accepted_and_no_other(level: str) -> None:
    async with solved(day_of(level, 3)) as day:
        truth = truth_of(day)
        assert truth.best
        best = truth.ranking.best(truth.best)
        assert {DayPlan(p.afternoon, p.lunch, p.morning) for p in best} == best
        for plan in sorted(best)[:4]:
            assert await missed(day, plan=named(truth, plan)) == set()
        worse = [plan for plan in truth.town.plans if plan not in best]
        for plan in worse[::90]:
            assert await missed(day, plan=named(truth, plan)) == {"plan_best"}


# the end of the day ----------------------------------------------------------------------


@pytest.mark.parametrize("level", ["A4", "B4"])
async def test_the_end_is_right_within_three_minutes_and_decides_what_follows(level: str) -> None:
    async with solved(day_of(level, 8)) as day:
        right = await handed_in(day)
        hour, minute = map(int, str(right["end_time"]).split(":"))
        in_time = bool(right["can_complete_on_time"])
        back = truth_of(day).return_by
        assert back and in_time == (60 * hour + minute <= back)
        assert abs(60 * hour + minute - back) > 6  # else choose another seed
        for off, falls in ((-4, True), (-3, False), (3, False), (4, True)):
            end = clock_at(60 * hour + minute + off).isoformat("minutes")
            assert await missed(day, end_time=end) == ({"end_time"} if falls else set())
        assert await missed(day, can_complete_on_time=not in_time) == {"end_time"}


@pytest.mark.parametrize("text", ["17:30", "17:30:00", "17:30Z"])
def test_times_of_day_are_read_in_every_usual_form(text: str) -> None:
    read = ALL.parse(json.dumps({**SOUND, "end_time": text}))
    assert not isinstance(read, InvalidDeliverable)
    assert minute_of_day(getattr(read, "end_time")) == 17 * 60 + 30  # noqa: B009


# what is no sheet ------------------------------------------------------------------------


@given(st.sampled_from(FIELDS), JSON)
def test_no_value_of_a_field_breaks_reading(field: str, value: JsonValue) -> None:
    try:
        text = json.dumps({**SOUND, field: value})
    except (ValueError, UnicodeEncodeError):
        return
    read = ALL.parse(text)
    assert isinstance(read, InvalidDeliverable) or read.vegetarian_meals >= -(10**400)


@pytest.mark.parametrize("level", ["A4", "B4", "C4_score"])
async def test_malformed_sheets_are_graded_and_earn_what_is_right_in_them(level: str) -> None:
    huge = 10**400
    strange: list[dict[str, JsonValue]] = [
        {"overall_score": "NaN"},
        {"overall_score": float("inf")},
        {"overall_score": huge},
        {"vegetarian_meals": huge},
        {"vegetarian_meals": 1.5},
        {"event_date": "tomorrow"},
        {"event_date": huge},
        {"possible_dates": {"a": 1}},
        {"possible_dates": [None]},
        {"end_time": "25:00"},
        {"end_time": float("nan")},
        {"plan": ["A", "B", "C"]},
        {"plan": {"morning": "A"}},
        {"plan": {"morning": "\x00", "lunch": "🍜", "afternoon": "A" * 10_000}},
    ]
    async with solved(day_of(level, 2)) as day:
        for change in strange:
            assert await missed(day, **change)


def test_a_plan_has_exactly_three_parts() -> None:
    assert set(NamedPlan.model_fields) == {"morning", "lunch", "afternoon"}
