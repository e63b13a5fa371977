"""What a seed decides openly: the town, the plan, the figures, the hour to be back."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from trainee_bench.meta_tasks.families.event_planning.deliverables import TOLERANCE
from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric
from trainee_bench.meta_tasks.families.event_planning.road_network import (
    PLACES,
    RESTAURANTS,
    RoadNetwork,
    draw_road_network,
)
from trainee_bench.meta_tasks.families.event_planning.stop_names import draw_stops
from trainee_bench.meta_tasks.families.event_planning.town import (
    TENTHS_PER_MINUTE,
    DayPlan,
    PlanRanking,
    Stop,
    Town,
)
from trainee_bench.meta_tasks.task_context import TaskContext

RETURN_TIMES = (17 * 60 + 30, 18 * 60, 19 * 60)
_MIDNIGHT = 24 * 60
_NAMELESS = tuple(Stop(n, "", 0, (0, 0, 0)) for n in range(1, PLACES + RESTAURANTS + 1))
_CLEAR = 10
"""Minutes between the end of a given day and the hour to be back, at least."""


def draw_town(
    context: TaskContext,
    best: PlanMetric | None,
    fixed: Sequence[str] = (),
    back: int | None = None,
) -> tuple[Town, RoadNetwork]:
    """A town in which the plans that are *best* in a figure, if one is asked for, lead clearly
    whatever the date; ties at the top are welcome. No name is like one of *fixed*. With an hour
    to be *back* (in minutes of the day) some plan ends clearly before or after it."""
    lands, names = context.stream("land"), context.stream("stops")
    land, stops = draw_short_day_network(lands, back), draw_stops(names, fixed)
    while True:
        town = Town(stops[:PLACES], stops[PLACES:], land.roads)
        if best is None or _leads(town, best):
            return town, land
        if best is PlanMetric.DISTANCE:
            land = draw_short_day_network(lands, back)
        else:
            stops = draw_stops(names, fixed)


def draw_short_day_network(draws: Random, back: int | None) -> RoadNetwork:
    """Land in which every plan ends on the day on which it begins, and one clear of *back*."""
    while True:
        land = draw_road_network(draws)
        town = Town(_NAMELESS[:PLACES], _NAMELESS[PLACES:], land.roads)
        if max(map(town.ends, town.plans)) < _MIDNIGHT and (back is None or _clear(town, back)):
            return land


def _leads(town: Town, figure: PlanMetric) -> bool:
    thirds = range(3) if figure in (PlanMetric.COST, PlanMetric.OVERALL) else range(1)
    return all(PlanRanking(town, third).lead(figure) >= 10 * TOLERANCE[figure] for third in thirds)


def draw_figures(draws: Random, count: int) -> tuple[PlanMetric, ...]:
    """The distance, for which the map is needed, and *count* - 1 others, in their order."""
    others = draws.sample((PlanMetric.INTEREST, PlanMetric.COST), count - 1)
    return tuple(figure for figure in PlanMetric if figure in (*others, PlanMetric.DISTANCE))


def draw_plan(draws: Random, town: Town, back: int | None) -> DayPlan:
    """A plan to be given. With an hour to be *back* (in minutes of the day) it ends clearly
    before or clearly after it, as likely if there are both; *town* was drawn for that hour."""
    if back is None:
        return draws.choice(town.plans)
    clear = _clear(town, back)
    late = [plan for plan in clear if town.ends(plan) > back]
    early = [plan for plan in clear if town.ends(plan) < back]
    first, second = (early, late) if draws.random() < 0.5 else (late, early)
    return draws.choice(first or second)


def _clear(town: Town, back: int) -> list[DayPlan]:
    """The plans that end clearly before or after the hour, whatever is rounded."""
    return [
        plan
        for plan in town.plans
        # whole minutes could come out one longer with binary fractions
        if all(tenths % TENTHS_PER_MINUTE for tenths in town.legs(plan))
        and abs(town.ends(plan) - back) >= _CLEAR
    ]
