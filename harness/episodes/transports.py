"""The MCP servers of an episode over each transport, and a client connected to them.

    memory   the server object in this process
    stdio    a child process, ``python -m mcp_servers --world FILE --as PERSON``
    http     a server of this process on a port of this machine, a path and a token per episode

If a model plays the colleagues, the servers ask it, and the client does not notice.
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
from trainee_bench.mcp_servers.serving.connections import connection_limit
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.http import HttpHost
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.world import World

_CONNECT_SECONDS, _READ_SECONDS = 30.0, 300.0
_KEPT_STDERR_CHARS = 4_000
"""Characters of a server process's stderr that are kept when its episode breaks."""


class ServerFactory(Protocol):
    """Factory that connects episodes to their servers."""

    def connect(self, world: Path, person: str) -> AbstractAsyncContextManager[Client]:
        """Open a client of *person*'s apps in the world file *world*, and of nothing else."""

    def waited(self, world: Path) -> float:
        """Return how many real seconds people have kept the agent in *world* waiting."""


@asynccontextmanager
async def open_servers(
    transport: Transport,
    model_settings: ModelSettings = ModelSettings(),  # noqa: B008 - frozen
) -> AsyncIterator[ServerFactory]:
    """Open servers over *transport* for any number of episodes at the same time.

    *model_settings* says who plays the colleagues. Raises PlanError if that model is not available.
    """
    if transport is Transport.STDIO:
        yield StdioServers(model_settings)
        return
    async with open_npc_model(model_settings) as side_effects:
        if transport is Transport.MEMORY:
            yield InMemoryServers(side_effects)
            return
        # All its clients are our own, one per concurrent episode.
        async with HttpHost(connections=connection_limit(share=2)) as host:
            yield HttpServers(host, side_effects)


class InMemoryServers:
    """Server and client in one process."""

    def __init__(self, side_effects: Mapping[str, SideEffect] = NO_SIDE_EFFECTS):
        self._side_effects = side_effects

    def waited(self, world: Path) -> float:
        """Return 0: there is nobody to wait for."""
        return 0.0

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """Open a client of a server in this process."""
        async with await World.open(world) as opened:
            server = await build_office_server(opened, person, side_effects=self._side_effects)
            async with Client(server, raise_exceptions=True) as client:
                yield client


class StdioServers:
    """A server process for each episode, connected by its standard input and output."""

    def __init__(self, model_settings: ModelSettings = ModelSettings()):  # noqa: B008 - frozen
        self._model_settings = model_settings

    def waited(self, world: Path) -> float:
        """Return 0: there is nobody to wait for."""
        return 0.0

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """Open a client of a server process, whose stderr is added to an exception as a note."""
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
                "--results",
                ResultView.STRUCTURED,
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
    """Servers of this process behind one port, each with its own path and token."""

    def __init__(self, host: HttpHost, side_effects: Mapping[str, SideEffect] = NO_SIDE_EFFECTS):
        self._host = host
        self._side_effects = side_effects

    def waited(self, world: Path) -> float:
        """Return 0: there is nobody to wait for."""
        return 0.0

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """Open a client with the address and the token of a new server."""
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS)
        async with (
            await World.open(world) as opened,
            self._host.mount(
                await build_office_server(opened, person, side_effects=self._side_effects)
            ) as address,
            httpx2.AsyncClient(headers=address.headers, timeout=timeout, trust_env=False) as http,
            Client(streamable_http_client(address.url, http_client=http)) as client,
        ):
            yield client
