"""Worker processes on this machine, each with an event loop and several courses at a time."""

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

from trainee_bench.harness.batch.executors.executor import DaySequences, ResultCallback
from trainee_bench.harness.batch.executors.sequence_runner import WorkerReport
from trainee_bench.harness.batch.executors.work_queue import WorkQueue
from trainee_bench.harness.batch.executors.worker_pool import (
    WorkerDied,
    WorkerPool,
    WorkerStartFailed,
    slots_per_worker,
)
from trainee_bench.harness.batch.executors.worker_process import READY, SHUTDOWN_SECONDS, WorkerTask
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

_LONGEST = 2**30
"""Bytes of a line."""
_LAST_WORDS = 1.0
"""Seconds in which what a dead process wrote is read; its children may hold the pipe open."""
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from trainee_bench.harness.batch.executors.worker_process import main; main(*sys.argv[2:])"
)
"""A worker finds modules where this process does. Nothing of `__main__` is run again."""


class ProcessExecutor:
    """An executor of at most so many worker processes."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(
        self, courses: DaySequences, folder: RunFolder, concurrency: int, tell: ResultCallback
    ) -> None:
        """See `Executor.run`."""
        if courses:
            staff = WorkerPool(partial(_start_worker, folder), WorkQueue(courses), folder, tell)
            await staff.run(slots_per_worker(concurrency, self._workers, len(courses)))
            folder.remove_drafts()


@asynccontextmanager
async def _start_worker(folder: RunFolder) -> AsyncIterator[_WorkerProcess]:
    """A worker process that has begun. Raises WorkerStartFailed."""
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
            _BOOT,
            json.dumps(sys.path),
            str(folder.path.absolute()),
            "".join(map(str, claim)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None,
        start_new_session=True,  # Ctrl-C is for this process, which then ends its workers
        pass_fds=claim,
    )


async def _end_process(process: Process) -> None:
    """Let the worker end, or end it, and with it whatever it started and left behind."""
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
    """This end of the pipes to a worker."""

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
        """Wait until the worker can take work. Raises WorkerStartFailed if it ends before."""
        try:
            said = await self._lines.receive_until(b"\n", _LONGEST)
        except (anyio.IncompleteRead, anyio.EndOfStream):
            raise WorkerStartFailed(
                f"a worker could not begin: {await self._exit_description()}"
            ) from None
        if said + b"\n" != READY:
            WorkerReport.model_validate_json(said).unwrap()

    async def listen(self) -> None:
        """Pass on what the worker says until it dies. Raises WorkerCrash for a bug of ours."""
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
                line = await self._lines.receive_until(b"\n", _LONGEST)
            except anyio.IncompleteRead:
                return
            report = WorkerReport.model_validate_json(line)
            if report.course in self._routes:
                self._routes[report.course].send_nowait(report)
            else:
                report.unwrap()

    async def _stop_after_exit(self, hearing: anyio.CancelScope) -> None:
        await self._process.wait()
        await anyio.sleep(_LAST_WORDS)
        hearing.cancel()

    async def work(self, orders: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `Worker.work`."""
        number = next(self._numbers)
        send, coming = anyio.create_memory_object_stream[WorkerReport](math.inf)
        if not self.alive:
            send.close()
        self._routes[number] = send
        try:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                async with self._writing:
                    await self._tasks.send(WorkerTask(course=number, orders=orders).to_line())
            for _ in orders:
                try:
                    report = await coming.receive()
                except anyio.EndOfStream:
                    raise WorkerDied(await self._exit_description()) from None
                yield report.unwrap()
        finally:
            del self._routes[number]
            send.close()
            coming.close()

    async def _exit_description(self) -> str:
        with anyio.move_on_after(_LAST_WORDS):
            await self._process.wait()
        status = self._process.returncode
        if status is None:
            return "it closed its pipe"
        if status < 0:
            return f"it was ended by {signal.Signals(-status).name}"
        return f"it ended with exit status {status}"
