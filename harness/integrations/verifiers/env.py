"""The environment that verifiers runs for this taskset."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from verifiers import v1 as vf
from verifiers.v1.mcp import SharedToolServer

from trainee_bench.harness.integrations.verifiers.harness import OfficeHarnessConfig
from trainee_bench.harness.integrations.verifiers.seat import held_seat
from trainee_bench.harness.support.collector import collecting_rarely

__all__ = ["OfficeEnv"]


class OfficeEnv(vf.SingleAgentEnv):
    """One agent works a day. The tool server is started only for programs that need it.

    Environments in one event loop share the processes of their days if their settings are the same;
    the last one that ends frees them.
    """

    _collecting: ExitStack | None = None
    """The resources that `start` took and `stop` frees."""

    @asynccontextmanager
    async def shared_tools(self) -> AsyncIterator[dict[str, SharedToolServer]]:
        """Serve the tools, unless all agents use `OfficeHarness`, and keep the seat open."""
        task = self.taskset.config.task
        with held_seat(processes=task.processes, most_open=task.most_open):
            async with self._tools() as servers:
                yield servers

    @asynccontextmanager
    async def _tools(self) -> AsyncIterator[dict[str, SharedToolServer]]:
        harnesses = self.config.agent_harnesses().values()
        if all(isinstance(harness, OfficeHarnessConfig) for harness in harnesses):
            yield {}
            return
        async with super().shared_tools() as servers:
            yield servers

    async def start(self) -> None:
        """Let the garbage collector look through the many objects of verifiers less often."""
        self._collecting = ExitStack()
        self._collecting.enter_context(collecting_rarely())

    async def stop(self) -> None:
        """Give the garbage collector its thresholds back."""
        if self._collecting is not None:
            self._collecting.close()
            self._collecting = None
