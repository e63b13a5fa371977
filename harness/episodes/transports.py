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

import trainee_bench
from trainee_bench.harness.episodes.npcs import (
    open_npc_model,
    server_process_environment,
    server_process_options,
)
from trainee_bench.harness.records.plan import ModelSettings, Transport
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.http import HttpHost
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.world import World

_CONNECT, _ANSWER = 30.0, 300.0
"""Seconds to wait for a connection and for an answer."""
_KEPT_STDERR_CHARS = 4_000
"""Characters of what a child process said that are kept when its episode breaks."""


class ServerFactory(Protocol):
    """Where episodes find their office."""

    def connect(self, world: Path, person: str) -> AbstractAsyncContextManager[Client]:
        """A client of *person*'s apps in the world at that path, and of nothing else."""


@asynccontextmanager
async def open_servers(
    transport: Transport,
    model_settings: ModelSettings = ModelSettings(),  # noqa: B008 - frozen
) -> AsyncIterator[ServerFactory]:
    """Offices over *transport*, for any number of episodes at a time, with the colleagues that
    *model_settings* says. Raises PlanError if the model that is to play them cannot be had."""
    if transport is Transport.STDIO:
        yield StdioServers(model_settings)
        return
    async with open_npc_model(model_settings) as outside:
        if transport is Transport.MEMORY:
            yield InMemoryServers(outside)
            return
        async with HttpHost() as host:
            yield HttpServers(host, outside)


class InMemoryServers:
    """Server and client in one process, with nothing written between them."""

    def __init__(self, outside: Mapping[str, SideEffect] = NO_SIDE_EFFECTS):
        self._outside = outside

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client of a server in this process."""
        async with await World.open(world) as opened:
            server = await build_office_server(opened, person, side_effects=self._outside)
            async with Client(server, raise_exceptions=True) as client:
                yield client


class StdioServers:
    """A server process for each episode, spoken to over its standard input and output."""

    def __init__(self, model_settings: ModelSettings = ModelSettings()):  # noqa: B008 - frozen
        self._model_settings = model_settings

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client of a child process; what it says on stderr is told if the episode breaks."""
        options, environment = (
            server_process_options(self._model_settings),
            server_process_environment(self._model_settings),
        )
        parameters = StdioServerParameters(
            command=sys.executable,
            args=[
                "-m",
                "trainee_bench.mcp_servers",
                "--world",
                str(world.absolute()),
                "--as",
                person,
                *options,
            ],
            cwd=Path(trainee_bench.__file__).parent.parent,
            env=environment,
        )
        with TemporaryFile("w+", encoding="utf-8") as stderr:
            try:
                async with Client(stdio_client(parameters, errlog=stderr)) as client:
                    yield client
            except Exception as fault:
                stderr.seek(0)
                fault.add_note(f"The server said:\n{stderr.read()[-_KEPT_STDERR_CHARS:]}")
                raise


class HttpServers:
    """Servers of this process behind one port, each at a path and with a token of its own."""

    def __init__(self, host: HttpHost, outside: Mapping[str, SideEffect] = NO_SIDE_EFFECTS):
        self._host = host
        self._outside = outside

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """A client that has the address and the token."""
        timeout = httpx2.Timeout(_CONNECT, read=_ANSWER)
        async with (
            await World.open(world) as opened,
            self._host.mount(
                await build_office_server(opened, person, side_effects=self._outside)
            ) as address,
            httpx2.AsyncClient(headers=address.headers, timeout=timeout, trust_env=False) as http,
            Client(streamable_http_client(address.url, http_client=http)) as client,
        ):
            yield client
