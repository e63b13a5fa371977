"""What is unfinished is read from the tools' own answers, on a real day."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from tests.harness.agents.test_agents import session_of
from trainee_bench.harness.agents.llm.open_items import OpenItems
from trainee_bench.harness.models.conversation import ModelToolCall, ToolMessage
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.turns import ToolResult
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.transaction import Notice, NoticeKind

EARLY, LATE = "alice.bouvier", "alex.carnotte"
"""Who is at work at eight, and who only from nine on."""


class Day:
    """A session, and what is unfinished in it."""

    def __init__(self, session: AgentSession):
        self.session = session
        self.unfinished = OpenItems()

    async def do(self, tool: str, **arguments: JsonValue) -> ToolResult:
        answer = await self.session.call(tool, **arguments)
        assert not answer.failed, answer.text
        self.unfinished.update(ToolMessage(ModelToolCall("", tool, "", arguments), answer))
        return answer

    @property
    def left(self) -> str:
        return self.unfinished.text("")


@asynccontextmanager
async def a_day() -> AsyncIterator[Day]:
    """The quickstart's first day: links, a meeting from 9:30 to 11:30, a slow page."""
    workday = await stage_day(compose_day(load_shipped_benchmark().scenarios[0]))
    async with workday.world:
        yield Day(await session_of(workday, EpisodeLimits()))


async def test_tasks_are_told_with_their_objectives_until_they_are_submitted() -> None:
    async with a_day() as day:
        await day.do("desk_now")
        assert "New task T1" in day.left, "that it exists is known before it was read"
        await day.do("desk_tasks")
        assert "New task" not in day.left
        assert "T1: Outdated chart links in the knowledge base, due 20:00: NOT" in day.left
        assert "Only the owner named beside a link knows" in day.left
        assert "Only the owner" not in day.unfinished.text(day.left), "it stands there already"
        await day.do("desk_submit", task="T1")
        assert "T1: Outdated chart links in the knowledge base, due 20:00: submitted" in day.left
        assert "Only the owner" not in day.left


async def test_a_task_whose_request_has_changed_is_open_again() -> None:
    async with a_day() as day:
        listed = await day.do("desk_tasks")
        await day.do("desk_submit", task="T1")
        assert "due 20:00: submitted" in day.left
        call = ModelToolCall("", "desk_tasks", "", {})
        day.unfinished.update(ToolMessage(call, listed))  # as the list is after the change
        assert "due 20:00: submitted" not in day.left
        assert "Only the owner named beside a link knows" in day.left


async def test_a_question_is_open_until_its_answer_comes() -> None:
    async with a_day() as day:
        await day.do("chat_send_message", to=LATE, text="Why is the page slow?")
        assert f"to {LATE}, 08:00: Why is the page slow?" in day.left
        await day.do("chat_send_message", to=EARLY, text="Who looks after the website today?")
        assert "Who looks after" not in day.left, "it was answered within the call"
        assert "Why is the page slow?" in day.left
        await day.do("desk_wait", until="09:10", wake=False)
        assert "nobody has answered" not in day.left


async def test_the_history_tells_which_question_was_answered() -> None:
    async with a_day() as day:
        first = await day.do("chat_send_message", to=LATE, text="First?")
        second = await day.do("chat_send_message", to=LATE, text="Second?")
        numbers = [answer.data["message"]["id"] for answer in (first, second) if answer.data]
        message = {"sender": LATE, "to": "robin.hale", "text": "Yes.", "at": "2025-10-01T09:05:00"}
        told = {
            "messages": [{"id": 90, "answers": numbers[1], **message}], "earlier": 0, "later": 0,
        }  # fmt: skip
        read = ToolResult("…", told, datetime(2025, 10, 1, 9, 6))
        day.unfinished.update(ToolMessage(ModelToolCall("", "chat_read_history", "", {}), read))
        assert "First?" in day.left and "Second?" not in day.left


async def test_an_automatic_reply_leaves_the_question_open_and_is_told_with_it() -> None:
    async with a_day() as day:
        await day.do("desk_wait", until="18:30", wake=False)
        await day.do("chat_send_message", to=EARLY, text="Who keeps the key?")
        assert "Who keeps the key? (since then: Automatic reply: I am at work" in day.left
        await day.do("chat_send_message", to=EARLY, text="Who keeps the key?")
        assert day.left.count("Who keeps the key?") == 1, "asked again it is the same question"


async def test_a_question_of_a_colleague_is_open_until_the_colleague_gets_a_message() -> None:
    def heard(day: Day, text: str) -> None:
        notice = Notice(at=datetime(2025, 10, 1, 9), kind=NoticeKind.MESSAGE, text=text)
        answer = ToolResult("…", {}, datetime(2025, 10, 1, 9), notices=(notice,))
        day.unfinished.update(ToolMessage(ModelToolCall("", "desk_now", "", {}), answer))

    async with a_day() as day:
        await day.do("chat_send_message", to=LATE, text="And the page?")
        heard(day, "Message 90 from Alex Carnotte: Do you mean “What loads slowly?”")
        assert "- Message 90 from Alex Carnotte: Do you mean" in day.left
        heard(day, "Message 91 from Alice Bouvier: Please put meeting 4 off by 30 minutes.")
        heard(day, "Message 92 from Alice Bouvier: Automatic reply: I am away.")
        await day.do("chat_send_message", to=LATE, text="Yes")
        assert "Do you mean" not in day.left
        await day.do("chat_send_message", to=EARLY, text="Thanks")
        assert "off by 30 minutes" in day.left, "what came unasked is no question"
        assert "I am away" not in day.left


async def test_an_appointment_is_ahead_until_it_was_attended_or_is_over() -> None:
    async with a_day() as day:
        await day.do("desk_now")
        assert "invites you to meeting 1 'Marketing: team meeting'" in day.left
        await day.do("calendar_list")
        assert "- Meeting 1 'Marketing: team meeting', 2025-10-01 09:30-11:30 in Room" in day.left
        booked = await day.do(
            "calendar_book", title="Lunch", room="Room_03", starts="13:00", ends="13:30",
            attendees=[EARLY],
        )  # fmt: skip
        assert "'Lunch', 2025-10-01 13:00-13:30" in day.left
        await day.do("desk_wait", until="09:28", wake=False)
        heard = await day.do("calendar_attend", meeting=1)
        assert heard.data is not None
        assert "Marketing: team meeting" not in day.left
        assert str(heard.data["announcements"][0]) in day.left, "what was handed out there"
        assert booked.data is not None
        await day.do("desk_wait", until="14:00", wake=False)
        assert "Lunch" not in day.left, "it is over"


async def test_a_cancelled_meeting_is_no_appointment() -> None:
    async with a_day() as day:
        booked = await day.do(
            "calendar_book", title="Lunch", room="Room_03", starts="13:00", ends="13:30",
            attendees=[EARLY],
        )  # fmt: skip
        assert booked.data is not None
        await day.do("calendar_cancel", meeting=booked.data["id"])
        assert "Lunch" not in day.left
        gone = Notice(
            at=datetime(2025, 10, 1, 9), kind=NoticeKind.MEETING, text="Cancelled: meeting 1 'M'."
        )
        told = ToolResult("…", {}, datetime(2025, 10, 1, 9), notices=(gone,))
        day.unfinished.update(ToolMessage(ModelToolCall("", "desk_now", "", {}), told))
        assert "meeting 1" not in day.left


async def test_mails_are_told_until_they_are_read() -> None:
    unfinished = OpenItems()
    text, now = "Mail 4 from Ann Lee: The venue", datetime(2025, 10, 1, 9)
    news = Notice(at=now, kind=NoticeKind.MAIL, text=text)
    came = ToolResult("…", {}, now, notices=(news,))
    unfinished.update(ToolMessage(ModelToolCall("", "desk_now", "", {}), came))
    assert text in unfinished.text("")
    read = ToolResult("…", {}, now)
    unfinished.update(ToolMessage(ModelToolCall("", "mail_read", "", {"mail": 4}), read))
    assert unfinished.text("") == ""


async def test_tools_of_other_makers_are_no_trouble() -> None:
    unfinished = OpenItems()
    for data in ({}, {"tasks": 7}, {"message": None}, {"meetings": ["x"]}):
        for tool in ("desk_tasks", "chat_send_message", "calendar_list", "calendar_attend"):
            answer = ToolResult("…", data, None)
            unfinished.update(ToolMessage(ModelToolCall("", tool, "", None), answer))
    assert unfinished.text("") == ""


async def test_notices_of_an_unknown_app_are_kept() -> None:
    async with a_day() as day:
        answer = await day.do("desk_now")
        told = [
            Notice(at=datetime(2025, 10, 1, 9), kind=kind, text=f"Ticket {n} is yours")
            for n, kind in enumerate((NoticeKind.NEWS, NoticeKind.MESSAGE, NoticeKind.MEETING))
        ]
        heard = replace(answer, notices=tuple(told))
        day.unfinished.update(ToolMessage(ModelToolCall("", "tickets_list", "", {}), heard))
        for number in range(3):
            assert f"- Ticket {number} is yours" in day.left
