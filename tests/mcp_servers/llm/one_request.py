"""One request to a scripted server, and all that came of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

from tests.scripted_endpoint import Scripted, ScriptedEndpoint, scripted_endpoint
from trainee_bench.mcp_servers.llm.client import ChatClient

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello?"}]

both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


class Pauses(list[float]):
    """Seconds that an endpoint would have waited."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


class Tried:
    """What came of one request, and of the server, the endpoint and its pauses."""

    server: ScriptedEndpoint
    incidents: Counter[str]
    pauses: Pauses
    said: ChatCompletion

    @property
    def text(self) -> str | None:
        return self.said.choices[0].message.content


async def ask(*script: Scripted, stream: bool = False, seconds: float = 60, **asked: Any) -> Tried:
    """One request to a server of that script; the outcome, or what is raised."""
    tried, pauses = Tried(), Pauses()
    async with (
        scripted_endpoint(*script) as tried.server,
        ChatClient(tried.server.config(), stream=stream, timeout=seconds, sleep=pauses) as endpoint,
    ):
        tried.incidents, tried.pauses = endpoint.incidents, pauses
        tried.said = await endpoint.complete(ASKED, **asked)
    return tried
