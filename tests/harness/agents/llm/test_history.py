"""Whatever happens in a day, what the model is asked is a conversation that services take.

A day of two hundred steps stays under the threshold, and nothing promised is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.harness.agents.llm.fake_service import (
    FINISH,
    FakeService,
    assert_sound,
    call,
    says,
    text_of,
)
from trainee_bench.harness.agents.builtin.openai import OpenAIAgent
from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    Exchange,
    HistoryContext,
    UnknownComponent,
)
from trainee_bench.harness.agents.llm.histories import SummarisingHistory, create_history
from trainee_bench.harness.agents.llm.prompts import create_system_prompt
from trainee_bench.harness.models.conversation import (
    FinishReason,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.turns import Thought, ToolInfo, ToolResult
from trainee_bench.world.transaction import Notice, NoticeKind, Picture, WorkingDay

TOOLS = (ToolInfo("files_read", "Read a file.", {"type": "object"}, 1),)
NOW = datetime(2025, 10, 1, 9)


def exchange(
    name: str, answers: list[str], text: str = "", said: str = "", pictures: int = 0
) -> Exchange:
    calls = [call("files_read", f"{name}-{place}") for place, _ in enumerate(answers)]
    shown = (Picture(b"\x89PNG", "image/png"),) * pictures
    given = [
        ToolMessage(one, ToolResult(text, None, NOW, pictures=shown))
        for one, text in zip(calls, answers, strict=True)
    ]
    return Exchange(ModelReply(text, tuple(calls)), tuple(given), said)


exchanges = st.lists(
    st.builds(
        exchange,
        st.just(""),
        st.lists(st.integers(0, 9_000).map(lambda n: "é" * n), max_size=4),
        st.sampled_from(["", "  ", "I think."]),
        st.sampled_from(["", "Go on."]),
        st.integers(0, 2),
    ),
    max_size=25,
)


def named(given: list[Exchange]) -> list[Exchange]:
    """The same with ids that differ, as the loop gives them; who calls nothing is spoken to."""
    made = []
    for place, one in enumerate(given):
        answers = [answered.answer.text for answered in one.answers]
        pictures = len(one.answers[0].answer.pictures) if one.answers else 0
        said = one.said or ("" if answers else "Call a tool.")
        made.append(exchange(f"c{place}", answers, one.reply.text, said, pictures))
    return made


def begun(
    part: ConversationHistory, service: FakeService, opening: str = "Your tasks: T1."
) -> Counter[str]:
    mishaps: Counter[str] = Counter()
    part.begin(
        HistoryContext(
            "Be good.", opening, TOOLS, service.reply, lambda kind: mishaps.update([kind])
        )
    )
    return mishaps


@given(
    given=exchanges,
    kept=st.sampled_from(["whole", "summarising:2000", "summarising:9000"]),
    notes=st.sampled_from([says("- notes"), says(""), says("x" * 50_000)]),
    harder=st.integers(0, 25),
)
def test_any_sequence_of_turns_is_a_sound_request(
    given: list[Exchange], kept: str, notes: ModelReply, harder: int
) -> None:
    async def day() -> None:
        part, service = create_history(kept), FakeService(says("unused"))
        service.notes = notes
        begun(part, service)
        for place, one in enumerate(named(given)):
            part.add(one)
            if place == harder:
                await part.shorten()
            request = await part.request()
            assert_sound(request)
            assert request.tools == TOOLS
            assert text_of(request).startswith("Be good.\nYour tasks: T1.")
            last = [m.call.id for m in request.messages if isinstance(m, ToolMessage)]
            assert last[len(last) - len(one.answers) :] == [a.call.id for a in one.answers]

    anyio.run(day)


async def test_pictures_are_kept_with_their_turn_counted_and_gone_with_it() -> None:
    part, service = SummarisingHistory(6_000), FakeService(says("unused"))
    begun(part, service)
    seen = []
    for place in range(8):
        part.add(exchange(f"c{place}", ["a map"], pictures=1))
        request = await part.request()
        seen.append(
            sum(len(m.answer.pictures) for m in request.messages if isinstance(m, ToolMessage))
        )
    assert max(seen) < 6, "each counts as a thousand tokens"
    assert seen[0] == 1 and seen[-1] >= 1
    assert "[picture]" in text_of(service.asked[0]), "whoever takes notes knows there was one"


async def test_the_estimate_follows_what_the_service_counts() -> None:
    part, service = SummarisingHistory(6_000), FakeService(says("unused"))
    begun(part, service)
    for place in range(3):
        await part.request()
        one = exchange(f"c{place}", ["x" * 4_000])
        counted = ModelReply("", one.reply.calls, thought=Thought(prompt_tokens=10**6))
        part.add(Exchange(counted, one.answers))
    await part.request()
    assert service.asked, "it is summarised earlier where the service counts more"


async def test_a_model_that_cannot_read_its_last_answer_gets_the_beginning_of_it() -> None:
    part, service = SummarisingHistory(), FakeService(says("unused"))
    begun(part, service)
    part.add(exchange("c", ["x" * 100_000], pictures=1))
    before = await part.request()
    assert await part.shorten()
    after = await part.request()
    assert len(text_of(after)) < len(text_of(before)) / 10
    assert "too long for you to read" in text_of(after)
    assert "too large for you" in text_of(after)


async def test_there_is_an_end_to_shortening() -> None:
    part, service = SummarisingHistory(), FakeService(says("unused"))
    begun(part, service, "A task. " * 2_000)
    assert [await part.shorten() for _ in range(2)] == [False, False]
    whole = create_history("whole")
    begun(whole, service)
    assert not await whole.shorten()


async def test_a_shortened_conversation_stays_short_on_the_next_day() -> None:
    part, service = SummarisingHistory(), FakeService(says("unused"))
    begun(part, service)
    for place in range(20):
        part.add(exchange(f"c{place}", ["x" * 2_000]))
    await part.shorten()
    asked = len(service.asked)
    begun(part, service)
    for place in range(20):
        part.add(exchange(f"d{place}", ["x" * 2_000]))
        await part.request()
    assert len(service.asked) > asked
    assert "c19" not in str(await part.request()), "and nothing of that day is left"


async def test_notes_that_a_model_refuses_or_cannot_write_are_no_notes() -> None:
    for notes in (says("I refuse.", finish=FinishReason.REFUSAL), says("   ")):
        part, service = SummarisingHistory(2_500), FakeService(says("unused"))
        service.notes = notes
        mishaps = begun(part, service)
        for place in range(12):
            part.add(exchange(f"c{place}", ["x" * 2_000]))
            request = await part.request()
        assert mishaps["summary_failed"] > 0
        assert "I refuse." not in text_of(request)


async def test_a_request_for_notes_has_no_tools_and_describes_the_turns() -> None:
    part, service = SummarisingHistory(4_000), FakeService(says("unused"))
    begun(part, service)
    for place in range(30):
        part.add(
            exchange(f"c{place}", [f"The code is {place}00. " + "x" * 1_500], f"thought {place}")
        )
        await part.request()
    asked: ModelRequest = service.asked[0]
    assert asked.tools == ()
    assert all(isinstance(message, UserMessage) for message in asked.messages)
    assert "The code is 000." in text_of(asked) and "thought 0" in text_of(asked)
    assert "the notes of a patient model" in text_of(service.asked[-1]), "notes build on notes"


@pytest.mark.parametrize(
    ("named", "says_"),
    [
        ("summarising:ten", "number of tokens"),
        ("summarising:10", "2000 at least"),
        ("summarising:-5", "number of tokens"),
        ("whole:5", "takes nothing"),
        ("hole", "There are summarising, whole; your own is named as module:Class"),
        ("no.such.module:History", "There is no module 'no'"),
        (f"{__name__}:Nothing", "has no class 'Nothing'"),
        (f"{__name__}:HistoryContext", "cannot be created without arguments"),
        ("collections:Counter", "has no method begin and no add"),
    ],
)
def test_a_history_that_nobody_knows_is_refused_in_words(named: str, says_: str) -> None:
    with pytest.raises(UnknownComponent, match=says_):
        create_history(named)


@pytest.mark.parametrize("named", ["polite", "bare:er", "collections:Counter"])
def test_a_system_prompt_that_nobody_knows_is_refused_in_words(named: str) -> None:
    with pytest.raises(UnknownComponent):
        create_system_prompt(named)


DAY = WorkingDay(datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 20))
THRESHOLD = 8_000
STEPS = 200
OPENING = "Your tasks:\n\nT1: Links (due 20:00)\nMend every link in the guide, word for word."
LATE_OBJECTIVE = "Book a table for seventeen people at the harbour, and no fish for Ms Quill."
ASSIGNMENT = "Please write down what the team would like to have bought: 3 x 1 TB SSD."
INVITATION = "m.s invites you to meeting 7 'Budget', 2025-10-01 18:00-18:30 in Room_07."
UNANSWERED = "Who keeps the key of the archive in cellar 4?"


class Office:
    """A transport on which a long day goes on: a task and a meeting come in, somebody answers."""

    def __init__(self) -> None:
        self.now = DAY.starts
        self.calls = self.messages = 0
        self.submitted = False

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        self.calls += 1
        self.now = DAY.ends if name == "desk_finish_day" else self.now + timedelta(minutes=1)
        data, notices = self._data(name, arguments), self._notices()
        picture = Picture(b"\x89PNG", "image/png")
        told = "".join(f"\n- {notice.text}" for notice in notices)
        found = "something long that was found out, " * 12
        return ToolResult(
            f"{name} {self.calls}: {found}{data or ''}{told}",
            data,
            self.now,
            notices=tuple(notices),
            pictures=(picture,) if name == "files_view_image" else (),
        )

    def _data(self, name: str, arguments: Mapping[str, JsonValue]) -> dict[str, object]:
        if name == "desk_tasks":
            tasks = [self._task("T1", "Links", "Mend every link"), self._task("T4")]
            return {"tasks": tasks, "more_until": None}
        if name == "desk_submit":
            return {"task": str(arguments["task"]), "at": self.now.isoformat()}
        if name == "chat_send_message":
            self.messages += 1
            one = {"id": self.messages, "sender": "robin.hale", "at": self.now.isoformat()}
            return {"message": {**one, **arguments}}
        if name == "calendar_attend":
            here = {"arrived": self.now.isoformat(), "on_time": True, "missed_minutes": 0}
            return {"meeting": 3, "minutes_text": "", "announcements": [ASSIGNMENT], **here}
        return {}

    def _task(self, id: str, title: str = "Dinner", text: str = LATE_OBJECTIVE) -> object:
        return {
            "id": id, "title": title, "objective": text, "deadline": "2025-10-01T19:00:00",
            "assignments": [], "submitted": False,
        }  # fmt: skip

    def _notices(self) -> list[Notice]:
        said = {
            5: (NoticeKind.TASK, "New task T4: Dinner (due 19:00). desk_tasks shows it."),
            9: (NoticeKind.MEETING, INVITATION),
            12: (NoticeKind.MEETING, "m.s invites you to meeting 3 'Team', in Room_01."),
            25: (NoticeKind.MESSAGE, "Message 3 from Ann Lee: The code is 77-12."),
        }.get(self.calls)
        return [Notice(at=self.now, kind=said[0], text=said[1])] if said else []


def plan(step: int) -> ModelReply:
    made = {
        3: call("desk_tasks"),
        8: call("chat_send_message", to="bo.finn", text=UNANSWERED),
        9: call("chat_send_message", to="ann.lee", text="What is the code of the safe?"),
        16: call("calendar_attend", meeting=3),
        190: call("desk_submit", task="T1"),
    }.get(step)
    if step == STEPS - 1:
        return FINISH
    more = [call("files_view_image", path="a.png")] if step % 20 == 0 else []
    return says(f"step {step}", made or call("files_read", path=f"file {step}"), *more)


class Planned:
    """Replies by the number of turns it was asked for."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, request: ModelRequest) -> ModelReply:
        self.turns += 1
        return plan(self.turns - 1)


def place() -> AgentSession:
    names = ("desk_tasks", "desk_submit", "desk_finish_day", "chat_send_message")
    tools = [*TOOLS, *(ToolInfo(name, "…", {}, 1) for name in (*names, "calendar_attend"))]
    return AgentSession(Office(), tools, OPENING, DAY, EpisodeLimits(steps=STEPS + 50))


async def work(service: FakeService, history: str = f"summarising:{THRESHOLD}") -> AgentSession:
    session = place()
    agent = OpenAIAgent.from_config(AgentConfig(name="x", agent="openai", history=history))
    agent.service = service
    conduct = await run_agent(agent, session)
    assert (conduct.ended, conduct.agent_error) == (EndReason.AGENT, None)
    return session


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.6], ids=["dense", "as-estimated", "wordy"])
async def test_two_hundred_steps_stay_under_the_threshold_at_every_request(factor: float) -> None:
    service = FakeService(Planned(), factor=factor)
    session = await work(service)
    assert session.counts.steps == STEPS == len(service.turns)
    assert max(service.tokens) <= THRESHOLD
    assert len(session.asides) >= 3
    assert all(thought.prompt_tokens for thought in session.asides)
    assert session.counts.incidents["summary_failed"] == 0


@pytest.mark.parametrize("notes", [says("- notes"), says("")], ids=["notes", "no notes"])
async def test_tasks_open_questions_and_appointments_are_in_every_request(
    notes: ModelReply,
) -> None:
    service = FakeService(Planned())
    service.notes = notes
    await work(service)
    since = {OPENING: 0, LATE_OBJECTIVE: 4, UNANSWERED: 9, INVITATION: 9, ASSIGNMENT: 17}
    for number, request in enumerate(service.turns):
        read = text_of(request)
        lost = [said for said, step in since.items() if number >= step and said not in read]
        assert not lost, f"request {number}"
    late = text_of(service.turns[-1])
    assert "What is the code of the safe?" not in late, "it was answered"
    assert "invites you to meeting 3" not in late, "it was attended"
    assert "T1: Links, due 19:00: submitted" in late


async def test_the_last_turn_is_always_read_whole_and_the_notes_say_how_many_are_gone() -> None:
    service = FakeService(Planned())
    await work(service)
    for number, request in enumerate(service.turns[1:], 1):
        assert f"step {number - 1}" in text_of(request)
    assert "Your notes of your first" in text_of(service.turns[-1])
    assert "the notes of a patient model" in text_of(service.turns[-1])


async def test_where_notes_fail_the_older_turns_are_left_out_and_the_model_is_told() -> None:
    service = FakeService(Planned())
    service.notes = says("word " * 20_000)
    session = await work(service)
    assert max(service.tokens) <= THRESHOLD
    assert session.counts.incidents["summary_failed"] == len(session.asides) > 0
    assert "There are no notes of" in text_of(service.turns[-1])
    assert "word word" not in text_of(service.turns[-1])


async def test_a_whole_history_keeps_everything() -> None:
    service = FakeService(Planned())
    session = await work(service, "whole")
    assert session.asides == []
    assert "step 0" in text_of(service.turns[-1])
    assert max(service.tokens) > THRESHOLD
