"""Whatever a server sends is a sound completion, with its tokens as given, or no reply at all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.mcp_servers.llm.one_request import ASKED
from tests.scripted_endpoint import Answer, Json, fails, pieces, says, scripted_endpoint
from trainee_bench.mcp_servers.llm.client import ChatClient
from trainee_bench.mcp_servers.llm.failures import (
    SERVER_ERROR,
    ErrorInReply,
    InvalidCompletion,
    StreamInterrupted,
    classify_error,
)
from trainee_bench.mcp_servers.llm.response import parse_completion
from trainee_bench.mcp_servers.llm.streaming import assemble_stream

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


def kept(text: str) -> str:
    return text


def reply(message: object, **more: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": "stop"}], **more}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "content": ANYTHING,
            "refusal": ANYTHING,
            "reasoning": ANYTHING,
            "tool_calls": ANYTHING
            | st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "id": ANYTHING,
                        "function": ANYTHING
                        | st.fixed_dictionaries({"name": ANYTHING, "arguments": ANYTHING}),
                    },
                )
            ),
        },
    ),
    ANYTHING,
    ANYTHING,
)
def test_any_message_becomes_a_completion_that_can_be_written_down(
    message: dict[str, object], usage: object, model: object
) -> None:
    said = parse_completion(reply(message, usage=usage, model=model), kept)
    assert ChatCompletion.model_validate_json(said.model_dump_json()) == said
    calls = said.choices[0].message.tool_calls or []
    assert len({call.id for call in calls}) == len(calls)


@given(ANYTHING)
def test_anything_else_is_unusable(sent: object) -> None:
    with pytest.raises(InvalidCompletion):
        parse_completion(sent, kept)


@pytest.mark.parametrize("logprob", [10**400, -(10**400), float("nan"), float("-inf"), True, "0"])
def test_log_probabilities_that_are_no_finite_numbers_are_left_out(logprob: object) -> None:
    choice = {"message": {"content": "So"}, "logprobs": {"content": [{"logprob": logprob}]}}
    said = parse_completion({"choices": [choice]}, kept)
    assert not hasattr(said.choices[0], "token_logprobs")


def test_an_error_nested_as_deep_as_json_is_read_is_a_fault_of_the_server() -> None:
    nested = json.loads(f"{'[' * 900}{']' * 900}")
    for _ in range(500):
        nested = [nested]
    for error in (nested, {"detail": nested}):
        with pytest.raises(ErrorInReply) as told:
            parse_completion({"error": error}, kept)
        failure = classify_error(told.value)
        assert (failure.kind, failure.message) == (
            SERVER_ERROR,
            "an error nested too deeply to show",
        )


def test_half_a_character_in_a_part_of_a_text_is_replaced() -> None:
    said = parse_completion(reply({"content": ["\ud800"]}, model=["\ud800"]), kept)
    assert (said.model, said.choices[0].message.content) == ("\ufffd", "\ufffd")


def test_arguments_may_come_as_an_object_and_content_in_parts() -> None:
    call = {"function": {"name": "a", "arguments": {"b": [1]}}}
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "So"}, " it is"]
    message = (
        parse_completion(reply({"content": parts, "tool_calls": [call]}), kept).choices[0].message
    )
    assert message.content == "So it is"
    (made,) = message.tool_calls or ()
    assert made.type == "function" and json.loads(made.function.arguments) == {"b": [1]}


def test_calls_without_ids_or_with_the_same_one_get_their_own() -> None:
    call = {"id": "c", "function": {"name": "a", "arguments": ""}}
    named = {"id": "call-3", "function": {"name": "b"}}
    sent = reply({"tool_calls": [call, named, {"function": {"name": "b"}}, call]})
    ids = [one.id for one in parse_completion(sent, kept).choices[0].message.tool_calls or ()]
    assert ids[:2] == ["c", "call-3"] and len(set(ids)) == 4


def test_more_cached_tokens_than_there_are_count_as_all() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 1.0,
             "prompt_tokens_details": {"cached_tokens": 9}}  # fmt: skip
    counted = parse_completion(reply({"content": "a"}, usage=usage), kept).usage
    assert counted is not None and counted.prompt_tokens_details is not None
    assert counted.prompt_tokens_details.cached_tokens == 5


async def test_a_stream_without_indices_is_told_apart_by_its_ids() -> None:
    def piece(call: dict[str, object] | None, finish: str | None = None) -> ChatCompletionChunk:
        delta = {"tool_calls": [call]} if call else {}
        return ChatCompletionChunk.construct(
            choices=[{"index": 0, "delta": delta, "finish_reason": finish}]
        )

    async def chunks():  # type: ignore[no-untyped-def]  # noqa: ANN202
        yield piece({"id": "1", "function": {"name": "a", "arguments": '{"x":'}})
        yield piece({"id": "1", "function": {"arguments": "1}"}})
        yield piece({"id": "2", "function": {"name": "b", "arguments": "{}"}})
        yield piece(None, "tool_calls")

    message = parse_completion(await assemble_stream(chunks()), kept).choices[0].message
    assert [
        (one.function.name, one.function.arguments)
        for one in message.tool_calls or ()
        if one.type == "function"
    ] == [("a", '{"x":1}'), ("b", "{}")]


async def test_a_stream_of_nothing_broke_off() -> None:
    async def nothing():  # type: ignore[no-untyped-def]  # noqa: ANN202
        return
        yield

    with pytest.raises(StreamInterrupted):
        await assemble_stream(nothing())


@pytest.mark.parametrize(
    ("total", "reasoned", "said"),
    [
        (3_010, 2_000, 2_010),  # counted beside the completion's tokens
        (1_010, 2_000, 10),  # a server that miscounts
        (1_010, 4, 10),  # counted among them
        (3_010, None, 10),
        (None, 2_000, 10),
    ],
)
def test_reasoning_is_added_exactly_where_the_total_has_it_beside_the_completion(
    total: int | None, reasoned: int | None, said: int
) -> None:
    usage = {
        "prompt_tokens": 1_000, "completion_tokens": 10, "total_tokens": total,
        "completion_tokens_details": {"reasoning_tokens": reasoned},
    }  # fmt: skip
    counted = parse_completion(reply({"content": "a"}, usage=usage), kept).usage
    assert counted is not None
    assert (counted.prompt_tokens, counted.completion_tokens) == (1_000, said)
    assert counted.total_tokens == 1_000 + said


@pytest.mark.parametrize(
    "count", [float("inf"), 1e300, 10**400, 10**10, -1, "7", True, float("nan")]
)
def test_a_count_of_tokens_that_none_can_be_is_unknown(count: object) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": count}
    assert parse_completion(reply({"content": "a"}, usage=usage), kept).usage is None


PROMPT, SAID, LOGPROBS = [1, 5, 9], [7, 8], [-0.25, -1.5]


def content(*logprobs: object) -> Json:
    return {"content": [{"token": "t", "logprob": one, "top_logprobs": []} for one in logprobs]}


def tells(
    prompt: object = PROMPT, ids: object = SAID, logprobs: object = None, text: str = "So."
) -> Answer:
    """A reply as vLLM gives it, whole and as a stream with a token in each piece."""
    plain = says(text)
    assert isinstance(plain.body, dict)
    told = content(*LOGPROBS) if logprobs is None else logprobs
    (choice,) = plain.body["choices"]
    body = {
        **plain.body,
        "prompt_token_ids": prompt,
        "choices": [{**choice, "token_ids": ids, "logprobs": told}],
    }
    chunks = list(pieces(plain.body))
    chunks[0] = {**chunks[0], "prompt_token_ids": prompt}
    for place, (id, logprob) in enumerate(zip(SAID, LOGPROBS, strict=True), start=1):
        (part,) = chunks[place]["choices"]
        tokens = {**part, "token_ids": [id], "logprobs": content(logprob)}
        chunks[place] = {**chunks[place], "choices": [tokens]}
    return replace(plain, body=body, pieces=tuple(chunks))


async def told(answer: Answer, *, stream: bool = False) -> tuple[Any, Any, Any]:
    async with (
        scripted_endpoint(answer) as server,
        ChatClient(server.config(), stream=stream, with_tokens=True) as endpoint,
    ):
        completion = await endpoint.complete(ASKED)
    choice = completion.choices[0]
    assert choice.message.content == "So."
    return (
        getattr(completion, "prompt_token_ids", None),
        getattr(choice, "token_ids", None),
        getattr(choice, "token_logprobs", None),
    )


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_tokens_are_those_that_the_server_gave(stream: bool) -> None:
    assert await told(tells(), stream=stream) == (PROMPT, SAID, LOGPROBS)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_tokens_are_asked_for_only_where_they_are_wanted(stream: bool) -> None:
    async with scripted_endpoint(says("A."), says("B.")) as server:
        for wanted in (True, False):
            async with ChatClient(server.config(), stream=stream, with_tokens=wanted) as endpoint:
                await endpoint.complete(ASKED)
    asked, plain = server.asked
    assert (asked.pop("logprobs"), asked.pop("return_token_ids")) == (True, True)
    assert asked == plain


async def test_a_server_that_knows_no_ids_is_asked_for_the_rest_and_that_is_counted() -> None:
    refusal = fails(400, "Unrecognized request argument supplied: return_token_ids")
    async with (
        scripted_endpoint(refusal, tells(prompt=None, ids=None), tells()) as server,
        ChatClient(server.config(), with_tokens=True) as endpoint,
    ):
        first = await endpoint.complete(ASKED)
        await endpoint.complete(ASKED)
    assert getattr(first.choices[0], "token_logprobs", None) == LOGPROBS
    assert [("logprobs" in one, "return_token_ids" in one) for one in server.asked] == [
        (True, True), (True, False), (True, False),
    ]  # fmt: skip
    assert endpoint.incidents == {"tokens_not_given": 1}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (tells(ids=[7, -1]), (PROMPT, None, LOGPROBS)),
        (tells(prompt="1 5 9", ids=[True, False]), (None, None, LOGPROBS)),
        (tells(logprobs=content(-0.25)), (PROMPT, SAID, None)),
        (tells(logprobs=content(-0.25, None)), (PROMPT, SAID, None)),
        (tells(logprobs={"content": [1, 2]}), (PROMPT, SAID, None)),
        (tells(logprobs="none"), (PROMPT, SAID, None)),
        (says("So."), (None, None, None)),
    ],
    ids=["negative", "no-numbers", "too-few", "one-missing", "no-records", "text", "nothing"],
)
async def test_values_that_are_not_tokens_or_belong_to_none_are_left_out(
    answer: Answer, expected: tuple[Any, Any, Any]
) -> None:
    assert await told(answer) == expected
