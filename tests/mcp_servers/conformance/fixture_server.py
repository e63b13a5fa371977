"""A server for the protocol's conformance suite: its fixtures, made of our toolbox.

The suite cannot send a token, so this host adds it to every request; all else is as in a run.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from tests.mcp_servers.toy import a_world
from tests.world.toy import ROBIN
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.http import HttpHost, ServerEndpoint
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Picture, Result, Transaction

TOOLS = Toolbox("test", "What the suite asks for.")
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


class Nothing(BaseModel):
    """No data."""


@TOOLS.tool(read_only=True)
def test_simple_text(tx: Transaction) -> Result[Nothing]:
    """Say something simple."""
    return Result("This is a simple text response for testing.", Nothing())


@TOOLS.tool(read_only=True)
def test_image_content(tx: Transaction) -> Result[Nothing]:
    """Show a picture."""
    return Result("A pixel.", Nothing(), Picture(PIXEL, "image/png"))


@TOOLS.tool()
def test_error_handling(tx: Transaction) -> Result[Nothing]:
    """Refuse."""
    raise Refused("This tool intentionally returns an error for testing.")


class OpenHost(HttpHost):
    """A host that adds the token of its only server to every request."""

    address: ServerEndpoint | None = None

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.address is not None
        token = (b"authorization", f"Bearer {self.address.token}".encode())
        await super()._answer({**scope, "headers": [*scope["headers"], token]}, receive, send)


@asynccontextmanager
async def serve_fixtures() -> AsyncIterator[str]:
    """The address of the server while the block lasts."""
    async with await a_world() as world, OpenHost() as host:
        dispatcher = ToolDispatcher(world, ROBIN, [TOOLS])
        async with host.mount(build_server("fixtures", dispatcher, "", {})) as host.address:
            yield host.address.url
