"""The ids and log-probabilities of tokens come as the server gave them, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.mcp_servers.llm.one_request import ASKED
from tests.scripted_endpoint import Answer, Json, fails, pieces, says, scripted_endpoint
from trainee_bench.mcp_servers.llm.client import ChatClient

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
async def test_what_is_no_token_or_belongs_to_none_is_left_out(
    answer: Answer, expected: tuple[Any, Any, Any]
) -> None:
    assert await told(answer) == expected
