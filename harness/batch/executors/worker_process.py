"""A worker process: courses come in through one pipe, reports go out through another.

It is started by `harness.execution.processes` and ends when the pipe to it does, also if
whoever held the other end was killed. What agents print goes to standard error, because
standard output is the pipe.
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
from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.batch.executors.sequence_runner import failure_report, sequence_reports
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.run_folder import RunFolder

READY = b"ready\n"
"""The first line a worker writes."""
NO_SEQUENCE = -1
"""The number of the course in a report that is about none."""
SHUTDOWN_SECONDS = 5.0
"""Seconds that a worker nobody wants any more has to put its things away."""

WriteLine = Callable[[bytes], None]


class WorkerTask(BaseModel):
    """A course to be worked, with the number that its reports shall carry."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    course: int
    orders: tuple[EpisodeSpec, ...]

    def to_line(self) -> bytes:
        """The task for a pipe, its end of line included."""
        return self.model_dump_json().encode() + b"\n"


def main(folder: str, claim: str) -> None:
    """Work for the run in *folder* until standard input ends.

    *claim* is the descriptor by which the run is held, or "": while a worker still writes
    there, nobody else may take the run up.
    """
    faulthandler.enable()
    if claim:
        os.set_inheritable(int(claim), False)
    orders, results = os.dup(0), os.dup(1)  # no child of an agent inherits these
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)

    def say(line: bytes) -> None:
        with suppress(BrokenPipeError):  # the other pipe ends, too, and with it this process
            while line:
                line = line[os.write(results, line) :]

    try:
        anyio.run(_serve, orders, say, RunFolder(Path(folder)))
    except Exception as error:  # noqa: BLE001
        say(failure_report(NO_SEQUENCE, error).to_line())


async def _serve(orders: int, say: WriteLine, folder: RunFolder) -> None:
    send, lines = anyio.create_memory_object_stream[bytes](math.inf)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_listen, args=(orders, loop, send), daemon=True).start()
    say(READY)
    try:
        first = WorkerTask.model_validate_json(await lines.receive())
    except anyio.EndOfStream:
        return
    async with (
        open_servers(first.orders[0].transport, first.orders[0].backing) as offices,
        anyio.create_task_group() as group,
    ):
        group.start_soon(_work, first, folder, offices, say)
        async for line in lines:
            group.start_soon(_work, WorkerTask.model_validate_json(line), folder, offices, say)
        group.cancel_scope.cancel()


def _listen(
    pipe: int, loop: asyncio.AbstractEventLoop, send: MemoryObjectSendStream[bytes]
) -> None:
    """Pass on what comes through *pipe*, in a thread, which notices its end in any case: an
    agent may keep the loop for itself."""
    with open(pipe, "rb") as lines, suppress(RuntimeError):  # the loop may be closed already
        for line in lines:
            if line.endswith(b"\n"):  # else its writer was killed in the middle
                loop.call_soon_threadsafe(send.send_nowait, line)
        loop.call_soon_threadsafe(send.close)
    time.sleep(SHUTDOWN_SECONDS)
    os._exit(1)


async def _work(
    task: WorkerTask, folder: RunFolder, offices: ServerFactory, say: WriteLine
) -> None:
    async with aclosing(sequence_reports(task.course, task.orders, folder, offices)) as coming:
        async for report in coming:
            say(report.to_line())
