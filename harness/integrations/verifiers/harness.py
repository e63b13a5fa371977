"""A chat program without a process: a model's calls go straight to its rollout's day.

The programs of verifiers start a Python interpreter for each rollout and send each call through
MCP. This one runs in the process of verifiers. Every request to the model still goes through the
rollout's interception server, so traces, limits and hooks are the same.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any, Self

import aiohttp
from pydantic import JsonValue
from verifiers import v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.errors import MODEL_TRANSPORT_ERROR_EXIT_CODE
from verifiers.v1.harnesses.utils.compaction import CONTEXT_OVERFLOW_MARKERS

from trainee_bench.harness.integrations.verifiers.seat import OfficeSeat, seat_of_rollout
from trainee_bench.harness.models.chat_format import parse_arguments, to_chat_tools
from trainee_bench.harness.session.turns import ToolResult

__all__ = ["OfficeHarness", "OfficeHarnessConfig"]

_ATTEMPTS = 3
_FIRST_PAUSE = 0.5
"""Seconds before the first repetition of a request; each further pause is twice as long."""
_CONNECT_SECONDS = 5.0
_KEPT_CHARS = 2_000
_NO_OBJECT = (
    "Not done: the arguments are not a JSON object. Nothing happened and no time passed; correct "
    "the arguments and call again."
)
_RETRIED_HEADER = "x-stainless-retry-count"
"""By this header of OpenAI's client, the interception server knows repeated requests."""


class OfficeHarnessConfig(vf.HarnessConfig):
    """The settings under ``--env.agent.harness``."""


class OfficeHarness(vf.Harness[OfficeHarnessConfig]):
    """A plain chat loop over the tools of a day, for tasks of this taskset."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True  # what the tool server offers to other programs
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Let the model work until it makes no call, or its context is full.

        Raises RolloutWithoutDay for a task of another taskset.
        """
        seat = seat_of_rollout(trace.id)
        system, prompt = self.resolve_prompt(data)
        said: list[Mapping[str, Any]] = []
        if system:
            said.append({"role": "system", "content": system})
        if isinstance(prompt, str):
            said.append({"role": "user", "content": prompt})
        else:
            said += [message_to_wire(message) for message in prompt or ()]
        tools = to_chat_tools(seat.tools(trace.id))
        async with _Conversation(endpoint, secret, ctx.model, tools) as conversation:
            conversation.add(*said)
            try:
                await self._work(conversation, seat, trace.id)
            except _ModelUnreachable as error:
                return vf.ProgramResult(MODEL_TRANSPORT_ERROR_EXIT_CODE, "", str(error))
            except _ModelRefused as error:
                return vf.ProgramResult(1, "", str(error))
        return vf.ProgramResult(0, "", "")

    async def cleanup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Free the day of a rollout that failed or was cancelled."""
        with_day = _seat_or_none(trace.id)
        if with_day is not None:
            await with_day.release(trace.id)

    async def _work(self, conversation: _Conversation, seat: OfficeSeat, rollout: str) -> None:
        while (reply := await conversation.reply()) is not None:
            conversation.add(reply)
            calls = reply.get("tool_calls") or []
            if not calls:
                return
            for call in calls:
                conversation.add(await _answered(call, seat, rollout))


async def _answered(call: Mapping[str, Any], seat: OfficeSeat, rollout: str) -> dict[str, Any]:
    """Make *call* and return its message. Every call with arguments reaches the office."""
    function = call.get("function") or {}
    arguments = parse_arguments(function.get("arguments") or "")
    content: str | list[dict[str, JsonValue]] = _NO_OBJECT
    if arguments is not None:
        content = _content(await seat.call(rollout, str(function.get("name")), arguments))
    return {"role": "tool", "tool_call_id": call.get("id"), "content": content}


def _content(answer: ToolResult) -> str | list[dict[str, JsonValue]]:
    if not answer.pictures:
        return answer.text
    pictures: list[dict[str, JsonValue]] = [
        {
            "type": "image_url",
            "image_url": {
                "url": f"data:{picture.mime_type};base64,{base64.b64encode(picture.data).decode()}"
            },
        }
        for picture in answer.pictures
    ]
    return [{"type": "text", "text": answer.text}, *pictures]


def _seat_or_none(rollout: str) -> OfficeSeat | None:
    try:
        return seat_of_rollout(rollout)
    except RuntimeError:
        return None


class _ModelUnreachable(Exception):
    """The model did not answer, after repetitions."""


class _ModelRefused(Exception):
    """The interception server refused a request: the rollout was stopped, or the model failed."""


class _Conversation:
    """The messages so far, kept as JSON, since each request repeats them all."""

    def __init__(self, endpoint: str, secret: str, model: str, tools: object):
        self._address = f"{endpoint.rstrip('/')}/chat/completions"
        self._headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        self._head = f'{{"model": {json.dumps(model)}, "tools": {json.dumps(tools)}, "messages": ['
        self._messages: list[str] = []
        self._client = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    def add(self, *messages: Mapping[str, Any]) -> None:
        """Append *messages*."""
        for message in messages:
            told = {name: value for name, value in message.items() if value is not None}
            self._messages.append(json.dumps(told))

    async def reply(self) -> dict[str, Any] | None:
        """Return the model's next message; None if its context is full.

        Raises _ModelUnreachable and _ModelRefused.
        """
        body = f"{self._head}{', '.join(self._messages)}]}}".encode()
        status, text = await self._sent(body)
        if status in (400, 413) and any(
            mark in text.casefold() for mark in CONTEXT_OVERFLOW_MARKERS
        ):
            return None
        if status >= 400:
            raise _ModelRefused(f"the model's server answered {status}: {text[:_KEPT_CHARS]}")
        message = json.loads(text)["choices"][0]["message"]
        assert isinstance(message, dict)
        return message

    async def _sent(self, body: bytes) -> tuple[int, str]:
        """Send *body*, again if the model does not answer or asks to come back."""
        for attempt in range(_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_FIRST_PAUSE * 2 ** (attempt - 1))
            last = attempt == _ATTEMPTS - 1
            headers = {**self._headers, _RETRIED_HEADER: str(attempt)}
            try:
                async with self._client.post(self._address, data=body, headers=headers) as answer:
                    text = await answer.text()
                    if last or not (answer.status >= 500 or answer.status in (408, 429)):
                        return answer.status, text
            except aiohttp.ClientError as error:
                if last:
                    raise _ModelUnreachable(str(error) or type(error).__name__) from error
        raise AssertionError("the last attempt returns or raises")
