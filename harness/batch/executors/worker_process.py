"""A worker process: tasks arrive on standard input, reports leave on standard output.

``process_executor.py`` starts it. It ends when its standard input does, also if the run's process
was killed. Output of agents goes to standard error instead.
"""

from __future__ import annotations

import asyncio
import faulthandler
import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from trainee_bench.harness.batch.executors.executor import WorkerTask, failure_report, to_line
from trainee_bench.harness.batch.executors.sequence_runner import sequence_reports
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.interrupts import watched_interrupts

READY = b"ready\n"
"""The first line that a worker writes."""
NO_SEQUENCE = -1
"""The sequence number of a report that is about no sequence."""
SHUTDOWN_SECONDS = 5.0
"""Seconds that a worker has to end by itself once its standard input has ended."""

WriteLine = Callable[[bytes], None]


def main(folder: str, claim: str) -> None:
    """Execute tasks of the run in *folder* until standard input ends.

    *claim* is the descriptor of the run's lock, or "". While a worker still writes to the folder,
    no other process may resume the run.
    """
    faulthandler.enable()
    if claim:
        os.set_inheritable(int(claim), False)
    tasks, reports = os.dup(0), os.dup(1)  # no child of an agent inherits these
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)

    def write(line: bytes) -> None:
        # standard input ends at the same time, and that ends this process
        with suppress(BrokenPipeError):
            while line:
                line = line[os.write(reports, line) :]

    async def serve() -> None:
        with watched_interrupts():
            await _serve(tasks, write, RunFolder(Path(folder)))

    try:
        anyio.run(serve)
    except Exception as error:  # noqa: BLE001
        write(to_line(failure_report(NO_SEQUENCE, error)))


async def _serve(tasks: int, write: WriteLine, folder: RunFolder) -> None:
    send, lines = anyio.create_memory_object_stream[bytes](math.inf)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_listen, args=(tasks, loop, send), daemon=True).start()
    write(READY)
    try:
        first = WorkerTask.model_validate_json(await lines.receive())
    except anyio.EndOfStream:
        return
    async with (
        open_servers(first.episodes[0].transport, first.episodes[0].model_settings) as servers,
        anyio.create_task_group() as group,
    ):
        group.start_soon(_work, first, folder, servers, write)
        async for line in lines:
            group.start_soon(_work, WorkerTask.model_validate_json(line), folder, servers, write)
        group.cancel_scope.cancel()


def _listen(
    pipe: int, loop: asyncio.AbstractEventLoop, send: MemoryObjectSendStream[bytes]
) -> None:
    """Pass on the lines of *pipe*, and end the process some time after the pipe has ended.

    This runs in a thread because an agent may block the event loop.
    """
    with open(pipe, "rb") as lines, suppress(RuntimeError):  # the loop is already closed
        for line in lines:
            if line.endswith(b"\n"):  # a line without an end was cut when its writer was killed
                loop.call_soon_threadsafe(send.send_nowait, line)
        loop.call_soon_threadsafe(send.close)
    time.sleep(SHUTDOWN_SECONDS)
    os._exit(1)


async def _work(
    task: WorkerTask, folder: RunFolder, servers: ServerFactory, write: WriteLine
) -> None:
    async with aclosing(sequence_reports(task, folder, servers)) as reports:
        async for report in reports:
            write(to_line(report))
