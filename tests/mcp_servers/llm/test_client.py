"""An endpoint tries again what can pass, counts it, and says the rest in words."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import pytest

from tests.mcp_servers.llm.one_request import ASKED, Pauses, ask, both_ways
from tests.scripted_endpoint import (
    KEY,
    Answer,
    calls,
    closed_port,
    drops,
    fails,
    hangs,
    pieces,
    says,
    scripted_endpoint,
    too_long_for_llama,
    too_long_for_openai,
)
from trainee_bench.mcp_servers.llm import client as llm_client
from trainee_bench.mcp_servers.llm.api_config import ModelConfig
from trainee_bench.mcp_servers.llm.client import (
    MAX_TRIES,
    ChatClient,
    GarbledReply,
    ModelUnavailable,
    PromptTooLong,
)


@pytest.mark.parametrize("number", ["1e999", "NaN", "-1", '"many"', "1e12"])
async def test_a_number_of_tokens_that_none_can_have_is_unknown_and_an_incident(
    number: str,
) -> None:
    body = (
        '{"choices": [{"message": {"content": "So."}, "finish_reason": "stop"}],'
        f' "usage": {{"prompt_tokens": {number}, "completion_tokens": 2}}}}'
    )
    script = (Answer(body=body), says("So.", usage=(5, 2)))
    async with scripted_endpoint(*script) as server, ChatClient(server.config()) as client:
        first = await client.complete(ASKED)
        second = await client.complete(ASKED)
    assert first.usage is None
    assert second.usage is not None and second.usage.prompt_tokens == 5
    assert client.incidents == {"tokens_miscounted": 1}


@both_ways
async def test_a_reply_comes_whole_however_it_is_sent(stream: bool) -> None:
    sent = says(
        "First this.",
        calls("files_read", {"path": "drive:/ü.txt"}),
        calls("desk_now", '{"torn": '),
        reasoning_content="Let me think.",
        usage={
            "prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
    )  # fmt: skip
    tried = await ask(sent, stream=stream)
    (choice,) = tried.said.choices
    assert (choice.message.content, choice.finish_reason) == ("First this.", "tool_calls")
    assert [
        (call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or ()
        if call.type == "function"
    ] == [
        ("call-files_read", "files_read", '{"path": "drive:/\\u00fc.txt"}'),
        ("call-desk_now", "desk_now", '{"torn": '),
    ]
    assert choice.message.model_extra == {"reasoning_content": "Let me think."}
    usage = tried.said.usage
    assert usage is not None and usage.prompt_tokens_details is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (90, 7)
    assert usage.prompt_tokens_details.cached_tokens == 64
    assert tried.server.keys == [KEY] and not tried.incidents


@both_ways
@pytest.mark.parametrize("finish", ["stop", "length", "content_filter"])
async def test_the_end_of_a_reply_is_told(finish: str, stream: bool) -> None:
    tried = await ask(says("So", finish=finish), stream=stream)
    assert tried.said.choices[0].finish_reason == finish


@both_ways
async def test_a_refusal_and_an_empty_reply_are_replies(stream: bool) -> None:
    refused = await ask(says(None, refusal="I will not."), stream=stream)
    assert refused.said.choices[0].message.refusal == "I will not."
    empty = await ask(says(""), stream=stream)
    assert empty.text is None and empty.said.choices[0].message.tool_calls is None


@both_ways
async def test_uncounted_tokens_are_unknown(stream: bool) -> None:
    assert (await ask(says("So", usage=None), stream=stream)).said.usage is None


@both_ways
@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (fails(429), "rate_limited"),
        (fails(429, retry_after="3"), "rate_limited"),
        (fails(500), "server_error"),
        (fails(502), "server_error"),
        (fails(503), "server_error"),
        (Answer(status=529, body="overloaded"), "server_error"),
        (Answer(status=200, body={"error": {"message": "busy", "code": 502}}), "server_error"),
        (drops(), "connection_lost"),
    ],
)
async def test_a_passing_failure_is_retried_and_counted(
    first: Answer, kind: str, stream: bool
) -> None:
    if stream and first.status == 200 and not first.drops:
        first = Answer(pieces=({"error": {"message": "busy"}},))
    tried = await ask(first, says("Here I am."), stream=stream)
    assert tried.text == "Here I am."
    assert tried.incidents == {kind: 1} and len(tried.pauses) == 1


async def test_a_stream_that_ends_before_the_reply_is_tried_again() -> None:
    tried = await ask(Answer(body=says("Half of it").body, ends=False), says("All"), stream=True)
    assert (tried.text, tried.incidents) == ("All", {"connection_lost": 1})


@both_ways
async def test_an_answer_that_does_not_come_in_time_is_tried_again(stream: bool) -> None:
    tried = await ask(hangs(), says("Late."), stream=stream, seconds=1)
    assert (tried.text, tried.incidents) == ("Late.", {"timed_out": 1})


@pytest.mark.parametrize(
    "body",
    ["<html>Sign in</html>", "", "{", "[]", "null", '{"choices": []}', '{"choices": null}',
     '{"choices": [{"message": null}]}', '{"choices": [{"error": {"message": "upstream"}}]}'],
)  # fmt: skip
async def test_a_response_that_is_not_a_reply_is_a_fault_of_the_server(body: str) -> None:
    tried = await ask(Answer(body=body), says("Better."))
    assert (tried.text, tried.incidents) == ("Better.", {"server_error": 1})


@pytest.mark.parametrize(
    "junk",
    ["{{{", "\x00", "5", "[]", '"x"', '{"choices": 7}', '{"choices": [5]}',
     '{"choices": [{"delta": 3}]}', '{"choices": [{"delta": {"tool_calls": [7]}}]}',
     '{"choices": [{"delta": {"tool_calls": 7}}]}', "[" * 100_000],
)  # fmt: skip
async def test_junk_in_a_stream_is_a_fault_of_the_server(junk: str) -> None:
    tried = await ask(Answer(pieces=(junk,)), says("Better."), stream=True)
    assert tried.text == "Better."
    assert len(tried.incidents) == 1 and set(tried.incidents) <= {"server_error", "connection_lost"}


@both_ways
async def test_endless_redirects_end_soon_and_are_not_tried_again(stream: bool) -> None:
    away = Answer(status=307, headers={"location": "/v1/chat/completions"})
    async with scripted_endpoint(then=away) as server:
        async with ChatClient(server.config(), stream=stream, sleep=Pauses()) as client:
            with pytest.raises(ModelUnavailable, match="redirects endlessly; check base_url"):
                await client.complete(ASKED)
        assert len(server.asked) < 10


async def test_a_reply_that_never_ends_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_client, "_LONGEST_REPLY", 0.01)
    tried = await ask(hangs(), says("At last."), seconds=20)
    assert (tried.text, tried.incidents) == ("At last.", {"timed_out": 1})


@both_ways
async def test_tries_are_bounded_and_the_last_words_are_told(stream: bool) -> None:
    with pytest.raises(
        ModelUnavailable, match=rf"HTTP 503\): Busy\. Tried {MAX_TRIES} times"
    ) as refused:
        await ask(*[fails(503, "Busy")] * (MAX_TRIES + 5), stream=stream)
    assert KEY not in str(refused.value)


async def test_time_outs_are_given_up_sooner() -> None:
    with pytest.raises(ModelUnavailable, match="Tried 3 times"):
        await ask(*[hangs()] * MAX_TRIES, seconds=0.2)


async def test_pauses_grow_and_a_server_may_ask_for_longer_ones_up_to_a_bound() -> None:
    script = [fails(503), fails(503), fails(429, retry_after="7"), fails(429, retry_after="9999"),
              fails(429, retry_after="soon")]  # fmt: skip
    tried = await ask(*script, says("At last."))
    first, second, asked, bounded, unread = tried.pauses
    assert 0.5 < first < second < unread < 60
    assert (asked, bounded) == (7, 120)


@both_ways
@pytest.mark.parametrize(
    ("until", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30),
        ("Wed, 21 Oct 2026 09:28:31 +0200", 31),
        ("Wed, 21 Oct 2026 08:28:00 GMT", 120),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0.5),
    ],
)
async def test_a_date_to_wait_for_counts_from_the_date_of_the_response(
    until: str, seconds: float, stream: bool
) -> None:
    busy = fails(429, retry_after=until)
    dated = replace(busy, headers={**busy.headers, "date": "Wed, 21 Oct 2026 07:28:00 GMT"})
    tried = await ask(dated, says("At last."), stream=stream)
    assert tried.pauses == [seconds]


@pytest.mark.parametrize(
    "until",
    ["Wed, 21 Oct 99999999999999 07:28:30 GMT", f"Wed, 21 Oct 2026 07:28:30 +{'9' * 20}"],
    ids=["year", "zone"],
)
async def test_a_date_to_wait_for_that_no_calendar_has_is_left_out(until: str) -> None:
    tried = await ask(fails(429, retry_after=until), says("At last."))
    assert (tried.text, tried.incidents) == ("At last.", {"rate_limited": 1})


@both_ways
@pytest.mark.parametrize(
    "error",
    [
        {"message": "slow down", "code": 429},
        {"message": "slow down", "code": "rate_limit_exceeded"},
        {"message": "slow down", "code": 8, "status": "RESOURCE_EXHAUSTED"},
        {"message": "slow down", "code": 429.0},
        {"message": "slow down", "code": True, "type": "rate_limit_error"},
        {"message": {"text": "slow down"}, "code": 429, "param": ["model"]},
    ],
)
async def test_an_error_in_a_good_response_is_handled_by_its_own_code(
    error: dict[str, object], stream: bool
) -> None:
    answer = Answer(pieces=({"error": error},)) if stream else Answer(body={"error": error})
    tried = await ask(answer, says("At last."), stream=stream)
    assert (tried.text, tried.incidents) == ("At last.", {"rate_limited": 1})


@both_ways
@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (401, "Check that api_key_var in api_config.json names a key that is valid for this model"),
        ("invalid_api_key", "Check that api_key_var in api_config.json names a key"),
        (404, "Check that model_name and base_url in api_config.json match the server"),
        ("insufficient_quota", "Check the account's quota"),
    ],
)
async def test_an_error_in_a_good_response_that_no_retry_helps_is_told_at_once(
    code: int | str, advice: str, stream: bool
) -> None:
    error = {"error": {"message": "no", "code": code}}
    answer = Answer(pieces=(error,)) if stream else Answer(body=error)
    async with scripted_endpoint(then=answer) as server:
        async with ChatClient(server.config(), stream=stream, sleep=Pauses()) as client:
            with pytest.raises(ModelUnavailable, match=re.escape(advice)):
                await client.complete(ASKED)
        assert len(server.asked) == 1


async def test_a_server_that_is_not_there_is_tried_for_a_while_and_named() -> None:
    config, pauses = ModelConfig(alias="gone", model_name="m", base_url=closed_port()), Pauses()
    async with ChatClient(config, sleep=pauses) as endpoint:
        with pytest.raises(ModelUnavailable, match="'gone'.*base_url"):
            await endpoint.complete(ASKED)
    assert endpoint.incidents == {"connection_lost": MAX_TRIES} and len(pauses) == MAX_TRIES - 1


async def test_a_request_goes_through_the_proxy() -> None:
    async with scripted_endpoint(says("By way of it.")) as proxy:
        config = ModelConfig(
            alias="far", model_name="m", base_url="http://no-such-host.invalid/v1",
            proxy_url=proxy.url.removesuffix("/v1"),
        )  # fmt: skip
        async with ChatClient(config) as endpoint:
            said = await endpoint.complete(ASKED)
    assert said.choices[0].message.content == "By way of it."


@both_ways
@pytest.mark.parametrize(
    "answer",
    [
        too_long_for_openai(),
        too_long_for_llama(),
        fails(500, "Context size has been exceeded."),
        fails(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        fails(400, "The input token count (99) exceeds the maximum number of tokens allowed (9)."),
        Answer(status=413, body="Payload too large"),
        Answer(status=400, body={"object": "error", "message": "maximum context length is 4096"}),
    ],
)
async def test_a_context_too_long_is_told_apart_at_once(answer: Answer, stream: bool) -> None:
    async with (
        scripted_endpoint(answer) as server,
        ChatClient(server.config(), stream=stream) as endpoint,
    ):
        with pytest.raises(PromptTooLong):
            await endpoint.complete(ASKED)
    assert len(server.asked) == 1 and not endpoint.incidents


@both_ways
@pytest.mark.parametrize(
    ("answer", "says_next"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), "api_key_var"),
        (fails(403, "No."), "api_key_var"),
        (fails(404, "The model does not exist"), "model_name"),
        (fails(429, "You have no credit", code="insufficient_quota"), "quota"),
        (fails(400, "tools are not supported"), "choose another model"),
        (Answer(status=422, body={"detail": [{"msg": "bad"}]}), "bad.*choose another"),
    ],
)
async def test_a_lasting_failure_is_refused_at_once_with_the_next_step(
    answer: Answer, says_next: str, stream: bool
) -> None:
    async with (
        scripted_endpoint(answer) as server,
        ChatClient(server.config(), stream=stream) as endpoint,
    ):
        with pytest.raises(ModelUnavailable, match=says_next) as refused:
            await endpoint.complete(ASKED)
    assert KEY not in str(refused.value) and len(server.asked) == 1


@both_ways
@pytest.mark.parametrize(
    "words",
    [
        "Failed to parse input at pos 12: {",
        "The model produced output that does not match the expected peg-native format",
    ],
)
async def test_a_reply_that_its_server_cannot_read_is_asked_for_once_more(
    words: str, stream: bool
) -> None:
    torn = fails(500, words)
    if stream:
        torn = Answer(pieces=(*pieces(says("Half").body)[:2], {"error": {"message": words}}))
    tried = await ask(torn, says("Mended."), stream=stream)
    assert (tried.text, tried.incidents) == ("Mended.", {"garbled_reply": 1})
    with pytest.raises(GarbledReply, match="Tried 2 times"):
        await ask(*[torn] * MAX_TRIES, stream=stream)


@both_ways
async def test_a_key_that_a_server_echoes_gets_no_further(
    stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = says(f"Your key is {KEY}", calls("a", f'{{"b": "{KEY}"}}'), reasoning_content=KEY)
    tried = await ask(fails(500, KEY), echo, stream=stream)
    assert KEY not in tried.said.model_dump_json()
    assert tried.server.keys == [KEY, KEY]  # it was sent, where it belongs
    assert KEY not in caplog.text
    for record in caplog.records:
        assert KEY not in f"{record.getMessage()} {record.__dict__}"


async def test_a_missing_key_is_said_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MY_OWN_API_KEY", raising=False)
    async with scripted_endpoint() as server:
        with pytest.raises(ModelUnavailable, match="MY_OWN_API_KEY"):
            async with ChatClient(server.config(key="MY_OWN_API_KEY")):
                pass
    assert server.asked == []
