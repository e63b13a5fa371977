"""The honest way to an event: ask everybody, read the documents, look at the map, calculate."""

from __future__ import annotations

import json

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import (
    ToolClient,
    ask_everybody,
    everybody_in,
    hand_in,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.event_planning.brief import (
    FREE_DATES,
    OBJECTIVE,
    OBJECTIVE_RULES,
    Calendars,
    EventPlanningBrief,
    combine,
    rules_for,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import clock_at, minute_of_day
from trainee_bench.meta_tasks.families.event_planning.documents import (
    GUIDELINES,
    PLACE,
    RESTAURANT,
    parse_roads,
)
from trainee_bench.meta_tasks.families.event_planning.town import (
    DayPlan,
    PlanMetric,
    PlanRanking,
    Road,
    Town,
)
from trainee_bench.meta_tasks.vision.road_map import read_road_map


async def plan_event(client: ToolClient) -> None:
    """Hand in the dates and the plan with its figures.

    Raises ToolFailed if a member does not tell when they are free.
    """
    brief = await read_brief(client, OBJECTIVE, OBJECTIVE_RULES, rules_for)
    await hand_in_event(client, brief, await _ask_members(client, brief.department))


async def hand_in_event(
    client: ToolClient, brief: EventPlanningBrief, calendars: Calendars
) -> None:
    """Hand in the plan with its figures, as the documents say, for dates on which all are free."""
    sheet = sheet_of(brief, calendars, await _read_town(client, brief.guidelines))
    await hand_in(client, brief.output, json.dumps(sheet, indent=2))


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


async def _ask_members(client: ToolClient, department: str) -> Calendars:
    members = await everybody_in(client, department)
    question = FREE_DATES.question({"department": department})
    said = await ask_everybody(
        client, members, question, lambda text: FREE_DATES.answer.search(text) is not None
    )
    return combine([FREE_DATES.told_in(text) for text in said])


async def _read_town(client: ToolClient, guidelines: str) -> Town:
    """What the documents on the drive show."""
    files = GUIDELINES.parse(await read_text(client, guidelines))
    stops = await read_text(client, files.info)
    if files.drawn:
        picture = (await client.call("files_view_image", path=files.roads)).picture
        assert picture is not None, "a picture was shown"
        lengths = read_road_map(picture)
        roads = tuple(Road(a, b, round(10 * km)) for (a, b), km in lengths.items())
    else:
        roads = parse_roads(await read_text(client, files.roads))
    return Town(tuple(PLACE.find_all(stops)), tuple(RESTAURANT.find_all(stops)), roads)


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
