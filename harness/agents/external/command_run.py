"""Running an external agent's command for one day: its folder, its server and its process.

The process has its own session; it is killed together with all processes that it started.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio
from anyio import to_thread
from anyio.abc import Process

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
from trainee_bench.harness.agents.external.scratch import (
    HOME,
    LARGEST_QUOTA,
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

_DRAIN_SECONDS = 2.0
"""Real seconds to read the rest of the output if a surviving child still holds the pipe."""
_CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class ProcessSpec:
    """The settings with which a process is started.

    ``mark`` is a text that only this process's environment has. ``report`` is a file descriptor
    that it inherits. ``largest_file`` is the maximum size in bytes of a file that it writes, where
    the system can enforce that.
    """

    words: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    mark: str
    report: int | None = None
    largest_file: int = LARGEST_QUOTA


class ExternalProcess:
    """A running process."""

    def __init__(self, process: Process, reading: int, mark: str):
        self._process = process
        self._reading = reading
        self._mark = mark
        self._gone = False

    async def wait(self, output: OutputBuffer) -> int:
        """Read the output until the process has ended or was killed; return the exit code.

        All processes that it started are killed then.
        """
        async with anyio.create_task_group() as group:
            group.start_soon(self._listen, output, group.cancel_scope)
            code = await self._process.wait()
            self.kill()
            self._gone = True  # the process id may be reused from now on
            group.cancel_scope.deadline = anyio.current_time() + _DRAIN_SECONDS
            await anyio.sleep_forever()
        return code

    async def _listen(self, output: OutputBuffer, until: anyio.CancelScope) -> None:
        """Read the output; stop waiting when both the output and the process have ended."""
        while chunk := await self._read():
            output.feed(chunk)
        await self._process.wait()
        until.cancel()

    async def _read(self) -> bytes:
        await anyio.wait_readable(self._reading)
        try:
            return os.read(self._reading, _CHUNK_BYTES)
        except BlockingIOError:
            return await self._read()

    def kill(self) -> None:
        """Kill the process, its process group, and processes that left the group but kept the
        environment."""
        if self._gone:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for process in _processes_marked(self._mark.encode()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


@asynccontextmanager
async def start_process(start: ProcessSpec, isolation: Isolation) -> AsyncIterator[ExternalProcess]:
    """Start a process in its own session; it is killed when the block is left.

    Raises InfrastructureFault if it cannot be started.
    """
    with _pipe() as (reading, writing):
        try:
            process = await anyio.open_process(
                list(start.words),
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=start.folder,
                env=start.environment,
                start_new_session=True,
                pass_fds=() if start.report is None else (start.report,),
                user=isolation.user,
                group=isolation.group,
                extra_groups=isolation.groups,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise InfrastructureFault(f"the command cannot be started: {error}") from None
        finally:
            os.close(writing)
        child = ExternalProcess(process, reading, start.mark)
        _limit_files(process.pid, start.largest_file)
        try:
            yield child
        finally:
            child.kill()
            with anyio.CancelScope(shield=True):
                await process.wait()


def _limit_files(process: int, most: int) -> None:
    """Limit the files that the running *process* and its children write to *most* bytes each.

    Only Linux can limit a process from outside.
    """
    if sys.platform != "linux":
        return
    import resource

    with suppress(ProcessLookupError, PermissionError):
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (lower, lower))


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """Yield both ends of a pipe; the caller closes the writing end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        yield reading, writing
    finally:
        os.close(reading)


def _processes_marked(mark: bytes) -> Iterator[int]:
    """Yield the ids of the processes whose environment contains *mark*."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                yield int(folder.name)


_CONFIG, _PROMPT = "mcp.json", "prompt.md"
QUOTA_SECONDS = 0.5
"""Real seconds between two measurements of how much a command has written."""
_PROGRAM_SHARE = 64
"""The gateway may use one in this many of the process's file handles for connections."""
_NO_SANDBOX = 1
"""The exit code with which bwrap itself fails; the command in it may return the same code."""


class QuotaExceeded(Exception):
    """A command has filled its folder, which is its own fault."""


@dataclass(frozen=True)
class CommandRun:
    """A command for one day; it works through ``gateway``, and ``output`` keeps what it prints."""

    agent: AgentConfig
    prompt: str
    gateway: Gateway
    output: OutputBuffer

    async def run(self) -> int | None:
        """Run the command to its end; return its exit code, None if it had to be stopped.

        It is stopped when the gateway is closed and the grace period is over. Raises
        InfrastructureFault if it cannot be started or its sandbox cannot be created. Raises
        QuotaExceeded if it was stopped because it filled its folder.
        """
        try:
            isolation = isolation_for(self.agent)
        # the isolation was available when the run began, but is not any more
        except PlanError as error:
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
        """Write the files that the command gets; return the settings to start it with."""
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
        """Return whether a command was started and ended. Call it once, after the process has
        ended."""
        try:
            return b'"exit-code"' in os.read(self._reading, 65_536)
        except BlockingIOError:
            return False


def passed_environment(agent: AgentConfig) -> dict[str, str]:
    """Return the environment variables that the command of *agent* gets, by name."""
    return {name: os.environ[name] for name in agent.environment if name in os.environ}
