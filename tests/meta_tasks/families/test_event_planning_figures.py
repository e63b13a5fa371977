"""The figures of a day out: every formula by hand, and in two different ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meta_tasks.families.event_days import TOWN, day_of, map_of
from trainee_bench.meta_tasks.families.event_planning.brief import (
    PLACE,
    RESTAURANT,
    format_days,
    parse_roads,
    roads_csv,
    stops_text,
)
from trainee_bench.meta_tasks.families.event_planning.data import (
    RETURN_TIMES,
    draw_plan,
    draw_road_network,
    draw_short_day_network,
    draw_stops,
    haversine_km,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import TOLERANCE, is_close
from trainee_bench.meta_tasks.families.event_planning.subject import (
    MONTH_THIRDS,
    OFFICE,
    DayPlan,
    PlanMetric,
    PlanRanking,
    Stop,
    Town,
)
from trainee_bench.meta_tasks.task_context import Modality
from trainee_bench.world.pictures.label_placement import MARKER_RADIUS, Point, label_box
from trainee_bench.world.random_streams import random_stream

MID = PlanRanking(TOWN, 1)
SHORT, FAR = DayPlan(1, 3, 2), DayPlan(1, 4, 5)


def town(seed: int) -> Town:
    draws = random_stream("figures", seed)
    stops = draw_stops(draws)
    return Town(stops[:6], stops[6:], draw_road_network(draws).roads)


# by hand ---------------------------------------------------------------------------------


def test_legs_follow_the_roads() -> None:
    assert TOWN.legs(SHORT) == (50, 23, 41, 114)  # 4.1 + 2.3 + 5.0 back
    assert TOWN.legs(FAR) == (50, 133, 10, 93)  # 5.0 + 8.3 through the office


def test_the_interest_is_that_of_all_three() -> None:
    assert MID.value(SHORT, PlanMetric.INTEREST) == 11.7  # 4.00 + 4.20 + 3.50
    assert MID.value(FAR, PlanMetric.INTEREST) == 12.5  # 4.00 + 4.60 + 3.90


@pytest.mark.parametrize(("third", "cost"), [(0, 66), (1, 70), (2, 75)])
def test_the_cost_is_that_of_the_third_of_the_month(third: int, cost: int) -> None:
    assert PlanRanking(TOWN, third).value(SHORT, PlanMetric.COST) == cost  # ticket + 0 + 50


def test_the_distance_is_that_of_all_four_legs() -> None:
    assert MID.value(SHORT, PlanMetric.DISTANCE) == 22.8  # 5.0 + 2.3 + 4.1 + 11.4
    assert MID.value(FAR, PlanMetric.DISTANCE) == 28.6  # 5.0 + 13.3 + 1.0 + 9.3


def test_each_leg_takes_whole_minutes_by_itself() -> None:
    # 10 + 4.6 + 8.2 + 22.8 minutes are 10 + 5 + 9 + 23 = 47; with 330 minutes from 09:00: 15:17
    assert TOWN.ends(SHORT) == 15 * 60 + 17
    # 10 + 26.6 + 2 + 18.6 are 10 + 27 + 2 + 19 = 58
    assert TOWN.ends(FAR) == 15 * 60 + 28


def test_the_overall_score_is_by_the_least_and_most_of_all_plans() -> None:
    # Over the 12 plans: interest 11.60 to 12.50, cost 70 to 120, distance 22.8 to 49.4.
    # 0.4 x 0.10/0.90 + 0.4 x (1 - 0/50) + 0.2 x (1 - 0/26.6)
    assert MID.value(SHORT, PlanMetric.OVERALL) == pytest.approx(0.6444, abs=5e-5)
    # 0.4 x 0.90/0.90 + 0.4 x (1 - 50/50) + 0.2 x (1 - 5.8/26.6)
    assert MID.value(FAR, PlanMetric.OVERALL) == pytest.approx(0.5564, abs=5e-5)


def test_the_best_plans_in_either_order() -> None:
    there_and_back = {DayPlan(1, 3, 2), DayPlan(2, 3, 1)}
    assert MID.best(PlanMetric.INTEREST) == {DayPlan(1, 4, 5), DayPlan(5, 4, 1)}
    assert MID.best(PlanMetric.COST) == there_and_back
    assert MID.best(PlanMetric.DISTANCE) == there_and_back
    assert MID.best(PlanMetric.OVERALL) == there_and_back


def test_the_lead_is_that_over_the_next_value() -> None:
    assert MID.lead(PlanMetric.INTEREST) == pytest.approx(0.4)  # 12.50 to 12.10
    assert MID.lead(PlanMetric.COST) == 10  # 70 to 80
    assert MID.lead(PlanMetric.DISTANCE) == pytest.approx(5.8)  # 22.8 to 28.6
    assert MID.lead(PlanMetric.OVERALL) == pytest.approx(0.6444 - 0.5564, abs=1e-4)


def test_where_all_plans_are_equal_in_a_figure_it_counts_a_half() -> None:
    free = replace(
        TOWN,
        places=tuple(replace(p, prices=(0, 0, 0)) for p in TOWN.places),
        restaurants=tuple(replace(r, prices=(9, 9, 9)) for r in TOWN.restaurants),
    )
    ranking = PlanRanking(free, 0)
    # 0.4 x 0.10/0.90 + 0.4 x (1 - 0.5) + 0.2 x 1
    assert ranking.value(SHORT, PlanMetric.OVERALL) == pytest.approx(0.4444, abs=5e-5)
    assert (
        ranking.best(PlanMetric.COST) == set(free.plans)
        and ranking.lead(PlanMetric.COST) == math.inf
    )


def test_kilometres_as_the_crow_flies() -> None:
    """A degree of latitude is 6371 x pi / 180 = 111.19 km."""
    assert haversine_km(Point(0, 0), Point(0, 111.194927)) == pytest.approx(111.194927)
    assert haversine_km(Point(3, 0), Point(0, 4)) == pytest.approx(5, abs=0.01)


@pytest.mark.parametrize(
    ("days", "words"),
    [([4], "4"), ([4, 5], "4-5"), ([1, 3, 4, 5, 9], "1, 3-5 and 9"), (range(1, 31), "1-30")],
)
def test_days_in_words(days: list[int], words: str) -> None:
    assert format_days(days) == words


def test_a_month_has_three_thirds() -> None:
    assert [(third[0], third[-1]) for third in MONTH_THIRDS] == [(1, 10), (11, 20), (21, 30)]


# by another way --------------------------------------------------------------------------


Ways = Mapping[int, Mapping[int, float]]


def ways_of(roads: Mapping[tuple[int, int], float]) -> Ways:
    """The shortest way between any two numbers, in km."""
    numbers = sorted({number for pair in roads for number in pair})
    ways = {a: dict.fromkeys(numbers, math.inf) | {a: 0.0} for a in numbers}
    for (a, b), length in roads.items():
        ways[a][b] = ways[b][a] = length
    for via in numbers:
        for a in numbers:
            for b in numbers:
                ways[a][b] = min(ways[a][b], ways[a][via] + ways[via][b])
    return ways


def all_figures(drawn: Town, ways: Ways, third: int) -> Mapping[DayPlan, Mapping[str, float]]:
    """The figures of every plan, in whole points, euros and kilometres."""
    found: dict[DayPlan, dict[str, float]] = {}
    for one, other in permutations(drawn.places, 2):
        for meal in drawn.restaurants:
            stations = [OFFICE, one.number, meal.number, other.number, OFFICE]
            found[DayPlan(one.number, meal.number, other.number)] = {
                "interest_score": sum(stop.interest / 100 for stop in (one, meal, other)),
                "cost_per_person": sum(stop.prices[third] for stop in (one, meal, other)),
                "total_travel_distance": sum(ways[a][b] for a, b in pairwise(stations)),
            }
    ranges = {
        name: (min(f[name] for f in found.values()), max(f[name] for f in found.values()))
        for name in ("interest_score", "cost_per_person", "total_travel_distance")
    }
    for figures in found.values():
        interest, cost, distance = (
            (figures[name] - low) / (high - low) if high > low else 0.5
            for name, (low, high) in ranges.items()
        )
        figures["overall_score"] = 0.4 * interest + 0.4 * (1 - cost) + 0.2 * (1 - distance)
    return found


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_the_documents_are_read_as_they_were_written(seed: int) -> None:
    drawn = town(seed)
    text = stops_text(drawn)
    assert tuple(PLACE.find_all(text)) == drawn.places
    assert tuple(RESTAURANT.find_all(text)) == drawn.restaurants
    assert parse_roads(roads_csv(drawn.roads)) == drawn.roads


def test_free_and_seasonal_tickets_are_read_as_they_were_written() -> None:
    for prices in ((0, 0, 0), (30, 30, 30), (16, 20, 25), (0, 0, 5)):
        stop = Stop(7, "Juno's Maze & Co.", 405, prices)
        assert PLACE.parse(PLACE.render(stop)) == stop


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2))
def test_another_way_to_calculate_gives_the_same(seed: int, third: int) -> None:
    drawn = town(seed)
    ranking = PlanRanking(drawn, third)
    ways = ways_of({(a, b): tenths / 10 for a, b, tenths in drawn.roads})
    figures = all_figures(drawn, ways, third)
    assert len(figures) == len(drawn.plans) == 300
    for plan, values in figures.items():
        for figure in PlanMetric:
            assert values[figure] == pytest.approx(ranking.value(plan, figure))
    for figure in PlanMetric:
        sign = 1 if figure in (PlanMetric.INTEREST, PlanMetric.OVERALL) else -1
        most = max(sign * ranking.value(plan, figure) for plan in drawn.plans)
        best = {p for p in drawn.plans if sign * ranking.value(p, figure) > most - 1e-9}
        assert ranking.best(figure) == best


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_the_roads_are_the_least_that_join_all(seed: int) -> None:
    """Between no two points is there a shorter line than the longest road of the way there."""
    land = draw_road_network(random_stream("tree", seed))
    at = {marker.number: Point(marker.x, marker.y) for marker in land.picture.markers}
    assert len(land.roads) == 16 and set(at) == set(range(17))
    longest: dict[int, dict[int, float]] = {OFFICE: {OFFICE: 0.0}}
    for a, b, _ in land.roads:  # each joins one more to those before
        road = math.dist(at[a], at[b])
        longest[b] = {n: max(road, least) for n, least in longest[a].items()} | {b: 0.0}
        for other in list(longest[a]):
            longest[other][b] = longest[b][other]
    assert set(longest) == set(at)
    for a, b in combinations(at, 2):
        assert math.dist(at[a], at[b]) >= longest[a][b] - 2
    scales = [math.dist(at[a], at[b]) / tenths for a, b, tenths in land.roads]
    assert max(scales) < 1.05 * min(scales)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(RETURN_TIMES))
def test_a_given_day_is_clearly_in_time_or_clearly_not(seed: int, back: int) -> None:
    draws = random_stream("timed", seed)
    stops = draw_stops(draws)
    drawn = Town(stops[:6], stops[6:], draw_short_day_network(draws, back).roads)
    plan = draw_plan(random_stream("plan", seed), drawn, back)
    assert abs(drawn.ends(plan) - back) >= 10
    assert all(leg % 5 for leg in drawn.legs(plan))  # no leg of just so many minutes


@pytest.mark.parametrize("figure", PlanMetric)
def test_tolerances_are_as_declared_and_no_wider(figure: PlanMetric) -> None:
    assert is_close(5 + TOLERANCE[figure], 5, figure) and is_close(5, 5, figure)
    for wrong in (5 + 1.5 * TOLERANCE[figure], 5 - 1.5 * TOLERANCE[figure], math.nan, math.inf):
        assert not is_close(wrong, 5, figure)


# the picture of the roads -----------------------------------------------------------------


def test_the_map_is_legible_for_all_seeds() -> None:
    """No length overlaps another one, a marker, or another road; no roads cross."""
    for seed in range(40):
        drawn = map_of(day_of("A1", seed, modality=Modality.PICTURES).tasks[0].instance)
        at = {marker.number: Point(marker.x, marker.y) for marker in drawn.markers}
        boxes = [label_box(road.length, Point(road.x, road.y)) for road in drawn.roads]
        assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
        for box, own in zip(boxes, drawn.roads, strict=True):
            assert all(box.distance(spot) > MARKER_RADIUS for spot in at.values())
            others = [road for road in drawn.roads if road is not own]
            assert all(box.span(at[road.a], at[road.b]) is None for road in others)
        for a, b in combinations(at.values(), 2):
            assert math.dist(a, b) > 3 * MARKER_RADIUS
        for one, other in combinations(drawn.roads, 2):
            if not {one.a, one.b} & {other.a, other.b}:
                assert not _cross(at[one.a], at[one.b], at[other.a], at[other.b])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
