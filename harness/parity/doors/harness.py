"""Our own harness: MCP servers and its client, over each of its three transports."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import anyio

from trainee_bench.harness.episodes.transports import open_servers
from trainee_bench.harness.parity.door import Door, DoorRun, run_in_world
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.records.plan import Transport
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.meta_tasks.composition import compose_day, create_world


class HarnessMemoryDoor(Door):
    """Server and client in one process."""

    name: ClassVar[str] = "harness-memory"
    transport: ClassVar[Transport] = Transport.MEMORY

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Make the calls through an MCP client, as the harness does for every agent."""
        return anyio.run(self._play, script, folder / "day.world")

    async def _play(self, script: ParityScript, path: Path) -> DoorRun:
        await (await create_world(path, script.scenario, script.number)).close()
        person = compose_day(script.scenario, script.number).company.trainee.id
        async with open_servers(self.transport) as servers, servers.connect(path, person) as client:
            transport = McpToolTransport(client)
            for call in script.calls:
                await transport.call(call.name, call.arguments)
        return await run_in_world(path, script)


class HarnessStdioDoor(HarnessMemoryDoor):
    """A server process, connected by its standard input and output."""

    name: ClassVar[str] = "harness-stdio"
    transport: ClassVar[Transport] = Transport.STDIO


class HarnessHttpDoor(HarnessMemoryDoor):
    """A server on a port of this machine."""

    name: ClassVar[str] = "harness-http"
    transport: ClassVar[Transport] = Transport.HTTP
