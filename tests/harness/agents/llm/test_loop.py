"""What goes wrong between an agent and its model is said to it, counted, and bounded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import anyio
import pytest

from tests.harness.agents.llm.fake_service import (
    DAY,
    FINISH,
    TOOLS,
    FakeService,
    Saying,
    call,
    malformed,
    says,
    text_of,
    worked,
)
from trainee_bench.harness.agents.llm.loop import _EMPTY, MAX_CALLS_READ, MAX_UNUSABLE_REPLIES
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import AgentExit
from trainee_bench.harness.session.turns import (
    InfrastructureFault,
    Thought,
    ToolCall,
    ToolResult,
    TurnRecord,
    total_usage,
)
from trainee_bench.mcp_servers.llm.failures import (
    CONNECTION_LOST,
    GARBLED_REPLY,
    RATE_LIMITED,
    SERVER_ERROR,
    TIMED_OUT,
)

LOOK = says("I look.", call("desk_now"))


async def test_a_day_is_turns_until_the_model_ends_it() -> None:
    day = await worked(LOOK, FINISH)
    assert day.conduct == AgentExit(EndReason.AGENT)
    assert day.made == ["desk_now", "desk_finish_day"]
    first, second = day.service.asked
    assert text_of(first).endswith("Your tasks: T1.")
    assert first.tools == tuple(TOOLS)
    assert "at most 3 of them" in first.system
    assert [type(message).__name__ for message in second.messages] == [
        "UserMessage", "ModelReply", "ToolMessage",
    ]  # fmt: skip
    assert day.incidents == {}
    assert [tx.thought.message for tx in day.session.record] == ["I look.", ""]
    assert all(tx.thought.prompt_tokens for tx in day.session.record)


@pytest.mark.parametrize("history", ["summarising", "whole"])
async def test_a_model_that_goes_on_with_a_day_reads_what_was_said_and_seen(history: str) -> None:
    until = DAY.starts + timedelta(minutes=9)
    seen = ToolResult("Nine o'clock, and T1 is open.", {}, until)
    asked = ToolCall("desk_now", {}, "earlier-1")
    turns = [TurnRecord(DAY.starts, Thought("First the clock."), (asked,), (seen,))]
    day = await worked(LOOK, FINISH, history=history, earlier=turns)
    first = day.service.asked[0].messages
    assert [type(one) for one in first] == [UserMessage, ModelReply, ToolMessage, UserMessage]
    assert isinstance(first[1], ModelReply) and first[1].text == "First the clock."
    assert day.answers(0) == [seen]
    assert f"It is {until:%H:%M}" in day.said(0) and "Another agent made" in day.said(0)
    assert day.session.counts.steps == 2 and len(day.session.record) == 2
    assert day.session.record[0].began == until


async def test_the_model_gets_the_very_answers_that_the_tools_gave() -> None:
    day = await worked(LOOK, FINISH)
    assert day.answers(1) == list(day.session.record[0].answers)
    assert day.answers(1)[0].data == {}


async def test_nobody_is_asked_again_once_the_day_is_over() -> None:
    day = await worked(says("", call("desk_wait", until="20:00")))
    assert day.conduct.ended is EndReason.DAY_OVER
    assert len(day.service.asked) == 1


async def test_calls_beyond_three_are_answered_with_a_refusal_that_the_model_reads() -> None:
    day = await worked(says("", *[call("desk_now") for _ in range(5)]), FINISH)
    assert day.made == ["desk_now"] * 3 + ["desk_finish_day"]
    assert day.session.counts.refused_calls == 2
    assert [answer.failed for answer in day.answers(1)] == [False, False, False, True, True]
    assert "next turn" in day.answers(1)[4].text


async def test_malformed_arguments_are_answered_in_words_and_call_nothing() -> None:
    day = await worked(says("I write.", malformed("files_write"), call("desk_now")), FINISH)
    assert day.made == ["desk_now", "desk_finish_day"]
    assert day.incidents == {"malformed_arguments": 1}
    refused, sound = day.answers(1)
    assert refused.failed and "not a JSON object (Unterminated string" in refused.text
    assert not sound.failed
    assert '[not made: files_write {"path": "x]' in day.session.record[0].thought.message


@pytest.mark.parametrize("text", ["[1, 2]", "7", ""])
async def test_arguments_that_are_no_object_are_malformed(text: str) -> None:
    day = await worked(says("", malformed("files_write", text)), FINISH)
    assert day.incidents == {"malformed_arguments": 1}
    assert day.made == ["desk_finish_day"]


async def test_an_unknown_tool_is_answered_by_the_office_and_counted() -> None:
    day = await worked(says("", call("desk_fly")), FINISH)
    assert day.incidents == {"unknown_tool": 1}
    assert day.answers(1)[0].text == "no such tool"
    assert day.session.counts.failed_calls == 1


@pytest.mark.parametrize(
    ("useless", "incident", "told", "steps"),
    [
        (says(""), "empty_reply", "Your reply was empty", 0),
        (says("  \n"), "empty_reply", "Your reply was empty", 0),
        (says("All done!"), "no_call", "only tool calls", 1),
        (says("I cannot.", finish=FinishReason.REFUSAL), "refusal", "You refused", 1),
        (says("", finish=FinishReason.REFUSAL), "refusal", "You refused", 0),
        (says("Well, ", finish=FinishReason.LENGTH), "cut_reply", "cut at the token limit", 1),
        (says("", finish=FinishReason.LENGTH), "cut_reply", "cut at the token limit", 0),
        (says("", malformed("desk_now")), "malformed_arguments", "", 1),
        (says("", call("desk_now"), finish=FinishReason.LENGTH), "cut_reply", "", 1),
    ],
)
async def test_replies_of_no_use_are_told_so_and_end_the_day_if_there_is_nothing_else(
    useless: Saying, incident: str, told: str, steps: int
) -> None:
    once = await worked(useless, FINISH)
    assert (once.conduct.ended, once.incidents) == (EndReason.AGENT, {incident: 1})
    assert told in once.said(1)
    for_ever = await worked(useless)
    assert for_ever.conduct == AgentExit(EndReason.GAVE_UP)
    assert for_ever.incidents == {incident: MAX_UNUSABLE_REPLIES}
    assert for_ever.session.counts.steps == steps * MAX_UNUSABLE_REPLIES
    assert len(for_ever.session.thoughts) == MAX_UNUSABLE_REPLIES, "what they cost counts"


async def test_a_useful_reply_between_useless_ones_renews_the_patience() -> None:
    useless = [says("")] * (MAX_UNUSABLE_REPLIES - 1)
    day = await worked(*useless, LOOK, *useless, LOOK, FINISH)
    assert day.conduct.ended is EndReason.AGENT


async def test_the_last_call_of_a_reply_cut_short_is_not_made_and_said_so() -> None:
    torn = says("", call("desk_now"), malformed("files_write"), finish=FinishReason.LENGTH)
    day = await worked(torn, FINISH)
    assert day.made == ["desk_now", "desk_finish_day"]
    assert day.incidents == {"cut_reply": 1}
    assert "cut at the token limit" in day.answers(1)[1].text


async def test_calls_get_ids_of_their_own_where_the_server_gives_none_or_the_same() -> None:
    same = says("", call("desk_now", "a"), call("desk_now", "a"), call("desk_now", ""))
    day = await worked(same, same, FINISH)  # the service asserts that each is answered
    ids = [call.id for tx in day.session.record for call in tx.calls]
    assert len(ids) == len(set(ids)) == 7
    assert ids[0] == "a"


async def test_of_a_flood_of_calls_few_are_read_and_all_are_counted() -> None:
    flood = says("", *[call("desk_now")] * 300_000)
    service = FakeService(flood, FINISH)
    day = await worked(service=service)
    assert day.made == ["desk_now"] * 3 + ["desk_finish_day"]
    assert day.incidents["surplus_calls"] == 300_000 - MAX_CALLS_READ
    assert day.session.counts.refused_calls == 300_000 - 3
    (_, asked) = service.asked
    answered = [one for one in asked.messages if isinstance(one, ToolMessage)]
    assert len(answered) == MAX_CALLS_READ
    assert answered[-1].answer.text.startswith("Not done: your reply had 300,000 calls")
    assert len(day.session.record[0].calls) < MAX_CALLS_READ
    assert "[not read: 299,950 more calls]" in day.session.record[0].thought.message


async def test_the_conversation_is_recorded_as_it_was_sent_with_empty_and_malformed_replies() -> (
    None
):
    service = FakeService(says(""), says("x", malformed("desk_now")), LOOK, FINISH)
    day = await worked(service=service)
    sent = day.session.sent
    (conversation,) = sent.conversations
    told = [sent.messages[place] for place in conversation.places]
    assert [one["role"] for one in told] == [
        *("system", "user", "assistant", "user"),
        *("assistant", "tool", "assistant", "tool", "assistant", "tool"),
    ]
    assert told[0]["content"] == service.asked[0].system
    assert [one["content"] for one in told[1:5]] == [day.session.prompt, "", _EMPTY, "x"]
    assert "not a JSON object" in str(told[5]["content"])
    assert [told.index(sent.messages[place]) for place in sent.turns] == [4, 6, 8]


async def test_a_summary_begins_another_conversation_and_repeats_no_message() -> None:
    service = FakeService(*[LOOK] * 30, FINISH, reads=1_200)
    day = await worked(service=service)
    sent = day.session.sent
    asked = [one for one in sent.conversations if one.tools]
    assert len(asked) > 1 and len(sent.conversations) == len(asked) + len(day.session.asides)
    assert len(sent.turns) == len(set(sent.turns)) == 31
    assert len(sent.messages) < 31 * 4
    last = [sent.messages[place] for place in asked[-1].places]
    assert [one["role"] for one in last[:2]] == ["system", "user"]
    assert last[-1]["role"] == "tool"
    assert "Your notes of your first" in str(last[1]["content"])


async def test_a_conversation_too_long_for_the_model_is_shortened_and_goes_on() -> None:
    service = FakeService(*[LOOK] * 30, FINISH, reads=1_200)
    day = await worked(service=service)
    assert day.conduct == AgentExit(EndReason.AGENT)
    assert day.incidents["context_overflow"] >= 1
    assert day.session.asides, "by a summary"
    assert day.made == ["desk_now"] * 30 + ["desk_finish_day"]


@pytest.mark.parametrize("history", ["", "whole"])
async def test_a_model_that_can_read_nothing_any_more_ends_the_day_after_few_tries(
    history: str,
) -> None:
    service = FakeService(LOOK, ContextOverflow("300 tokens"))
    day = await worked(service=service, history=history)
    assert day.conduct == AgentExit(EndReason.CONTEXT_OVERFLOW)
    assert 1 <= day.incidents["context_overflow"] <= 3
    assert not EndReason.CONTEXT_OVERFLOW.limited


@pytest.mark.parametrize("history", ["", "whole"])
async def test_a_day_on_which_no_model_ever_replied_is_broken_with_the_words_of_its_server(
    history: str,
) -> None:
    service = FakeService(LOOK, reads=5)
    service.notes = ContextOverflow("nor the notes")
    with pytest.raises(InfrastructureFault, match=r"not replied at all: .* too long: \d+ tokens "):
        await worked(service=service, history=history)


async def test_a_summary_that_cannot_be_read_either_does_not_end_the_day() -> None:
    def overflow(_: ModelRequest) -> object:
        raise ContextOverflow("too long")

    service = FakeService(*[LOOK] * 300, FINISH)
    service.notes = overflow  # type: ignore[assignment]
    day = await worked(service=service, history="summarising:2000", limits=EpisodeLimits(steps=400))
    assert day.conduct.ended is EndReason.AGENT
    assert day.incidents["summary_failed"] > 1


async def test_a_service_that_is_down_breaks_the_episode() -> None:
    with pytest.raises(InfrastructureFault, match="no answer"):
        await worked(LOOK, InfrastructureFault("no answer"))


async def test_a_service_that_has_a_bug_is_the_agents_own_error() -> None:
    day = await worked(LOOK, KeyError("choices"))
    assert day.conduct == AgentExit(EndReason.AGENT_ERROR, "KeyError: 'choices'")


async def test_retries_of_the_service_are_counted_once_with_the_other_incidents() -> None:
    service = FakeService(says(""), LOOK, FINISH)
    service.incidents["timeout"] = 3  # of a day before

    def slow(_: ModelRequest) -> object:
        service.incidents["rate_limit"] += 2
        return LOOK

    service._sayings[1] = slow  # type: ignore[call-overload]
    day = await worked(service=service)
    assert day.incidents == {"empty_reply": 1, "rate_limit": 2}


@pytest.mark.parametrize(
    ("limits", "ending"),
    [
        (EpisodeLimits(steps=5), EndReason.STEP_LIMIT),
        (EpisodeLimits(tokens=2_000), EndReason.TOKEN_LIMIT),
        (EpisodeLimits(cost_usd=0.05), EndReason.COST_LIMIT),
    ],
)
async def test_limits_end_a_model_that_would_go_on_for_ever(
    limits: EpisodeLimits, ending: EndReason
) -> None:
    day = await worked(LOOK, limits=limits)
    assert day.conduct == AgentExit(ending)
    assert ending.limited
    assert 1 < day.session.counts.steps <= 10


async def test_the_limit_of_tokens_counts_what_summaries_take() -> None:
    service = FakeService(LOOK)
    day = await worked(
        service=service, history="summarising:2000", limits=EpisodeLimits(tokens=400_000, steps=500)
    )
    aside = sum(thought.prompt_tokens or 0 for thought in day.session.asides)
    assert day.conduct.ended is EndReason.TOKEN_LIMIT
    assert aside > 0


class Untold(FakeService):
    """Counts nothing."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        return replace(await super().reply(request), thought=Thought("I look."))


async def test_a_limit_of_tokens_holds_a_model_whose_service_tells_none() -> None:
    day = await worked(service=Untold(LOOK), limits=EpisodeLimits(tokens=2_000))
    assert day.conduct == AgentExit(EndReason.TOKEN_LIMIT)
    counted = await worked(LOOK, limits=EpisodeLimits(tokens=2_000))
    assert 0.5 < day.session.counts.steps / counted.session.counts.steps < 2
    assert (
        total_usage(day.session.thoughts).prompt_tokens is None
    )  # what is estimated is not reported


async def test_a_limit_of_cost_is_not_taken_for_held_where_nobody_tells_the_cost() -> None:
    with pytest.raises(InfrastructureFault, match="--max-tokens"):
        await worked(service=Untold(LOOK), limits=EpisodeLimits(cost_usd=1))
    useless = await worked(service=Untold(says("")), limits=EpisodeLimits(cost_usd=1))
    assert useless.conduct == AgentExit(EndReason.GAVE_UP)


class Down(FakeService):
    """Meets *kind* at its second request, and waits for better times."""

    kind = ""

    async def reply(self, request: ModelRequest) -> ModelReply:
        if self.asked:
            self.incidents[self.kind] += 1
            await anyio.sleep_forever()
        self.incidents["rate_limited"] += 1  # gone by, for this one is answered
        return await super().reply(request)


@pytest.mark.parametrize("kind", [CONNECTION_LOST, RATE_LIMITED, SERVER_ERROR, TIMED_OUT])
async def test_time_that_ran_out_on_a_service_that_is_down_breaks_the_episode(kind: str) -> None:
    service = Down(LOOK)
    service.kind = kind
    with pytest.raises(InfrastructureFault, match=f"was unavailable: {kind}"):
        await worked(service=service, limits=EpisodeLimits(seconds=0.2))


class Slow(FakeService):
    """Answers each request, but takes its time."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        await anyio.sleep(0.02)
        self.incidents[GARBLED_REPLY] += 1
        return await super().reply(request)


async def test_time_that_ran_out_on_a_slow_model_is_a_limit() -> None:
    day = await worked(service=Slow(LOOK), limits=EpisodeLimits(seconds=1))
    assert day.conduct == AgentExit(EndReason.TIME_LIMIT)


async def test_time_that_ran_out_on_one_request_breaks_the_episode() -> None:
    service = Down(LOOK)
    service.kind = GARBLED_REPLY
    with pytest.raises(InfrastructureFault, match="had not answered one request"):
        await worked(service=service, limits=EpisodeLimits(seconds=0.2))
