"""The desk's tools as an agent calls them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tests.mcp_servers.seats import data, said
from trainee_bench.mcp_servers.desk import MAX_PAGE_CHARACTERS, TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.desk import Desk, TaskPublished
from trainee_bench.world.transaction import Event, NoticeKind, Transaction
from trainee_bench.world.world import World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))


class ColleagueChats(Event):
    text: str

    def fire(self, tx: Transaction) -> None:
        tx.notify("robin.hale", NoticeKind.CHATTER, self.text)


def task(id: str, objective: str = "Count the chairs.", hours: int = 3) -> TaskPublished:
    return TaskPublished(
        id=id, title=f"Title {id}", objective=objective, deadline=START + timedelta(hours=hours)
    )


async def seat_with(
    *tasks: TaskPublished,
    person: str = "robin.hale",
    until: datetime | None = None,
    later: tuple[tuple[datetime, Event], ...] = (),
) -> ToolDispatcher:
    def stage(tx: Transaction) -> None:
        for event in tasks:
            tx.enqueue(START, event)
        for due, later_event in later:
            tx.enqueue(due, later_event)
        Desk(tx).assign("T1", "Bring two pens.")

    opening = replace(OPENING, tasks_until=until)
    return ToolDispatcher(await World.create_inline(opening, stage), person, [TOOLS])


async def test_the_tasks_are_told_whole_with_deadline_and_assignments() -> None:
    seat = await seat_with(task("T1"), task("T2", hours=2))
    text = await said(seat, "desk_tasks")
    for part in ("T1 · Title T1 · due 12:00 · open", "Count the chairs.", "Bring two pens."):
        assert part in text
    assert text.index("T1") < text.index("T2")
    assert (await data(seat, "desk_tasks"))["tasks"] == [
        {
            "id": id,
            "title": f"Title {id}",
            "objective": "Count the chairs.",
            "deadline": deadline,
            "assignments": assignments,
            "submitted": False,
        }
        for id, deadline, assignments in (
            ("T1", "2025-10-01T12:00:00", ["Bring two pens."]),
            ("T2", "2025-10-01T11:00:00", []),
        )
    ]
    await seat.world.close()


async def test_many_long_tasks_are_listed_by_title_and_read_one_by_one() -> None:
    long = "Count all the chairs of the house. " * 150
    seat = await seat_with(*[task(f"T{n}", long) for n in range(1, 7)])
    listed = await said(seat, "desk_tasks")
    assert len(listed) < MAX_PAGE_CHARACTERS and "task=ID" in listed and "Title T6" in listed
    assert long.strip() in await said(seat, "desk_tasks", task="T6")
    await seat.world.close()


async def test_submitting_says_received_and_nothing_about_being_right() -> None:
    seat = await seat_with(task("T1"))
    text = await said(seat, "desk_submit", task="T1", note="done")
    assert "received at 09:00" in text and "12:00" in text
    assert (await said(seat, "desk_tasks")).splitlines()[0].endswith("submitted 09:00")
    await seat.world.close()


async def test_a_submitted_task_has_one_line_in_the_list_and_is_whole_by_its_id() -> None:
    seat = await seat_with(task("T1"), task("T2", "Count the tables."))
    await said(seat, "desk_submit", task="T1")
    text = await said(seat, "desk_tasks")
    assert text.startswith("T1 · Title T1 · due 12:00 · submitted 09:00\n\nT2 · ")
    assert "chairs" not in text and "pens" not in text and "Count the tables." in text
    listed = await data(seat, "desk_tasks")
    assert [one["objective"] for one in listed["tasks"]] == [None, "Count the tables."]
    whole = await said(seat, "desk_tasks", task="T1")
    assert "Count the chairs." in whole and "Bring two pens." in whole
    await seat.world.close()


async def test_the_desk_says_until_when_tasks_may_come_and_then_that_none_do() -> None:
    noon = START.replace(hour=12)
    seat = await seat_with(task("T1"), until=noon)
    assert "New tasks may come until 12:00." in await said(seat, "desk_tasks")
    assert (await data(seat, "desk_tasks"))["more_until"] == noon.isoformat()
    await said(seat, "desk_wait", until="12:00", wake=False)
    assert "No new tasks will come today." in await said(seat, "desk_tasks")
    assert (await data(seat, "desk_tasks"))["more_until"] is None
    await seat.world.close()


async def test_before_any_task_the_desk_says_until_when_tasks_may_come() -> None:
    seat = await seat_with(until=START.replace(hour=12))
    assert await said(seat, "desk_tasks") == (
        "You have no tasks yet. Tasks may come until 12:00. desk_wait ends when a task comes."
    )
    await seat.world.close()


async def test_until_its_deadline_the_desk_says_that_a_task_may_change() -> None:
    seat = await seat_with(task("T1"))
    await said(seat, "desk_submit", task="T1")
    change = "Until its deadline, a task may still change"
    assert change in await said(seat, "desk_tasks")
    await said(seat, "desk_wait", until="12:00", wake=False)
    assert change not in await said(seat, "desk_tasks")
    await seat.world.close()


async def test_a_wait_says_whether_news_ended_it() -> None:
    ten = START.replace(hour=10)
    seat = await seat_with(task("T1"), until=ten, later=((ten, task("T2")),))
    assert "Waited 60 min, until news came at 10:00." in await said(
        seat, "desk_wait", until="11:00"
    )
    assert "Waited 5 min; it is 10:05." in await said(seat, "desk_wait", minutes=5)
    await seat.world.close()


async def test_a_wait_says_which_notices_are_small_talk() -> None:
    rain, ten = ColleagueChats(text="It is raining."), START.replace(hour=10)
    talk = tuple((START + timedelta(minutes=minutes), rain) for minutes in (20, 80))
    seat = await seat_with(task("T1"), until=ten, later=((ten, task("T2")), *talk))
    first = await said(seat, "desk_wait", until="11:00")
    assert first.startswith(
        "Waited 60 min, until news came at 10:00. The messages before 10:00 are "
    )
    second = await said(seat, "desk_wait", minutes=30)
    assert second.startswith("Waited 30 min; it is 10:30. The messages before 10:30 are small talk")
    assert "small talk" not in await said(seat, "desk_wait", minutes=5)
    await seat.world.close()


async def test_ending_the_day_while_tasks_may_come_warns_once_for_each_task_that_came() -> None:
    noon, ten = START.replace(hour=12), START.replace(hour=10)
    seat = await seat_with(task("T1"), until=noon, later=((ten, task("T2")),))
    warned = await data(seat, "desk_finish_day")
    assert warned == {"now": START.isoformat(), "over": False}
    await said(seat, "desk_wait", until="10:00", wake=False)
    assert "may come until 12:00" in await said(seat, "desk_finish_day")
    assert (await data(seat, "desk_finish_day"))["over"] is True
    await seat.world.close()


async def test_without_further_tasks_the_day_ends_at_once_and_ending_it_twice_is_no_error() -> None:
    seat = await seat_with(task("T1"), until=START.replace(hour=10))
    await said(seat, "desk_wait", until="18:00", wake=False)
    for _ in range(2):
        assert (await data(seat, "desk_finish_day"))["over"] is True
    assert "graded as it is" in str((await seat.call("desk_now", {})).error)
    await seat.world.close()


async def test_a_colleagues_desk_has_no_tasks_and_submits_none() -> None:
    seat = await seat_with(task("T1"), person="mara.lindt")
    assert (await data(seat, "desk_tasks"))["tasks"] == []
    assert (await seat.call("desk_submit", {"task": "T1"})).error is not None
    await seat.world.close()


async def test_the_time_is_told_as_it_is_after_a_call() -> None:
    seat = await seat_with()
    assert await data(seat, "desk_now") == {
        "now": "2025-10-01T09:01:00",
        "day_starts": "2025-10-01T09:00:00",
        "day_ends": "2025-10-01T18:00:00",
    }
    assert (await data(seat, "desk_wait", minutes=20))["now"] == "2025-10-01T09:21:00"
    assert (await data(seat, "desk_wait", until="9:30"))["now"] == "2025-10-01T09:30:00"
    assert (await seat.world.now()).isoformat() == "2025-10-01T09:30:00"
    await seat.world.close()


async def test_notes_are_paged_and_say_how_to_go_on() -> None:
    seat = await seat_with()
    for number in range(8):
        await said(seat, "desk_write_note", text=f"{number} " + "x" * 3000)
    text = await said(seat, "desk_read_notes")
    assert (
        len(text) < MAX_PAGE_CHARACTERS + 100 and "(there are more; continue with after=3)" in text
    )
    page = await data(seat, "desk_read_notes", after=6)
    assert [note["id"] for note in page["notes"]] == [7, 8]
    assert page["more"] is False
    await seat.world.close()


async def test_finishing_the_day_is_marked_destructive_and_ends_it() -> None:
    seat = await seat_with(task("T1"))
    assert seat.tools["desk_finish_day"].destructive
    assert (await data(seat, "desk_finish_day"))["now"] == OPENING.ends.isoformat()
    assert "ended" in str((await seat.call("desk_tasks", {})).error)
    await seat.world.close()
