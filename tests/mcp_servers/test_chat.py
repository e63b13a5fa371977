"""The chat tools as an agent calls them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers.seats import ASKS, data, refused, said
from tests.world.office import COMPANY, ROBIN, act, at, office, wait_until
from trainee_bench.mcp_servers.chat import TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded

MARA, NILS, OLGA = COMPANY.staff("Marketing")[:3]
CLUE = Clue(
    id="T1/owner",
    holder=MARA.id,
    payload="Runa Falk looks after it.",
    asks=ASKS,
)


@pytest.fixture
async def seat() -> AsyncIterator[ToolDispatcher]:
    away = (
        AbsenceBegins(person=NILS.id, until=at(15)),
        AbsenceBegins(person=OLGA.id, until=at(15), public=False),
    )
    async with await office(ClueAdded(clue=CLUE), *away) as world:
        await wait_until(world, at(10))
        yield ToolDispatcher(world, ROBIN, [TOOLS])


async def test_the_directory_lists_all_colleagues_but_oneself(seat: ToolDispatcher) -> None:
    text = await said(seat, "chat_list_people")
    assert text.startswith("50 people: id | name | title | department | at work")
    hours = f"{MARA.hours.starts:%H:%M}-{MARA.hours.ends:%H:%M}"
    assert f"{MARA.id} | {MARA.name} | {MARA.title} | Marketing | {hours}" in text.splitlines()
    assert ROBIN not in text
    assert len(text) <= 4_000
    assert (await said(seat, "chat_list_people", query=MARA.name)).startswith("1 person: ")
    page = await data(seat, "chat_list_people")
    assert {
        "id": MARA.id, "name": MARA.name, "title": MARA.title, "department": "Marketing",
        "hours": hours, "away": None,
    } in page["people"]  # fmt: skip
    assert (page["total"], page["next_cursor"]) == (50, None)


async def test_a_public_absence_is_listed(seat: ToolDispatcher) -> None:
    text = await said(seat, "chat_list_people", department="marketing")
    away = [line for line in text.splitlines() if "away" in line]
    (line,) = away
    assert line.startswith(f"{NILS.id} | {NILS.name} | {NILS.title} | Marketing | ")
    assert line.endswith(" | away until Wed 15:00")


async def test_everybody_is_listed_with_their_working_hours(seat: ToolDispatcher) -> None:
    lines = [line.split(" | ") for line in (await said(seat, "chat_list_people")).splitlines()[1:]]
    hours = {person.id: person.hours for person in COMPANY.people if person.id != ROBIN}
    assert {line[0]: line[4] for line in lines} == {
        id: f"{at.starts:%H:%M}-{at.ends:%H:%M}" for id, at in hours.items()
    }


async def test_the_directory_is_searched_by_department_name_and_title(seat: ToolDispatcher) -> None:
    text = await said(seat, "chat_list_people", query="engineering manager")
    assert text.startswith("3 people")
    text = await said(seat, "chat_list_people", department="HR", query=COMPANY.staff("HR")[0].name)
    assert len(text.splitlines()) == 2
    assert "Nobody found" in await said(seat, "chat_list_people", query="xyzzy")
    assert "Marketing" in await refused(seat, "chat_list_people", department="Magic")
    assert "cursor" in await refused(seat, "chat_list_people", department="HR", cursor=40)


async def test_a_question_takes_five_minutes_and_is_answered_in_them(seat: ToolDispatcher) -> None:
    done = await seat.call("chat_send_message", {"to": MARA.name, "text": CLUE.asks[0]})
    assert done.result is not None
    assert (done.now - done.at).seconds == 300
    assert done.result.text == "Sent as message 1."
    assert done.result.data.model_dump(mode="json")["message"] == {
        "id": 1, "sender": ROBIN, "to": MARA.id, "text": CLUE.asks[0],
        "at": "2025-10-01T10:00:00", "automatic": False, "answers": 0,
    }  # fmt: skip
    assert CLUE.payload in done.notices[0].text
    history = await data(seat, "chat_read_history", peer=MARA.id, after=1)
    (answer,) = history["messages"]
    assert (answer["id"], answer["sender"]) == (2, MARA.id)
    assert CLUE.payload in str(answer["text"])


async def test_a_group_takes_ten_minutes_and_says_when_nobody_is_named(
    seat: ToolDispatcher,
) -> None:
    made = await said(seat, "chat_create_group", name="Site", members=[MARA.name, NILS.id])
    assert made == f"G1 Site: {', '.join(sorted([ROBIN, MARA.id, NILS.id]))}"
    assert await said(seat, "chat_list_groups") == made
    done = await seat.call("chat_send_message", {"to": "G1", "text": "Hello everybody"})
    assert done.result is not None
    assert (done.now - done.at).seconds == 600
    assert "nobody will answer" in done.result.text
    await said(seat, "chat_send_message", to="g1", text=f"@{MARA.id} {CLUE.asks[0]}")
    history = await said(seat, "chat_read_history", peer="G1")
    assert f"{MARA.name} to G1: " in history
    assert CLUE.payload in history


async def test_a_message_that_names_too_many_members_says_so_and_what_to_do() -> None:
    crowd = COMPANY.people[:7]
    async with await office() as world:
        seat = ToolDispatcher(world, ROBIN, [TOOLS])
        await said(seat, "chat_create_group", name="Crowd", members=[one.id for one in crowd])
        names = ", ".join(one.name for one in crowd)
        many = await said(seat, "chat_send_message", to="G1", text=f"{names}: hello!")
        nobody = await said(seat, "chat_send_message", to="G1", text="Hello everybody")
    assert (
        "It names 7 members of the group, and each will leave it to the others, so nobody will "
        "answer"
    ) in many
    assert "It names no member of the group, so nobody will answer" in nobody
    assert all(text.endswith(": name up to 5 who should.") for text in (many, nobody))


async def test_a_message_before_hours_says_when_the_colleague_is_there(
    seat: ToolDispatcher,
) -> None:
    late = next(p for p in COMPANY.people if p.hours.starts.hour == 9)
    async with await office() as world:
        early = ToolDispatcher(world, ROBIN, [TOOLS])
        text = await said(early, "chat_send_message", to=late.id, text="Hello!")
        assert text == f"Sent as message 1. {late.name} is at work from 09:00."


async def test_a_long_history_is_read_backwards_or_onwards(seat: ToolDispatcher) -> None:
    for number in range(1, 31):
        hello = MessageArrives(sender=MARA.id, to=ROBIN, text=f"news {number}")
        await act(seat.world, hello.fire)
    latest = await said(seat, "chat_read_history")
    lines = latest.splitlines()
    assert len(lines) == 21
    assert lines[0] == "(10 earlier; continue with before=11)"
    assert lines[-1].endswith(f"{MARA.name} to you: news 30")
    earlier = await said(seat, "chat_read_history", before=11)
    assert earlier.splitlines()[0].endswith("news 1")
    onwards = await said(seat, "chat_read_history", peer=MARA.id, after=2, limit=5)
    assert [line.split()[-1] for line in onwards.splitlines()[:5]] == ["3", "4", "5", "6", "7"]
    assert onwards.splitlines()[-1] == "(23 later; continue with after=7)"


async def test_a_history_of_long_messages_fits_into_a_result(seat: ToolDispatcher) -> None:
    for number in range(8):
        text = f"{number}" + "x" * 3_900
        await act(seat.world, MessageArrives(sender=MARA.id, to=ROBIN, text=text).fire)
    page = await data(seat, "chat_read_history")
    assert len(page["messages"]) == 2
    assert page["earlier"] == 6
    assert await said(seat, "chat_read_history", peer=NILS.id) == "No messages."


async def test_one_cannot_write_to_oneself_or_to_strangers(seat: ToolDispatcher) -> None:
    assert "desk_write_note" in await refused(seat, "chat_send_message", to=ROBIN, text="Hi")
    near = MARA.name[:-1]
    assert MARA.name in await refused(seat, "chat_send_message", to=near, text="Hi")
    assert "empty" in await refused(seat, "chat_send_message", to=MARA.id, text="  ")
