"""Whatever happens in a day, what the model is asked is a conversation that services take."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.agents.llm.fake_service import FakeService, assert_sound, call, says, text_of
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
from trainee_bench.harness.session.turns import Thought, ToolInfo, ToolResult
from trainee_bench.world.transaction import Picture

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
        part.add(
            Exchange(
                ModelReply("", one.reply.calls, thought=Thought(prompt_tokens=10**6)), one.answers
            )
        )
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
    assert "too much for you to look at" in text_of(after)


async def test_there_is_an_end_to_shortening() -> None:
    part, service = SummarisingHistory(), FakeService(says("unused"))
    begun(part, service, "A task. " * 2_000)
    assert [await part.shorten() for _ in range(2)] == [False, False]
    whole = create_history("whole")
    begun(whole, service)
    assert not await whole.shorten()


async def test_what_is_shortened_once_stays_short_on_the_next_day() -> None:
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


async def test_whoever_takes_notes_sees_no_tools_and_what_happened_in_words() -> None:
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
