"""The cheapest meeting: everybody who is to be asked is invited unasked."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolClient, read_brief
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.families.meeting_book.brief import about
from trainee_bench.meta_tasks.families.meeting_book.objective import OBJECTIVE
from trainee_bench.meta_tasks.families.meeting_book.plan import people_to_ask


async def invite_unasked(client: ToolClient) -> None:
    """Book the stated time in the smallest room that holds all of them."""
    brief = await read_brief(client, OBJECTIVE)
    invited = people_to_ask(brief.to_ask, await _list_everybody(client))
    starts, ends = f"{brief.starts:%H:%M}", f"{brief.ends:%H:%M}"
    free = await client.call(
        "calendar_find_rooms", starts=starts, ends=ends, people=len(invited) + 1
    )
    await client.call(
        "calendar_book",
        title="{code}: {subject}".format(**about(brief)),
        room=next(iter(free.data["rooms"])),
        starts=starts,
        ends=ends,
        attendees=[person.id for person in invited],
    )
    await client.call("desk_submit", task=client.task)


async def _list_everybody(client: ToolClient) -> list[Contact]:
    """Everybody in the directory, however many pages it has."""
    page = await client.call("chat_list_people")
    people = [*page.data["people"]]
    while page.data["next_cursor"] is not None:
        page = await client.call("chat_list_people", cursor=page.data["next_cursor"])
        people += page.data["people"]
    fields = ("id", "name", "title", "department")
    return [Contact(*(entry[field] for field in fields)) for entry in people]
