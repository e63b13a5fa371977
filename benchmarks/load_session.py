"""A client's session with the OpenEnv server, over a plain web socket that costs little."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_OBSERVATION = '{"type":"observation"'
_SHOWN = 300


class ConnectionLost(Exception):
    """The connection could not be made, or broke. The session can be gone on with."""


class ServerSaid(Exception):
    """The server answered a message with an error; the text is the server's."""


class SessionState(NamedTuple):
    """How many steps the server has of the day, and the digest of its world."""

    steps: int
    digest: str


class ClientSession:
    """One connection and its session. Every method raises ConnectionLost and ServerSaid.

    Compression and the client's own pings are off; both would cost the client time.
    """

    def __init__(self, socket: ClientConnection):
        self._socket = socket

    @classmethod
    async def connect(cls, url: str, seconds: float) -> Self:
        """Connect to *url* within *seconds*."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, WebSocketException

        try:
            made = await connect(
                url,
                open_timeout=seconds,
                ping_interval=None,
                compression=None,
                max_size=None,
                proxy=None,
                close_timeout=1,
            )
        except InvalidStatus as refused:
            raise ServerSaid(str(refused)[:_SHOWN]) from None
        except (OSError, WebSocketException) as error:
            raise ConnectionLost(repr(error)[:_SHOWN]) from None
        return cls(made)

    async def begin(self, split: str, index: int) -> str:
        """Begin day *index* of *split*; return its token."""
        answer = await self._ask({"type": "reset", "data": {"split": split, "index": index}})
        token: str = answer["observation"]["token"]
        return token

    async def resume(self, token: str) -> None:
        """Go on with the day of *token*."""
        await self._ask({"type": "reset", "data": {"token": token}})

    async def step(self, message: str) -> None:
        """Send the step *message* and wait for its answer, which is not parsed."""
        answer = await self._exchange(message)
        if not answer.startswith(_OBSERVATION):
            raise ServerSaid(answer[:_SHOWN])

    async def state(self) -> SessionState:
        """Return what the server has of the day."""
        data = await self._ask({"type": "state"})
        return SessionState(data["step_count"], data["digest"])

    async def close(self) -> None:
        """Close the connection. The server keeps a day that has not ended."""
        await self._socket.close()

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        answer = json.loads(await self._exchange(json.dumps(message)))
        if answer["type"] == "error":
            raise ServerSaid(str(answer["data"].get("message"))[:_SHOWN])
        data: dict[str, Any] = answer["data"]
        return data

    async def _exchange(self, message: str) -> str:
        from websockets.exceptions import WebSocketException

        try:
            await self._socket.send(message)
            answer = await self._socket.recv()
        except (OSError, WebSocketException) as error:
            raise ConnectionLost(repr(error)[:_SHOWN]) from None
        assert isinstance(answer, str)
        return answer
