"""Running an external agent's command for one day: its folder, its server, its process."""

from __future__ import annotations

import json
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio
from anyio import to_thread

from trainee_bench.harness.agents.external.command_line import (
    MCP_CONFIG,
    PROMPT,
    PROMPT_FILE,
    TOKEN,
    URL,
    expand_placeholders,
)
from trainee_bench.harness.agents.external.gateway import Gateway, build_gateway
from trainee_bench.harness.agents.external.isolation import (
    PASSWD_FILE,
    PASSWD_TEXT,
    Isolation,
    isolation_for,
)
from trainee_bench.harness.agents.external.output_buffer import OutputBuffer
from trainee_bench.harness.agents.external.process import (
    ExternalProcess,
    ProcessSpec,
    start_process,
)
from trainee_bench.harness.agents.external.scratch import (
    HOME,
    ScratchFolder,
    quota,
    scratch_folder,
    used_bytes,
)
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.mcp_servers.office import OFFICE
from trainee_bench.mcp_servers.serving.connections import connection_limit
from trainee_bench.mcp_servers.serving.http import HttpHost, ServerEndpoint

_CONFIG, _PROMPT = "mcp.json", "prompt.md"
QUOTA_SECONDS = 0.5
"""Real seconds between two looks at how much a command has written."""
_PROGRAM_SHARE = 64
"""Of the file handles of this process its connections may take one in so many."""
_NO_SANDBOX = 1
"""The exit code of bwrap if it fails itself; the command in it may have the same."""


class QuotaExceeded(Exception):
    """A command has filled its folder: a fault of its own."""


@dataclass(frozen=True)
class CommandRun:
    """A command for one day; it works through ``gateway``, and ``output`` keeps what it prints."""

    agent: AgentConfig
    prompt: str
    gateway: Gateway
    output: OutputBuffer

    async def run(self) -> int | None:
        """Run the command to its end; its exit code, None if it had to be stopped.

        It is stopped when the gateway is closed and the grace period is over. Raises
        InfrastructureFault if it cannot be started, or its sandbox cannot be created, and
        QuotaExceeded if it was stopped because it filled its folder.
        """
        try:
            isolation = isolation_for(self.agent)
        except PlanError as error:  # available when the run began, but not any more
            raise InfrastructureFault(str(error)) from None
        async with AsyncExitStack() as stack:
            few = connection_limit(share=_PROGRAM_SHARE)
            host = await stack.enter_async_context(HttpHost(connections=few))
            server = build_gateway(self.gateway, self.agent.results)
            address = await stack.enter_async_context(host.mount(server))
            self.output.redact("token", address.token)
            scratch = stack.enter_context(scratch_folder(isolation.owner))
            report = stack.enter_context(_ExitReport()) if isolation.home_inside else None
            start = self._start(isolation, scratch, address, report)
            child = await stack.enter_async_context(start_process(start, isolation))
            code = await self._wait_for_exit(child, scratch.path, start.largest_file)
            if code == _NO_SANDBOX and report is not None and not report.reports_exit():
                raise InfrastructureFault(f"the sandbox cannot be created: {self.output.last_line}")
            return code

    async def _wait_for_exit(self, child: ExternalProcess, scratch: Path, most: int) -> int | None:
        """Wait for *child*, which may write *most* bytes into the folder *scratch*."""
        stopped = full = False

        async def stop_in_time() -> None:
            nonlocal stopped
            await self.gateway.closed.wait()
            await anyio.sleep(self.gateway.grace)
            stopped = True
            child.kill()

        async def stop_when_full() -> None:
            nonlocal full
            while not full:
                await anyio.sleep(QUOTA_SECONDS)
                full = await to_thread.run_sync(used_bytes, scratch, most) >= most
            child.kill()

        async with anyio.create_task_group() as group:
            group.start_soon(stop_in_time)
            group.start_soon(stop_when_full)
            code = await child.wait(self.output)
            group.cancel_scope.cancel()
        if full:
            raise QuotaExceeded(
                f"the command was stopped, because its folder had more than {most:,} bytes, or "
                "could not be read"
            )
        return None if stopped else code

    def _start(
        self,
        isolation: Isolation,
        scratch: ScratchFolder,
        address: ServerEndpoint,
        report: _ExitReport | None,
    ) -> ProcessSpec:
        """Write the files that the command gets; how to start it."""
        server = {"type": "http", "url": address.url, "headers": address.headers}
        scratch.write_private(_CONFIG, json.dumps({"mcpServers": {OFFICE: server}}, indent=1))
        scratch.write_private(_PROMPT, self.prompt)
        scratch.write_private(PASSWD_FILE, PASSWD_TEXT)
        values = {
            MCP_CONFIG: isolation.path_inside(scratch.path, _CONFIG),
            PROMPT_FILE: isolation.path_inside(scratch.path, _PROMPT),
            PROMPT: self.prompt,
            URL: address.url,
            TOKEN: address.token,
        }
        assert self.agent.command is not None
        told = report.writing if report else None
        words = isolation.command_words(
            expand_placeholders(self.agent.command, values), scratch.path, told
        )
        folder = Path("/") if isolation.home_inside else scratch.path / HOME
        return ProcessSpec(
            words,
            self._environment(isolation, scratch),
            folder,
            str(scratch.path),
            told,
            quota(scratch.path),
        )

    def _environment(self, isolation: Isolation, scratch: ScratchFolder) -> dict[str, str]:
        given = {
            "PATH": isolation.path,
            "HOME": isolation.path_inside(scratch.path, HOME),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }
        return given | passed_environment(self.agent)


class _ExitReport:
    """A pipe on which a sandbox reports how its command ended; open until the block is left."""

    def __enter__(self) -> Self:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self._reading)
        os.close(self.writing)

    def reports_exit(self) -> bool:
        """Whether a command was started and ended. Call it once, after the process has ended."""
        try:
            return b'"exit-code"' in os.read(self._reading, 65_536)
        except BlockingIOError:
            return False


def passed_environment(agent: AgentConfig) -> dict[str, str]:
    """The environment variables that the command of *agent* gets, by name."""
    return {name: os.environ[name] for name in agent.environment if name in os.environ}
