"""A day of our OpenEnv server, over its web socket."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp


class OfficeRefused(Exception):
    """Raised if the server refuses a message; says why."""


class OfficeDay:
    """A connection to the OpenEnv server, which has one day."""

    def __init__(self, client: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse):
        self._client, self._socket = client, socket
        self._asking = asyncio.Lock()

    @classmethod
    async def begin(cls, url: str, split: str, index: int) -> OfficeDay:
        """Connect to the server at *url* and begin day *index* (from 0) of *split*.

        Raises OfficeRefused if the server has no such day.
        """
        client = aiohttp.ClientSession()
        try:
            day = cls(client, await client.ws_connect(url, max_msg_size=0))
            await day._ask("reset", split=split, index=index)
        except BaseException:
            await client.close()
            raise
        return day

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Make a call and return the text of its answer. Calls are made one after the other."""
        data = {"type": "call_tool", "tool_name": tool, "arguments": arguments}
        answer: str = (await self._ask("step", **data))["observation"]["text"]
        return answer

    async def score(self) -> float:
        """Return the score so far, from 0 to 1."""
        return float((await self._ask("state"))["score"])

    async def close(self) -> None:
        """Give the day up. A broken connection has no day any more."""
        try:
            await self._socket.send_json({"type": "close"})
        except ConnectionError:
            pass
        finally:
            await self._client.close()

    async def _ask(self, kind: str, **data: Any) -> dict[str, Any]:
        async with self._asking:
            await self._socket.send_json({"type": kind, "data": data})
            answer = await self._socket.receive_json()
        if answer["type"] == "error":
            raise OfficeRefused(answer["data"]["message"])
        told: dict[str, Any] = answer["data"]
        return told
