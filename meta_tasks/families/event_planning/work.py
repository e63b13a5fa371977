"""Honest work asks all members, reads the documents, looks at the map, and calculates.

The shortcut asks nobody, and assumes that everybody is free and takes the standard menu.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.event_planning.brief import (
    DATES_WORDS,
    FREE_DATES,
    GUIDELINES,
    LUNCH_WORDS,
    OBJECTIVE,
    OBJECTIVE_RULES,
    PLACE,
    RESTAURANT,
    EventPlanningBrief,
    parse_roads,
    rules_for,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import clock_at, minute_of_day
from trainee_bench.meta_tasks.families.event_planning.subject import (
    NOVEMBER,
    Calendars,
    DayPlan,
    MemberAnswer,
    PlanMetric,
    PlanRanking,
    Road,
    Town,
    combine,
)
from trainee_bench.meta_tasks.tool_client import first
from trainee_bench.meta_tasks.vision.road_map import read_road_map
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import FactQuestion, Told
from trainee_bench.meta_tasks.work.need import All, Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, PersonCalled, TaskBrief
from trainee_bench.meta_tasks.work.sources import DirectorySearch, ViewedPicture


@dataclass(frozen=True)
class FreeDates(FactQuestion[MemberAnswer]):
    """A question for a member's free dates and lunch menu."""

    @property
    def joins(self) -> str:
        """The question, since all members may be asked at once."""
        return self.ask(())


@dataclass(frozen=True)
class TownDocuments(Need[Town]):
    """The town, from the documents that the guidelines name."""

    guidelines: str
    task: str

    async def satisfy(self, work: Work) -> Town:
        """Read the guidelines, the list of stops, and the roads from a table or a picture."""
        files = GUIDELINES.parse(await work(FileText(self.guidelines)))
        info = FileText(files.info, self.task)
        if files.drawn:
            stops, picture = await work.both(info, ViewedPicture(files.roads))
            lengths = read_road_map(picture)
            roads = tuple(Road(a, b, round(10 * km)) for (a, b), km in lengths.items())
        else:
            stops, table = await work.both(info, FileText(files.roads, self.task))
            roads = parse_roads(table)
        return Town(tuple(PLACE.find_all(stops)), tuple(RESTAURANT.find_all(stops)), roads)


async def honest_work(work: Work, task: str) -> None:
    """Ask every member, read the documents meanwhile, calculate, and hand in the result."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    name = brief.department
    if brief.members:
        members = tuple(await work.all(map(PersonCalled, brief.members)))
    else:
        members = await work(DirectorySearch(department=name))
    about = [(("department", name), ("member", member.id)) for member in members]
    asked = [
        Told(task, member.id, FreeDates("free", FREE_DATES, of_member))
        for member, of_member in zip(members, about, strict=True)
    ]
    told, town = await work.both(All(tuple(asked)), TownDocuments(brief.guidelines, task))
    answers = [said[need.question.subjects[0]] for need, said in zip(asked, told, strict=True)]
    sheet = sheet_of(brief, combine(answers), town)
    await work(HandedIn(task, (FileHas(brief.output, json.dumps(sheet, indent=2)),)))


def sheet_of(brief: EventPlanningBrief, calendars: Calendars, town: Town) -> dict[str, JsonValue]:
    """The deliverable: the given plan or the best one, with the figures asked for."""
    ranking = PlanRanking(town, calendars.third)
    best = ranking.best(brief.best or PlanMetric.OVERALL)
    plan = first(plan for plan in town.plans if plan in best)
    if brief.plan:
        given = town.numbers_of(brief.plan)
        if given is None:
            raise LookupError(f"{brief.plan} is not in the list")
        plan = given
    sheet = _sheet(brief, calendars, town, plan, ranking)
    return {name: sheet[name] for name in brief.sheet.model_fields}


def _sheet(
    brief: EventPlanningBrief, calendars: Calendars, town: Town, plan: DayPlan, ranking: PlanRanking
) -> dict[str, JsonValue]:
    """The fields of all levels."""
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


_ALWAYS_FREE = MemberAnswer(tuple(NOVEMBER)[:10], False, DATES_WORDS[0], LUNCH_WORDS[False][0])
"""Free dates in the first third of the month, since prices depend on the third."""


async def plan_without_asking(client: ToolClient) -> None:
    """Hand in a plan for the first dates of the month, without asking anybody."""
    brief = await read_brief(client, OBJECTIVE)
    sheet = sheet_of(brief, combine([_ALWAYS_FREE]), await _read_town(client, brief.guidelines))
    await hand_in(client, brief.output, json.dumps(sheet, indent=2))


async def _read_town(client: ToolClient, guidelines: str) -> Town:
    """The town, from the documents on the drive."""
    files = GUIDELINES.parse(await read_text(client, guidelines))
    stops = await read_text(client, files.info)
    if files.drawn:
        picture = (await client.call("files_view_image", path=files.roads)).picture
        if picture is None:
            raise LookupError(f"{files.roads} was not shown")
        lengths = read_road_map(picture)
        roads = tuple(Road(a, b, round(10 * km)) for (a, b), km in lengths.items())
    else:
        roads = parse_roads(await read_text(client, files.roads))
    return Town(tuple(PLACE.find_all(stops)), tuple(RESTAURANT.find_all(stops)), roads)
