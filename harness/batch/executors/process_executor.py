"""Worker processes on this machine, each running several day sequences at the same time."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import count

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectSendStream

from trainee_bench.harness.batch.executors.executor import (
    BatchWork,
    WorkerReport,
    WorkerTask,
    to_line,
)
from trainee_bench.harness.batch.executors.worker_pool import (
    WorkerDied,
    WorkerPool,
    WorkerStartFailed,
    slots_per_worker,
)
from trainee_bench.harness.batch.executors.worker_process import READY, SHUTDOWN_SECONDS
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

_MAX_LINE_BYTES = 2**30
_DRAIN_SECONDS = 1.0
"""Seconds to read what a dead process wrote; its children may hold the pipe open."""
_WORKER_CODE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from trainee_bench.harness.support.start_up import importing
with importing():
    from trainee_bench.harness.batch.executors.worker_process import main
main(*sys.argv[2:])
"""
"""A worker imports modules from the same path as this process; it does not run `__main__` again."""


class ProcessExecutor:
    """Executor in at most *workers* worker processes."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(self, work: BatchWork) -> None:
        """See `Executor.run`."""
        if work.sequences:
            slots = slots_per_worker(work.concurrency, self._workers, len(work.sequences))
            await WorkerPool(partial(_start_worker, work.folder), work).run(slots)


@asynccontextmanager
async def _start_worker(folder: RunFolder) -> AsyncIterator[_WorkerProcess]:
    """Start a worker process; yield it when it is ready. Raises WorkerStartFailed."""
    process = await _open_process(folder)
    try:
        async with anyio.create_task_group() as group:
            worker = _WorkerProcess(process)
            await worker.wait_until_ready()
            group.start_soon(worker.listen)
            yield worker
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end_process(process)


async def _open_process(folder: RunFolder) -> Process:
    claim = () if folder.claim is None or sys.platform == "win32" else (folder.claim,)
    return await anyio.open_process(
        [
            sys.executable,
            "-c",
            _WORKER_CODE,
            json.dumps(sys.path),
            str(folder.path.absolute()),
            "".join(map(str, claim)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None,
        start_new_session=True,  # Ctrl-C goes to this process, which then ends its workers
        pass_fds=claim,
    )


async def _end_process(process: Process) -> None:
    """Ask the worker to end; kill it if it does not, and all processes that it left running."""
    assert process.stdin is not None
    await process.stdin.aclose()
    with anyio.move_on_after(SHUTDOWN_SECONDS + 2):
        await process.wait()
    if sys.platform == "win32":
        with suppress(ProcessLookupError):
            process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.aclose()


class _WorkerProcess:
    """This process's end of the pipes to a worker."""

    def __init__(self, process: Process):
        assert process.stdin is not None and process.stdout is not None
        self.alive = True
        self._process = process
        self._tasks = process.stdin
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._routes: dict[int, MemoryObjectSendStream[WorkerReport]] = {}
        self._numbers = count()
        self._writing = anyio.Lock()

    async def wait_until_ready(self) -> None:
        """Wait until the worker takes work. Raises WorkerStartFailed if it ends before that."""
        try:
            line = await self._lines.receive_until(b"\n", _MAX_LINE_BYTES)
        except (anyio.IncompleteRead, anyio.EndOfStream):
            raise WorkerStartFailed(
                f"a worker could not start: {await self._exit_description()}"
            ) from None
        if line + b"\n" != READY:
            WorkerReport.model_validate_json(line).unwrap()

    async def listen(self) -> None:
        """Forward the worker's reports until it dies. Raises WorkerCrash for a bug in it."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._stop_after_exit, group.cancel_scope)
                await self._route_reports()
                group.cancel_scope.cancel()
        finally:
            self.alive = False
            for route in self._routes.values():
                route.close()

    async def _route_reports(self) -> None:
        while True:
            try:
                line = await self._lines.receive_until(b"\n", _MAX_LINE_BYTES)
            except anyio.IncompleteRead:
                return
            report = WorkerReport.model_validate_json(line)
            if report.sequence in self._routes:
                self._routes[report.sequence].send_nowait(report)
            else:
                report.unwrap()

    async def _stop_after_exit(self, listening: anyio.CancelScope) -> None:
        await self._process.wait()
        await anyio.sleep(_DRAIN_SECONDS)
        listening.cancel()

    async def work(self, episodes: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `WorkerHandle.work`."""
        number = next(self._numbers)
        send, reports = anyio.create_memory_object_stream[WorkerReport](math.inf)
        if not self.alive:
            send.close()
        self._routes[number] = send
        try:
            task = WorkerTask(sequence=number, episodes=episodes)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                async with self._writing:
                    await self._tasks.send(to_line(task))
            for _ in episodes:
                try:
                    report = await reports.receive()
                except anyio.EndOfStream:
                    raise WorkerDied(await self._exit_description()) from None
                yield report.unwrap()
        finally:
            del self._routes[number]
            send.close()
            reports.close()

    async def _exit_description(self) -> str:
        with anyio.move_on_after(_DRAIN_SECONDS):
            await self._process.wait()
        status = self._process.returncode
        if status is None:
            return "it closed its pipe"
        if status < 0:
            return f"it was ended by {signal.Signals(-status).name}"
        return f"it ended with exit status {status}"
