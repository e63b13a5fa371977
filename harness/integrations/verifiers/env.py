"""The environment that verifiers runs for this taskset."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from verifiers import v1 as vf
from verifiers.v1.mcp import SharedToolServer

from trainee_bench.harness.integrations.verifiers.harness import OfficeHarnessConfig
from trainee_bench.harness.integrations.verifiers.seat import close_seats

__all__ = ["OfficeEnv"]


class OfficeEnv(vf.SingleAgentEnv):
    """One agent works a day. The tool server is started only for programs that need it."""

    @asynccontextmanager
    async def shared_tools(self) -> AsyncIterator[dict[str, SharedToolServer]]:
        """Serve the tools, unless all agents use `OfficeHarness`."""
        harnesses = self.config.agent_harnesses().values()
        if all(isinstance(harness, OfficeHarnessConfig) for harness in harnesses):
            yield {}
            return
        async with super().shared_tools() as servers:
            yield servers

    async def stop(self) -> None:
        """Free the days and end their processes."""
        close_seats()
