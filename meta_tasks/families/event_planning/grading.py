"""How what is handed in is held against what is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import time

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.event_planning.deliverables import (
    END_TOLERANCE,
    is_close,
    minute_of_day,
    same_dates,
)
from trainee_bench.meta_tasks.families.event_planning.ground_truth import EventTruth
from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric, PlanningLevel
from trainee_bench.meta_tasks.meta_task import Checkpoint, GradingContext, Verdict

DATES_WEIGHT, TOLD_WEIGHT, PLANNING_WEIGHT = 2.0, 1.0, 7.0
"""The dates, that everybody was asked, and all the rest together: as 0.3 to 0.7."""
_PLAN_SHARE = 4 / 7
NO_PLAN = "the plan does not name a listed place, a listed restaurant and another listed place"


def dates_right(grading: GradingContext[EventTruth]) -> Verdict:
    """All common dates and no others, one of them chosen, and the number of menus."""
    truth = grading.truth
    given = grading.read_deliverable(truth.path, truth.deliverable_model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    seen = [f"{len(given.possible_dates)} possible dates, {given.vegetarian_meals} vegetarian"]
    dates = same_dates(given.possible_dates, truth.dates)
    seen += [] if dates else ["the dates are not just those on which all are free"]
    among = given.event_date in truth.dates
    seen += [] if among else ["event_date is not one of these"]
    meals = given.vegetarian_meals == truth.vegetarian
    seen += [] if meals else ["that is not the number of vegetarian menus"]
    return Verdict(dates and among and meals, "; ".join(seen))


def all_told(grading: GradingContext[EventTruth]) -> Verdict:
    """Every member has told."""
    told = sum(grading.clue_released_at(clue) is not None for clue in grading.truth.clues)
    count = len(grading.truth.clues)
    return Verdict(told == count, f"{told} of {count} members have told you when they are free")


def figure_right(grading: GradingContext[EventTruth], place: int) -> Verdict:
    """The figure at this place among those asked for."""
    truth = grading.truth
    given = grading.read_deliverable(truth.path, truth.deliverable_model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    figure = truth.figures[place]
    plan = truth.graded_plan(given)
    if plan is None:
        return Verdict(False, NO_PLAN)
    value: float = getattr(given, figure.value)
    right = truth.ranking.value(plan, figure)
    return Verdict(is_close(value, right, figure), f"{figure.value} says {value:g}")


def plan_best(grading: GradingContext[EventTruth]) -> Verdict:
    """One of the best plans."""
    truth = grading.truth
    given = grading.read_deliverable(truth.path, truth.deliverable_model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    plan = truth.submitted_plan(given)
    if plan is None or truth.best is None:
        return Verdict(False, NO_PLAN)
    right = plan in truth.ranking.best(truth.best)
    return Verdict(right, "the plan is a best one" if right else "there is a better plan")


def end_right(grading: GradingContext[EventTruth]) -> Verdict:
    """The hour of the return, and what follows from it."""
    truth = grading.truth
    given = grading.read_deliverable(truth.path, truth.deliverable_model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
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


# what it weighs, and what is said about it --------------------------------------------------

_CALENDARS = (
    "In the answers of the members of the department in the chat; the directory lists them all."
)
_GUIDELINES = "In the guidelines for team events that the task names, and in the data they name."
_HOW: Mapping[PlanMetric, str] = {
    PlanMetric.INTEREST: "Add up the interest scores of both places and of the restaurant.",
    PlanMetric.COST: "Add up both tickets, at the price of that third of the month in which your date "
    "lies, and the meal.",
    PlanMetric.DISTANCE: "Follow the roads for each of the four legs, from the office and back to it, "
    "and add up their lengths; no leg is as the crow flies.",
    PlanMetric.OVERALL: "Calculate the three other figures of all 300 plans and find the lowest and "
    "highest of each; bring those of your plan between 0 and 1 with them, and only then weigh.",
}
_HOW_ANY = "Take each figure from its own line of the guidelines, and round at the end only."


def checkpoints(
    level: PlanningLevel, figures: Sequence[PlanMetric | None]
) -> tuple[Checkpoint, ...]:
    """What is checked; a figure that the seed is yet to draw is None."""
    weights = [PLANNING_WEIGHT / (len(figures) + level.timed)] * (len(figures) + level.timed)
    marks = [_dates(), _told()]
    if level.best is not None:
        weights = [PLANNING_WEIGHT * (1 - _PLAN_SHARE)]
        marks.append(_best(PLANNING_WEIGHT * _PLAN_SHARE))
    marks += [_figure(place, f, weights[place]) for place, f in enumerate(figures)]
    return (*marks, _end(weights[-1])) if level.timed else tuple(marks)


def _dates() -> Checkpoint:
    return _mark(
        "dates_right",
        "The possible dates, the one chosen and the number of vegetarian menus are right",
        DATES_WEIGHT,
        _CALENDARS,
        "Ask every single member, managers too. Write down the dates of each, keep those that all "
        "of them named, and count who takes the vegetarian menu.",
        dates_right,
    )


def _told() -> Checkpoint:
    told = _mark(
        "everybody_asked",
        "Every member of the department has told you when they are free",
        TOLD_WEIGHT,
        _CALENDARS,
        "Send each member a message of their own about the team event, and read the answers some "
        "minutes later.",
        all_told,
    )
    return replace(told, only_with="dates_right")


def _best(weight: float) -> Checkpoint:
    return _mark(
        "plan_best",
        "No other plan is better in the figure asked for",
        weight,
        _GUIDELINES,
        "Compare all 300 plans: 6 places in the morning, 10 restaurants, the 5 other places in the "
        "afternoon. Prices are those on the date of the event.",
        plan_best,
    )


def _figure(place: int, figure: PlanMetric | None, weight: float) -> Checkpoint:
    def check(grading: GradingContext[EventTruth]) -> Verdict:
        return figure_right(grading, place)

    which = f"Figure {place + 1} of those asked for" if figure is None else figure.value
    return _mark(
        f"figure_{place + 1}" if figure is None else figure.value,
        f"{which} is right",
        weight,
        _GUIDELINES,
        _HOW_ANY if figure is None else _HOW[figure],
        check,
    )


def _end(weight: float) -> Checkpoint:
    return _mark(
        "end_time",
        "The time of the return, and whether it is in time, are right",
        weight,
        _GUIDELINES,
        "Round the minutes of each leg up by itself, add them to the 120, 90 and 120 minutes, and "
        "count from 09:00.",
        end_right,
    )


def _mark(
    name: str,
    sentence: str,
    weight: float,
    where: str,
    how: str,
    check: Callable[[GradingContext[EventTruth]], Verdict],
) -> Checkpoint:
    def of_family(family: object, grading: GradingContext[EventTruth]) -> Verdict:
        return check(grading)

    return Checkpoint(name, sentence, weight, None, where, how, forbidden=False, check=of_family)
