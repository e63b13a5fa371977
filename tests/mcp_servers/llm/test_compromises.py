"""What a server does not know, or wants otherwise, is said in other words, once and for good."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.mcp_servers.llm.one_request import ASKED, ask, both_ways
from tests.scripted_endpoint import Answer, fails, says, scripted_endpoint
from trainee_bench.mcp_servers.llm.client import ChatClient, ModelUnavailable

SCHEMA: Any = {"type": "json_schema", "json_schema": {"name": "ids", "schema": {}}}


@pytest.mark.parametrize(
    ("words", "asked", "missing", "instead"),
    [
        ("Unknown parameter: 'max_completion_tokens'.", {"max_completion_tokens": 9},
         "max_completion_tokens", {"max_tokens": 9}),
        ("'temperature' does not support 0.2 with this model.", {"temperature": 0.2},
         "temperature", {}),
        ("response_format.type json_schema is unavailable now", {"response_format": SCHEMA},
         None, {"response_format": {"type": "json_object"}}),
        ("Unknown name \"strict\" at 'tools[0].function'",
         {"tools": [{"type": "function", "function": {"name": "a", "strict": False}}]},
         None, {"tools": [{"type": "function", "function": {"name": "a"}}]}),
    ],
)  # fmt: skip
async def test_a_parameter_that_a_server_does_not_know_is_given_up_once_and_for_good(
    words: str, asked: dict[str, Any], missing: str | None, instead: dict[str, Any]
) -> None:
    async with (
        scripted_endpoint(fails(400, words), says("So."), says("Again.")) as server,
        ChatClient(server.config()) as endpoint,
    ):
        await endpoint.complete(ASKED, **asked)
        await endpoint.complete(ASKED, **asked)
    for sent in server.asked[1:]:
        assert missing not in sent
        assert {name: sent[name] for name in instead} == instead
    assert not endpoint.incidents


@both_ways
@pytest.mark.parametrize(
    "refusal",
    [
        fails(400, "messages[0]: unknown variant `image_url`, expected `text`"),
        fails(400, "scripted-model is not a multimodal model"),
        fails(404, "No endpoints found that support image input"),
        fails(500, "image input is not supported - hint: you may need to provide the mmproj"),
    ],
)
async def test_a_model_that_sees_nothing_is_told_of_pictures_in_words(
    refusal: Answer, stream: bool
) -> None:
    url = "data:image/png;base64,AAAA"
    shown: Any = {
        "role": "user",
        "content": [
            {"type": "text", "text": "Shown:"},
            {"type": "image_url", "image_url": {"url": url}},
        ],
    }
    async with (
        scripted_endpoint(refusal, says("So."), says("Again.")) as server,
        ChatClient(server.config(), stream=stream) as endpoint,
    ):
        for _ in range(2):
            await endpoint.complete([*ASKED, shown])
    first, *later = server.asked
    assert first["messages"][1] == shown
    for asked in later:
        assert asked["messages"][0] == ASKED[0]
        assert [part["type"] for part in asked["messages"][1]["content"]] == ["text", "text"]
    assert endpoint.incidents == {"pictures_not_shown": 1}


async def test_thinking_is_sent_back_only_where_a_server_demands_it() -> None:
    thought: Any = {"role": "assistant", "content": "So.", "reasoning_content": "Hm."}
    demand = fails(400, "Missing `reasoning_content` field in the assistant message at index 1")
    async with (
        scripted_endpoint(says("A."), demand, says("B."), says("C.")) as server,
        ChatClient(server.config()) as endpoint,
    ):
        for _ in range(3):
            await endpoint.complete([*ASKED, thought])
    sent = [asked["messages"][1].get("reasoning_content") for asked in server.asked]
    assert sent == [None, None, "Hm.", "Hm."] and not endpoint.incidents


async def test_words_about_pictures_where_there_are_none_are_refused_as_any_other() -> None:
    with pytest.raises(ModelUnavailable):
        await ask(fails(400, "image input is not supported"))


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
async def test_what_a_filter_does_not_let_through_is_a_reply_of_nothing(code: str) -> None:
    tried = await ask(fails(400, "The prompt was filtered.", code=code))
    assert (tried.text, tried.said.choices[0].finish_reason) == (None, "content_filter")


async def test_a_server_that_goes_on_objecting_is_given_up() -> None:
    with pytest.raises(ModelUnavailable):
        await ask(*[fails(400, "max_completion_tokens?")] * 3, max_completion_tokens=5)


async def test_a_stream_is_had_without_its_usage_where_that_is_not_known() -> None:
    refusal = fails(400, "stream_options is not supported")
    tried = await ask(refusal, says("So.", usage=None), stream=True)
    assert "stream_options" in tried.server.asked[0]
    assert "stream_options" not in tried.server.asked[1]


async def test_two_requests_that_meet_the_same_objection_both_get_through() -> None:
    def objects(asked: dict[str, Any]) -> Answer:
        return fails(400, "temperature?") if "temperature" in asked else says("So.")

    async with (
        scripted_endpoint(then=objects) as server,
        ChatClient(server.config()) as endpoint,
    ):
        said = await asyncio.gather(*(endpoint.complete(ASKED, temperature=0.5) for _ in range(4)))
    assert [one.choices[0].message.content for one in said] == ["So."] * 4
