"""A world that goes over several days: its nights, its mornings, and what comes meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

import pytest

from tests.world.office import COMPANY, MARA, OPENING, ROBIN, act, at, do, office
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.mcp_servers.serving.server import render_result
from trainee_bench.world.apps.chat import Chat, MessageArrives
from trainee_bench.world.apps.desk import TaskPublished
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.colleagues.availability import (
    AbsenceBegins,
    Availability,
    SlowAnswersBegin,
)
from trainee_bench.world.errors import DayOver, Invalid, NotFound, Refused
from trainee_bench.world.meetings.invitations import MEETING_REMINDER_LEAD
from trainee_bench.world.notes import ALTER_NOTES, alter_notes, read_all_notes
from trainee_bench.world.transaction import Event, Transaction
from trainee_bench.world.week import LaterDay
from trainee_bench.world.world import World

NIGHT = timedelta(days=1)
TOMORROW = LaterDay(starts=at(8) + NIGHT, ends=at(20) + NIGHT)
DAY_AFTER = LaterDay(
    starts=at(8) + 2 * NIGHT, ends=at(20) + 2 * NIGHT, tasks_until=at(11) + 2 * NIGHT
)
THREE_DAYS = replace(OPENING, later_days=(TOMORROW, DAY_AFTER))
EARLY = next(p for p in COMPANY.people if p.hours.ends == time(17))


LATE_MAIL = MailArrives(sender=MARA, to=(ROBIN,), subject="The late figures", body="Here.")


async def days(*events: Event, later: tuple[tuple[datetime, Event], ...] = ()) -> World:
    return await office(*events, later=later, opening=THREE_DAYS)


def tools(world: World) -> ToolDispatcher:
    return ToolDispatcher(world, ROBIN, default_toolboxes().values())


async def test_a_night_ends_the_day_and_begins_the_next_with_its_own_bounds() -> None:
    async with await days() as world:
        await act(world, lambda tx: tx.extend_until(at(15)))
        done = await world.begin_next_day()
        assert (done.at, done.now) == (at(20), at(8) + NIGHT)
        today = await world.read(lambda tx: tx.day)
        assert (today.starts, today.ends) == (TOMORROW.starts, TOMORROW.ends)
        own = [(entry.actor, entry.at, entry.until) for entry in (await world.log())[1:]]
        assert own == [("", at(15), at(20)), ("", at(20), at(8) + NIGHT)]
        assert await world.read(lambda tx: tx.tasks_until) is None
        await world.begin_next_day()
        assert await world.read(lambda tx: tx.tasks_until) == DAY_AFTER.tasks_until


async def test_after_the_last_day_none_begins_and_nothing_is_logged() -> None:
    async with await days() as world:
        await world.begin_next_day()
        await world.begin_next_day()
        before = await world.digest(), await world.log()
        with pytest.raises(Refused, match="last working day"):
            await world.begin_next_day()
        assert (await world.digest(), await world.log()) == before


async def test_a_world_of_one_day_has_no_next_one_and_no_fact_of_weeks() -> None:
    async with await office() as world:
        with pytest.raises(Refused, match="last working day"):
            await world.begin_next_day()
        with pytest.raises(KeyError):
            await world.read(lambda tx: tx.fact("later_days"))


async def test_an_action_in_the_evening_is_told_when_work_goes_on() -> None:
    async with await days() as world:
        seat = tools(world)
        ended = await seat.call("desk_finish_day", {})
        assert ended.result is not None
        assert "begins on Thursday, 08:00" in ended.result.text
        late = await seat.call("desk_now", {})
        assert isinstance(late.error, DayOver) and "before Thursday, 08:00" in str(late.error)
        await world.begin_next_day()
        assert (await seat.call("desk_now", {})).error is None
        await world.begin_next_day()
        warned = await seat.call("desk_finish_day", {})
        assert warned.result is not None and "may come until 11:00" in warned.result.text
        await seat.call("desk_finish_day", {})
        over = await seat.call("desk_now", {})
        assert "nothing more can be done" in str(over.error)


async def test_news_of_the_night_is_there_in_the_morning_and_told_with_the_first_result() -> None:
    talk = MessageArrives(sender=MARA, to=ROBIN, text="Call me tomorrow.")
    evening, early = at(21, 30), at(7, 15) + NIGHT
    async with await days(later=((evening, LATE_MAIL), (early, talk))) as world:
        seat = tools(world)
        await seat.call("desk_finish_day", {})
        await world.begin_next_day()
        first = await seat.call("desk_now", {})
        assert [notice.at for notice in first.notices] == [evening, early]
        shown = render_result(first).model_dump_json()
        assert "Wednesday 21:30" in shown and "- 07:15" in shown
        assert (await seat.call("desk_now", {})).notices == ()
        assert len(await do(world, lambda tx: Chat(tx).history())) == 1


async def test_a_task_of_a_later_day_is_not_there_before_its_morning() -> None:
    task = TaskPublished(id="T2", title="Count", objective="Count them.", deadline=at(12) + NIGHT)
    async with await days(later=((TOMORROW.starts, task),)) as world:
        seat = tools(world)
        listed = await seat.call("desk_tasks", {})
        assert listed.result is not None and "T2" not in listed.result.text
        await world.begin_next_day()
        listed = await seat.call("desk_tasks", {})
        assert listed.result is not None and "T2 · Count · due 12:00" in listed.result.text


async def test_a_colleague_asked_too_late_answers_the_next_morning() -> None:
    async with await days() as world:
        seat = tools(world)
        await act(world, lambda tx: tx.extend_until(at(18)))
        sent = await seat.call("chat_send_message", {"to": EARLY.id, "text": "Are you there?"})
        assert sent.error is None
        (automatic,) = [m for m in await do(world, lambda tx: Chat(tx).history()) if m.automatic]
        assert "will read this tomorrow" in automatic.text
        await seat.call("desk_finish_day", {})
        await world.begin_next_day()
        due = datetime.combine(TOMORROW.starts, EARLY.hours.starts) + timedelta(minutes=EARLY.delay)
        await act(world, lambda tx: tx.extend_until(due + timedelta(minutes=1)))
        answers = [
            m for m in await do(world, lambda tx: Chat(tx).history()) if m.sender == EARLY.id
        ]
        assert [(m.at, m.automatic) for m in answers][1:] == [(due, False)]


async def test_on_the_last_day_nobody_answers_tomorrow() -> None:
    async with await days() as world:
        await world.begin_next_day()
        await world.begin_next_day()
        await act(world, lambda tx: tx.extend_until(at(18) + 2 * NIGHT))
        assert await do(world, lambda tx: Availability(tx).reply_time(EARLY)) is None


async def test_a_colleague_who_is_away_tomorrow_answers_the_day_after() -> None:
    away = AbsenceBegins(person=EARLY.id, until=at(9) + 2 * NIGHT)
    async with await days(away) as world:
        await act(world, lambda tx: tx.extend_until(at(11)))
        due = await do(world, lambda tx: Availability(tx).reply_time(EARLY))
        assert due == at(9) + 2 * NIGHT + timedelta(minutes=EARLY.delay)
        await world.begin_next_day()
        assert await do(world, lambda tx: Availability(tx).absence(EARLY.id)) is not None
        await world.begin_next_day()
        await act(world, lambda tx: tx.extend_until(at(9, 30) + 2 * NIGHT))
        assert await do(world, lambda tx: Availability(tx).absence(EARLY.id)) is None


async def test_a_slow_colleague_is_as_fast_as_usual_the_next_day() -> None:
    slow = SlowAnswersBegin(person=EARLY.id, minutes=90, note="I answer within two hours.")
    async with await days(slow) as world:
        await act(world, lambda tx: tx.extend_until(at(10)))
        due = await do(world, lambda tx: Availability(tx).reply_time(EARLY))
        assert due == at(11, 30)
        await world.begin_next_day()
        await act(world, lambda tx: tx.extend_until(at(10) + NIGHT))
        due = await do(world, lambda tx: Availability(tx).reply_time(EARLY))
        assert due == at(10) + NIGHT + timedelta(minutes=EARLY.delay)


async def test_a_meeting_of_tomorrow_is_reminded_of_tomorrow() -> None:
    async with await days() as world:
        seat = tools(world)
        begins = at(10) + NIGHT
        booked = await seat.call(
            "calendar_book",
            {
                "title": "Plans",
                "room": "Room_01",
                "starts": begins.isoformat(),
                "ends": (begins + timedelta(minutes=30)).isoformat(),
                "attendees": [MARA],
            },
        )
        assert booked.error is None, booked.error
        await world.begin_next_day()
        waited = await seat.call("desk_wait", {"until": "09:50"})
        told = [notice for notice in waited.notices if "begins at 10:00" in notice.text]
        assert [notice.at for notice in told] == [begins - MEETING_REMINDER_LEAD]


async def test_notes_and_messages_of_earlier_days_say_of_which() -> None:
    async with await days() as world:
        seat = tools(world)
        await seat.call("desk_write_note", {"text": "the code is 17"})
        await seat.call("chat_send_message", {"to": MARA, "text": "Good evening."})
        await world.begin_next_day()
        await seat.call("desk_write_note", {"text": "today"})
        notes = await seat.call("desk_read_notes", {})
        assert notes.result is not None
        assert "1 (2025-10-01 08:00) the code is 17\n2 (08:00) today" in notes.result.text
        talk = await seat.call("chat_read_history", {})
        assert talk.result is not None and "2025-10-01 08:01 you to" in talk.result.text


async def test_days_and_nights_are_repeated_from_the_log_bit_by_bit() -> None:
    later = ((at(22), LATE_MAIL),)
    async with await days(later=later) as world, await days(later=later) as again:
        seat = tools(world)
        await seat.call("desk_write_note", {"text": "first"})
        await world.begin_next_day()
        await seat.call("desk_finish_day", {})
        await world.begin_next_day()
        await seat.call("desk_now", {})
        await replay_log(again, await world.log())
        assert await again.digest() == await world.digest()


async def test_a_night_that_the_log_has_and_the_world_has_not_is_a_difference() -> None:
    async with await days() as world, await office() as alone:
        await world.begin_next_day()
        with pytest.raises(ReplayDiverged, match="last working day"):
            await replay_log(alone, (await world.log())[1:])


# what a night does to notes ---------------------------------------------------------------


LIMITS, PEOPLE, OTHER = (
    "workspace:/notes/limits.md",
    "workspace:/notes/people.md",
    "workspace:/a.md",
)


def write(tx: Transaction) -> None:
    for path in (LIMITS, PEOPLE, OTHER):
        Files(tx).write_text(path, "45")


async def noted() -> World:
    """An office in which the employee has two notes and another file."""
    world = await office()
    await do(world, write)
    return world


async def test_notes_get_another_text_or_are_gone_and_other_files_stay() -> None:
    async with await noted() as world:
        before = await world.now()
        await alter_notes(world, {LIMITS: "54", PEOPLE: None})
        assert await world.read(read_all_notes) == {LIMITS: "54"}
        assert await do(world, lambda tx: Files(tx).text(OTHER)) == "45"
        assert (await world.log())[1].until == before


async def test_it_is_logged_as_the_worlds_own_and_repeats_bit_exactly() -> None:
    async with await noted() as world:
        await alter_notes(world, {LIMITS: "54", PEOPLE: None})
        entry = (await world.log())[-1]
        assert (entry.actor, entry.tool, entry.arguments) == (
            "", ALTER_NOTES, {LIMITS: "54", PEOPLE: None},
        )  # fmt: skip
        async with await noted() as again:
            await replay_log(again, [entry])
            assert await again.digest() == await world.digest()
        async with await noted() as other:
            lie = entry.model_copy(update={"arguments": {LIMITS: "54"}})
            with pytest.raises(ReplayDiverged, match="its text was"):
                await replay_log(other, [lie])


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("drive:/notes/a.md", Refused),
        (OTHER, Refused),
        ("workspace:/notes_2/a.md", Refused),
        ("nowhere", Invalid),
    ],
)
async def test_nothing_outside_of_the_notes_can_be_altered(
    path: str, refusal: type[Exception]
) -> None:
    async with await noted() as world:
        log = await world.log()
        with pytest.raises(refusal):
            await alter_notes(world, {path: "54"})
        assert await world.log() == log
        forged = log[0].model_copy(
            update={"actor": "", "tool": ALTER_NOTES, "arguments": {path: "54"}}
        )
        with pytest.raises(ReplayDiverged):
            await replay_log(world, [forged])


async def test_no_agent_is_offered_it_and_a_note_that_is_no_text_is_listed() -> None:
    assert ALTER_NOTES not in {tool.name for box in discover_toolboxes().values() for tool in box}
    async with await office() as world:
        path = "workspace:/notes/table.bin"
        await do(world, lambda tx: Files(tx).write_data(path, b"\xff\x00"))
        assert await world.read(read_all_notes) == {path: None}
        await alter_notes(world, {path: None})
        with pytest.raises(NotFound):
            await do(world, lambda tx: Files(tx).info(path), ROBIN)
