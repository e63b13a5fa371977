"""What is handed in, and how its parts are compared with what is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric
from trainee_bench.meta_tasks.families.event_planning.stop_names import normalize_name
from trainee_bench.meta_tasks.families.event_planning.town import DayPlan, Town

TOLERANCE: Mapping[PlanMetric, float] = {
    PlanMetric.INTEREST: 0.01,
    PlanMetric.COST: 0.1,
    PlanMetric.DISTANCE: 0.05,
    PlanMetric.OVERALL: 0.001,
}
"""Half of the last digit on the map for distances; the sums are exact."""
END_TOLERANCE = 3
_ROUNDING = 1e-9
"""What binary fractions may be off."""

Date = Annotated[
    date, Field(description="date, YYYY-MM-DD: the one of `possible_dates` you choose")
]
Dates = Annotated[
    list[date],
    Field(description="list of dates, YYYY-MM-DD: all dates on which every member is free"),
]
Vegetarian = Annotated[int, Field(description="how many members take the vegetarian menu")]
ReturnTime = Annotated[
    time, Field(description="time of day, HH:MM: when the team is back at the office")
]
InTime = Annotated[bool, Field(description="whether that is no later than the team has to be back")]


class NamedPlan(BaseModel):
    """A plan by the names of its stops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    morning: str
    lunch: str
    afternoon: str


PLAN_NAMES_DESCRIPTION = "the names of a place, a restaurant and another place, as they are listed"
ChosenPlan = Annotated[
    NamedPlan,
    Field(description=f"object with `morning`, `lunch` and `afternoon`: {PLAN_NAMES_DESCRIPTION}"),
]


class EventDeliverable(Deliverable):
    """The fields of every level; `sheet` adds those of one."""

    event_date: Date
    possible_dates: Dates
    vegetarian_meals: Vegetarian


class OwnPlanDeliverable(EventDeliverable):
    """A sheet with a plan of one's own."""

    plan: ChosenPlan


_FIGURES: Mapping[PlanMetric, str] = {
    PlanMetric.INTEREST: "rounded to 2 decimals",
    PlanMetric.COST: "EUR, rounded to 2 decimals",
    PlanMetric.DISTANCE: "km, rounded to 2 decimals",
    PlanMetric.OVERALL: "rounded to 4 decimals",
}


@cache
def deliverable_model(
    figures: tuple[PlanMetric, ...], *, planned: bool, timed: bool
) -> type[EventDeliverable]:
    """The model of a sheet with these *figures*, a plan if *planned*, and the end of the day
    if *timed*."""
    base: type[EventDeliverable] = OwnPlanDeliverable if planned else EventDeliverable
    fields = {f.value: (float, Field(description=_FIGURES[f])) for f in figures}
    ends = {"end_time": ReturnTime, "can_complete_on_time": InTime} if timed else {}
    make: Any = create_model  # fields that are known at run time only have no type
    made: type[EventDeliverable] = make("FigureSheet", __base__=base, **fields, **ends)
    return made


def is_close(given: float, right: float, figure: PlanMetric) -> bool:
    """Whether a figure is right within its tolerance."""
    return abs(given - right) <= TOLERANCE[figure] + _ROUNDING


def resolve_plan(plan: NamedPlan, town: Town) -> DayPlan | None:
    """The plan by numbers, None if it is not one: a name that is not listed, or a place twice."""
    places = {normalize_name(stop.name): stop.number for stop in town.places}
    restaurants = {normalize_name(stop.name): stop.number for stop in town.restaurants}
    morning = places.get(normalize_name(plan.morning))
    lunch = restaurants.get(normalize_name(plan.lunch))
    afternoon = places.get(normalize_name(plan.afternoon))
    if morning is None or lunch is None or afternoon is None or morning == afternoon:
        return None
    return DayPlan(morning, lunch, afternoon)


def minute_of_day(clock: time) -> int:
    """The minutes of the day that a time of day is."""
    return clock.hour * 60 + clock.minute


def format_clock(minutes_of_day: int) -> str:
    """Minutes of the day as they are written: "17:30"."""
    return f"{minutes_of_day // 60:02}:{minutes_of_day % 60:02}"


def same_dates(given: Sequence[date], right: Sequence[date]) -> bool:
    """Whether these are the same dates, in any order, each once."""
    return sorted(given) == sorted(right)
