"""The cheapest event: nobody is asked, and everybody is supposed to be free and eat anything."""

from __future__ import annotations

import json

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.event_planning.brief import (
    DATES_WORDS,
    LUNCH_WORDS,
    NOVEMBER,
    OBJECTIVE,
    MemberAnswer,
    combine,
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

_ALWAYS_FREE = MemberAnswer(tuple(NOVEMBER)[:10], False, DATES_WORDS[0], LUNCH_WORDS[False][0])
"""In the first third of the month, since prices need one."""


async def plan_without_asking(client: ToolClient) -> None:
    """Hand in the plan and its figures for the first dates of the month."""
    brief = await read_brief(client, OBJECTIVE)
    sheet = sheet_of(brief, combine([_ALWAYS_FREE]), await _read_town(client, brief.guidelines))
    await hand_in(client, brief.output, json.dumps(sheet, indent=2))


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
