"""The honest way to an event: ask everybody, read the documents, look at the map, calculate."""

from __future__ import annotations

import json
from dataclasses import dataclass

from trainee_bench.meta_tasks.families.event_planning.brief import (
    FREE_DATES,
    OBJECTIVE,
    OBJECTIVE_RULES,
    MemberAnswer,
    combine,
    rules_for,
)
from trainee_bench.meta_tasks.families.event_planning.documents import (
    GUIDELINES,
    PLACE,
    RESTAURANT,
    parse_roads,
)
from trainee_bench.meta_tasks.families.event_planning.event_sheet import sheet_of
from trainee_bench.meta_tasks.families.event_planning.town import Road, Town
from trainee_bench.meta_tasks.vision.road_map import read_road_map
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import FactQuestion, Told
from trainee_bench.meta_tasks.work.need import All, Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, TaskBrief
from trainee_bench.meta_tasks.work.sources import DirectorySearch, ViewedPicture


@dataclass(frozen=True)
class FreeDates(FactQuestion[MemberAnswer]):
    """When a member is free, and what they eat."""

    @property
    def joins(self) -> str:
        """All members of a department may be asked at once."""
        return self.ask(())


@dataclass(frozen=True)
class TownDocuments(Need[Town]):
    """Places, restaurants and roads, as the documents show that the guidelines name."""

    guidelines: str
    task: str

    async def satisfy(self, work: Work) -> Town:
        """Read the guidelines, then the list, and the roads in a table or a picture."""
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
    """Ask every member, look at the surroundings while they answer, calculate, hand in."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    name = brief.department
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
