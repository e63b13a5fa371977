"""What is handed in at each level, and how figures are compared with what is right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from functools import cache
from typing import Any

from pydantic import Field, create_model

from trainee_bench.meta_tasks.authoring import TEXT, Converter, Deliverable
from trainee_bench.meta_tasks.families.event_planning.town import NamedPlan, PlanMetric

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


class EventDeliverable(Deliverable):
    """The fields of every level; `deliverable_model` adds those of one."""

    event_date: date = Field(
        description="date, YYYY-MM-DD: the one of `possible_dates` that you choose"
    )
    possible_dates: list[date] = Field(
        description="list of dates, YYYY-MM-DD: all dates on which every member is free"
    )
    vegetarian_meals: int = Field(description="how many members take the vegetarian menu")


class OwnPlanDeliverable(EventDeliverable):
    """A sheet with a plan of one's own."""

    plan: NamedPlan = Field(
        description="object with `morning`, `lunch` and `afternoon`: the names of a place, a "
        "restaurant and another place, as they are listed"
    )


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
    figure_fields = {f.value: (float, Field(description=_FIGURES[f])) for f in figures}
    back = Field(description="time of day, HH:MM: when the team is back at the office")
    in_time = Field(
        description="whether that is no later than the time by which the team has to be back"
    )
    ends = {"end_time": (time, back), "can_complete_on_time": (bool, in_time)} if timed else {}
    make: Any = create_model  # fields that are known at run time only have no type
    made: type[EventDeliverable] = make("FigureSheet", __base__=base, **figure_fields, **ends)
    return made


def _described(text: str) -> type[EventDeliverable]:
    """The model that *text* describes."""
    names = re.findall(r"^- `(\w+)`", text, re.MULTILINE)
    figures = tuple(figure for figure in PlanMetric if figure in names)
    return deliverable_model(figures, planned="plan" in names, timed="end_time" in names)


SHEET = Converter(TEXT.pattern, _described, lambda model: model.describe())
"""A model, written as the description of its fields."""


def is_close(given: float, right: float, figure: PlanMetric) -> bool:
    """Whether a figure is right within its tolerance."""
    return abs(given - right) <= TOLERANCE[figure] + _ROUNDING


def minute_of_day(clock: time) -> int:
    """The minutes of the day that a time of day is."""
    return clock.hour * 60 + clock.minute


def clock_at(minute: int) -> time:
    """The time of day of a minute of the day."""
    return time(minute // 60, minute % 60)
