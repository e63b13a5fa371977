"""What is handed in for an event: the plan, and the figures that follow from it."""

from __future__ import annotations

from pydantic import JsonValue

from trainee_bench.meta_tasks.families.event_planning.brief import (
    Calendars,
    EventPlanningBrief,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import clock_at, minute_of_day
from trainee_bench.meta_tasks.families.event_planning.town import (
    DayPlan,
    PlanMetric,
    PlanRanking,
    Town,
)


def sheet_of(brief: EventPlanningBrief, calendars: Calendars, town: Town) -> dict[str, JsonValue]:
    """What is handed in: the given plan or the best one, with the figures that are asked for."""
    ranking = PlanRanking(town, calendars.third)
    best = ranking.best(brief.best or PlanMetric.OVERALL)
    plan = next(plan for plan in town.plans if plan in best)
    if brief.plan:
        given = town.numbers_of(brief.plan)
        assert given is not None, f"{brief.plan} is not in the list"
        plan = given
    sheet = _sheet(brief, calendars, town, plan, ranking)
    return {name: sheet[name] for name in brief.sheet.model_fields}


def _sheet(
    brief: EventPlanningBrief, calendars: Calendars, town: Town, plan: DayPlan, ranking: PlanRanking
) -> dict[str, JsonValue]:
    """All that any level asks for."""
    dates: list[JsonValue] = [day.isoformat() for day in calendars.dates]
    ends = town.ends(plan)
    figures = {figure.value: round(ranking.value(plan, figure), 2) for figure in PlanMetric}
    return {
        "event_date": dates[0],
        "possible_dates": dates,
        "vegetarian_meals": calendars.vegetarian,
        "plan": town.names_of(plan).model_dump(),
        **figures,
        "cost_per_person": int(figures[PlanMetric.COST]),
        "overall_score": round(ranking.value(plan, PlanMetric.OVERALL), 4),
        "end_time": f"{clock_at(ends):%H:%M}",
        "can_complete_on_time": brief.back is not None and ends <= minute_of_day(brief.back),
    }
