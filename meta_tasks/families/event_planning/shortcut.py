"""The cheapest event: nobody is asked, and everybody is supposed to be free and eat anything."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolClient, read_brief
from trainee_bench.meta_tasks.families.event_planning.brief import (
    DATES_WORDS,
    LUNCH_WORDS,
    NOVEMBER,
    OBJECTIVE,
    MemberAnswer,
    combine,
)
from trainee_bench.meta_tasks.families.event_planning.oracle import hand_in_event

_ALWAYS_FREE = MemberAnswer(tuple(NOVEMBER)[:10], False, DATES_WORDS[0], LUNCH_WORDS[False][0])
"""In the first third of the month, since prices need one."""


async def plan_without_asking(client: ToolClient) -> None:
    """Hand in the plan and its figures for the first dates of the month."""
    brief = await read_brief(client, OBJECTIVE)
    await hand_in_event(client, brief, combine([_ALWAYS_FREE]))
