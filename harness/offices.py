"""An employee's office over a transport: servers started, a client connected, all of it ended.

memory  the server object in this process
stdio   a child process, ``python -m mcp_servers --world FILE --as PERSON``
http    a server of this process on a port of this machine, a path and a token per episode

Where a model plays the colleagues, the server asks it, and the client knows nothing of it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Protocol

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import mcp_servers
from harness.colleagues import child_environment, child_options, opened_colleagues
from harness.plan import Backing, Transport
from mcp_servers.office import build_office
from mcp_servers.serving.http import HttpHost
from mcp_servers.serving.seat import NOTHING_OUTSIDE
from mcp_servers.serving.toolbox import Outside
from world.world import World

_CONNECT, _ANSWER = 30.0, 300.0
"""Seconds to wait for a connection and for an answer."""
_LAST_WORDS = 4_000
"""Characters of what a child process said that are kept when its episode breaks."""


class Offices(Protocol):
    """Where episodes find their office."""

    def open(self, world: Path, person: str) -> AbstractAsyncContextManager[Client]:
        """A client of *person*'s apps in the world at that path, and of nothing else."""


@asynccontextmanager
async def opened_offices(
    transport: Transport,
    backing: Backing = Backing(),  # noqa: B008 - frozen
) -> AsyncIterator[Offices]:
    """Offices over *transport*, for any number of episodes at a time, with the colleagues that
    *backing* says. Raises PlanError if the model that is to play them cannot be had."""
    if transport is Transport.STDIO:
        yield ChildProcesses(backing)
        return
    async with opened_colleagues(backing) as outside:
        if transport is Transport.MEMORY:
            yield InMemory(outside)
            return
        async with HttpHost() as host:
            yield OverHttp(host, outside)


class InMemory:
    """Server and client in one process, with nothing written between them."""

    def __init__(self, outside: Mapping[str, Outside] = NOTHING_OUTSIDE):
        self._outside = outside

    @asynccontextmanager
    async def open(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client of a server in this process."""
        async with await World.open(world) as opened:
            server = await build_office(opened, person, outside=self._outside)
            async with Client(server, raise_exceptions=True) as client:
                yield client


class ChildProcesses:
    """A server process for each episode, spoken to over its standard input and output."""

    def __init__(self, backing: Backing = Backing()):  # noqa: B008 - frozen
        self._backing = backing

    @asynccontextmanager
    async def open(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client of a child process; what it says on stderr is told if the episode breaks."""
        options, environment = child_options(self._backing), child_environment(self._backing)
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mcp_servers", "--world", str(world.absolute()), "--as", person, *options],
            cwd=Path(mcp_servers.__file__).parent.parent,
            env=environment,
        )
        with TemporaryFile("w+", encoding="utf-8") as said:
            try:
                async with Client(stdio_client(parameters, errlog=said)) as client:
                    yield client
            except Exception as fault:
                said.seek(0)
                fault.add_note(f"The server said:\n{said.read()[-_LAST_WORDS:]}")
                raise


class OverHttp:
    """Servers of this process behind one port, each at a path and with a token of its own."""

    def __init__(self, host: HttpHost, outside: Mapping[str, Outside] = NOTHING_OUTSIDE):
        self._host = host
        self._outside = outside

    @asynccontextmanager
    async def open(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client that has the address and the token."""
        timeout = httpx2.Timeout(_CONNECT, read=_ANSWER)
        async with (
            await World.open(world) as opened,
            self._host.seat(await build_office(opened, person, outside=self._outside)) as address,
            httpx2.AsyncClient(headers=address.headers, timeout=timeout, trust_env=False) as http,
            Client(streamable_http_client(address.url, http_client=http)) as client,
        ):
            yield client
