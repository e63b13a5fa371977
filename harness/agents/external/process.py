"""An external process: started in its own session, read, and killed with all it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import Process

from trainee_bench.harness.agents.external.isolation import Isolation
from trainee_bench.harness.agents.external.output_buffer import OutputBuffer
from trainee_bench.harness.agents.external.scratch import LARGEST_QUOTA
from trainee_bench.harness.session.turns import InfrastructureFault

_DRAIN_SECONDS = 2.0
"""Real seconds to read the rest of the output if a surviving child still holds the pipe."""
_CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class ProcessSpec:
    """How to start a process; ``mark`` is a text that only its environment has, ``report`` a file
    descriptor that it inherits, and ``largest_file`` how many bytes a file may have that it
    writes, where the system can limit that."""

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
        """Read its output until it has ended or was killed; its exit code. All that it started
        is killed then."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._listen, output, group.cancel_scope)
            code = await self._process.wait()
            self.kill()
            self._gone = True  # its process id may be reused from now on
            group.cancel_scope.deadline = anyio.current_time() + _DRAIN_SECONDS
            await anyio.sleep_forever()
        return code

    async def _listen(self, output: OutputBuffer, until: anyio.CancelScope) -> None:
        """Read the output; when it has ended and the process, too, stop waiting."""
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
        """Kill it, its process group, and what left the group but kept its environment."""
        if self._gone:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for process in _processes_marked(self._mark.encode()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


@asynccontextmanager
async def start_process(start: ProcessSpec, isolation: Isolation) -> AsyncIterator[ExternalProcess]:
    """A process in its own session, killed when the block is left. Raises InfrastructureFault if
    it cannot be started."""
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
    """Let the running *process*, and all that it starts, write no file of more than *most* bytes.
    Only Linux can limit a process from outside."""
    if sys.platform != "linux":
        return
    import resource

    with suppress(ProcessLookupError, PermissionError):
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (lower, lower))


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe; the caller closes the writing end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        yield reading, writing
    finally:
        os.close(reading)


def _processes_marked(mark: bytes) -> Iterator[int]:
    """The ids of the processes whose environment contains *mark*."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                yield int(folder.name)
