"""The deliverable of each level, its right answer, and how figures are compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import cache, cached_property, partial
from typing import Any

from pydantic import Field, create_model

from trainee_bench.meta_tasks.authoring import (
    TEXT,
    Checkpoint,
    Converter,
    Deliverable,
    GradingContext,
    Verdict,
)
from trainee_bench.meta_tasks.checkpoints import CheckFunction
from trainee_bench.meta_tasks.families.event_planning.subject import (
    Calendars,
    DayPlan,
    NamedPlan,
    PlanMetric,
    PlanRanking,
    Town,
)

TOLERANCE: Mapping[PlanMetric, float] = {
    PlanMetric.INTEREST: 0.01,
    PlanMetric.COST: 0.1,
    PlanMetric.DISTANCE: 0.05,
    PlanMetric.OVERALL: 0.001,
}
"""The largest accepted error. For distances, half of the map's last digit; sums are exact."""
END_TOLERANCE = 3
_ROUNDING = 1e-9
"""The possible error of binary fractions."""


class EventDeliverable(Deliverable):
    """The fields of every level; `deliverable_model` adds those of a single level."""

    event_date: date = Field(
        description="date, YYYY-MM-DD: the date that you choose from `possible_dates`"
    )
    possible_dates: list[date] = Field(
        description="list of dates, YYYY-MM-DD: all dates on which every member is free"
    )
    vegetarian_meals: int = Field(description="how many members take the vegetarian menu")


class OwnPlanDeliverable(EventDeliverable):
    """A deliverable with the employee's own plan."""

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
    """The model with these *figures*, a plan if *planned*, and the end of the day if *timed*."""
    base: type[EventDeliverable] = OwnPlanDeliverable if planned else EventDeliverable
    figure_fields = {
        figure.value: (float, Field(description=_FIGURES[figure])) for figure in figures
    }
    back = Field(description="time of day, HH:MM: when the team is back at the office")
    in_time = Field(
        description="whether `end_time` is no later than the time by which the team has to be back"
    )
    ends = {"end_time": (time, back), "can_complete_on_time": (bool, in_time)} if timed else {}
    make: Any = create_model  # fields known only at run time have no static type
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
    """Whether *given* is within the figure's tolerance of *right*."""
    return abs(given - right) <= TOLERANCE[figure] + _ROUNDING


def minute_of_day(clock: time) -> int:
    """The minutes from midnight to *clock*."""
    return clock.hour * 60 + clock.minute


def clock_at(minute: int) -> time:
    """The time of day *minute* minutes after midnight."""
    return time(minute // 60, minute % 60)


# right answers -------------------------------------------------------------------------------

NO_PLAN = "the plan does not name a listed place, a listed restaurant and another listed place"
WHERE_GUIDELINES = "The guidelines for team events that the task names, and the data they name."


@dataclass(frozen=True)
class EventTruth:
    """The right answers.

    ``plan`` is the given plan, if any. ``best`` is the figure in which a plan has to be the best,
    if any. Without both, any plan will do.
    """

    path: str
    calendars: Calendars
    town: Town
    figures: tuple[PlanMetric, ...]
    plan: DayPlan | None
    best: PlanMetric | None
    return_by: int | None
    clues: tuple[str, ...]

    @property
    def deliverable_model(self) -> type[EventDeliverable]:
        """The model of the deliverable."""
        return deliverable_model(
            self.figures, planned=self.plan is None, timed=self.return_by is not None
        )

    @cached_property
    def ranking(self) -> PlanRanking:
        """All plans on the dates of the event."""
        return PlanRanking(self.town, self.calendars.third)

    def graded_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The plan whose figures are graded: a best, the given or the submitted one.

        None if the submitted one is not a plan.
        """
        if self.best is not None:
            return min(self.ranking.best(self.best))
        return self.plan or self.submitted_plan(given)

    def submitted_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The submitted plan; None if it is not a plan."""
        return self.town.numbers_of(given.plan) if isinstance(given, OwnPlanDeliverable) else None


Grading = GradingContext[EventTruth]


def read_sheet(grading: Grading) -> EventDeliverable:
    """Read the deliverable. Raises Unreadable."""
    return grading.read(grading.truth.path, grading.truth.deliverable_model)


def _figure_right(place: int, family: object, grading: Grading) -> Verdict:
    """Check the figure at this place among those asked for."""
    given, truth = read_sheet(grading), grading.truth
    figure, plan = truth.figures[place], truth.graded_plan(given)
    if plan is None:
        return Verdict(False, NO_PLAN)
    value: float = getattr(given, figure.value)
    right = truth.ranking.value(plan, figure)
    return Verdict(is_close(value, right, figure), f"{figure.value} says {value:g}")


def _end_right(family: object, grading: Grading) -> Verdict:
    """Check the return time, and whether the team is back in time."""
    given, truth = read_sheet(grading), grading.truth
    plan = truth.graded_plan(given)
    if plan is None or truth.return_by is None:
        return Verdict(False, NO_PLAN)
    end: time = getattr(given, "end_time")  # noqa: B009 - a field of some models only
    in_time: bool = getattr(given, "can_complete_on_time")  # noqa: B009
    near = abs(minute_of_day(end) - truth.town.ends(plan)) <= END_TOLERANCE
    follows = in_time == (minute_of_day(end) <= truth.return_by)
    seen = f"end_time says {end:%H:%M}"
    seen += "" if follows else ", and can_complete_on_time does not follow from it"
    return Verdict(near and follows, seen)


# checkpoints of fields that only some levels have --------------------------------------------

_HOW: Mapping[PlanMetric | None, str] = {
    PlanMetric.INTEREST: "Add up the interest scores of both places and of the restaurant.",
    PlanMetric.COST: "Add up the meal and both tickets, at the prices for the third of the month "
    "with your date.",
    PlanMetric.DISTANCE: "For each of the four legs, from the office and back to it, follow the "
    "roads, not straight lines, and add up their lengths.",
    PlanMetric.OVERALL: "Calculate the other three figures of all 300 plans, and find the lowest "
    "and highest of each. Normalize your plan's figures with them, and only then weight them.",
    None: "Calculate each figure by its own line in the guidelines, and round only at the end.",
}


def field_checkpoints(
    figures: Sequence[PlanMetric | None], timed: bool, weight: float
) -> tuple[Checkpoint, ...]:
    """The checkpoints of the figures, and of the return time if the day is *timed*.

    A figure is None if the seed has not drawn it yet. Together they weigh *weight*, and they count
    only if everybody was asked.
    """
    each = weight / (len(figures) + timed)
    marks = []
    for place, figure in enumerate(figures):
        name = figure.value if figure else f"figure_{place + 1}"
        sentence = f"{figure.value if figure else f'Requested figure {place + 1}'} is right"
        check = partial(_figure_right, place)
        marks.append(_checkpoint(name, sentence, each, _HOW[figure], check))
    if timed:
        sentence = "The return time is right, and so is the statement whether it is in time"
        how = (
            "Round the minutes of each leg up separately, add the stays of 120, 90 and 120 "
            "minutes, and count from 09:00."
        )
        marks.append(_checkpoint("end_time", sentence, each, how, _end_right))
    return tuple(marks)


def _checkpoint(
    name: str, sentence: str, weight: float, how: str, check: CheckFunction
) -> Checkpoint:
    return Checkpoint(
        name,
        sentence,
        weight,
        None,
        WHERE_GUIDELINES,
        how,
        forbidden=False,
        check=check,
        only_after="everybody_asked",
    )
