"""What is right about an event, and how what is handed in is held against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from functools import cached_property, partial

from trainee_bench.meta_tasks.authoring import Checkpoint, GradingContext, Verdict
from trainee_bench.meta_tasks.checkpoints import CheckFunction
from trainee_bench.meta_tasks.families.event_planning.brief import Calendars
from trainee_bench.meta_tasks.families.event_planning.deliverables import (
    END_TOLERANCE,
    EventDeliverable,
    OwnPlanDeliverable,
    deliverable_model,
    is_close,
    minute_of_day,
)
from trainee_bench.meta_tasks.families.event_planning.town import (
    DayPlan,
    PlanMetric,
    PlanRanking,
    Town,
)

NO_PLAN = "the plan does not name a listed place, a listed restaurant and another listed place"
WHERE_GUIDELINES = "The guidelines for team events that the task names, and the data they name."


@dataclass(frozen=True)
class EventTruth:
    """What is right. ``plan`` is the given one, if it is given; ``best`` the figure in which
    the plan sought is the best, if one is sought; else any plan will do."""

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
        """The model of what is handed in."""
        return deliverable_model(
            self.figures, planned=self.plan is None, timed=self.return_by is not None
        )

    @cached_property
    def ranking(self) -> PlanRanking:
        """All plans on the dates of the event."""
        return PlanRanking(self.town, self.calendars.third)

    def graded_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The plan whose figures are asked for: the given one, a best one, or the handed-in
        one, None if that is none."""
        if self.best is not None:
            return min(self.ranking.best(self.best))
        return self.plan or self.submitted_plan(given)

    def submitted_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The plan that is handed in, None if it is not one."""
        return self.town.numbers_of(given.plan) if isinstance(given, OwnPlanDeliverable) else None


Grading = GradingContext[EventTruth]


def read_sheet(grading: Grading) -> EventDeliverable:
    """What was handed in. Raises Unreadable."""
    return grading.read(grading.truth.path, grading.truth.deliverable_model)


def _figure_right(place: int, family: object, grading: Grading) -> Verdict:
    """The figure at this place among those asked for."""
    given, truth = read_sheet(grading), grading.truth
    figure, plan = truth.figures[place], truth.graded_plan(given)
    if plan is None:
        return Verdict(False, NO_PLAN)
    value: float = getattr(given, figure.value)
    right = truth.ranking.value(plan, figure)
    return Verdict(is_close(value, right, figure), f"{figure.value} says {value:g}")


def _end_right(family: object, grading: Grading) -> Verdict:
    """The hour of the return, and what follows from it."""
    given, truth = read_sheet(grading), grading.truth
    plan = truth.graded_plan(given)
    if plan is None or truth.return_by is None:
        return Verdict(False, NO_PLAN)
    end: time = getattr(given, "end_time")  # noqa: B009 - a field of this sheet only
    in_time: bool = getattr(given, "can_complete_on_time")  # noqa: B009
    near = abs(minute_of_day(end) - truth.town.ends(plan)) <= END_TOLERANCE
    follows = in_time == (minute_of_day(end) <= truth.return_by)
    seen = f"end_time says {end:%H:%M}"
    seen += "" if follows else ", and can_complete_on_time does not follow from it"
    return Verdict(near and follows, seen)


# the checkpoints of fields that only some sheets have ----------------------------------------

_HOW: Mapping[PlanMetric | None, str] = {
    PlanMetric.INTEREST: "Add up the interest scores of both places and of the restaurant.",
    PlanMetric.COST: "Add up the meal and both tickets, at the prices of the third of the month in "
    "which your date lies.",
    PlanMetric.DISTANCE: "For each of the four legs, from the office and back to it, follow the "
    "roads, not straight lines, and add up their lengths.",
    PlanMetric.OVERALL: "Calculate the other three figures of all 300 plans and find the lowest "
    "and highest of each. Normalize your plan's figures with them, and only then weight them.",
    None: "Calculate each figure by its own line of the guidelines, and round only at the end.",
}


def field_checkpoints(
    figures: Sequence[PlanMetric | None], timed: bool, weight: float
) -> tuple[Checkpoint, ...]:
    """Those of the figures (None where the seed is yet to draw one) and, if the day is *timed*,
    of its end; together they weigh *weight*. None counts unless everybody was asked."""
    each = weight / (len(figures) + timed)
    marks = []
    for place, figure in enumerate(figures):
        name = figure.value if figure else f"figure_{place + 1}"
        sentence = f"{figure.value if figure else f'Requested figure {place + 1}'} is right"
        check = partial(_figure_right, place)
        marks.append(_checkpoint(name, sentence, each, _HOW[figure], check))
    if timed:
        sentence = "The return time, and whether it is in time, are right"
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
        needs="everybody_asked",
    )
