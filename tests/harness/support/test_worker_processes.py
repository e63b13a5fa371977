"""A process that dies is replaced, and only the work that ended it is given up."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from trainee_bench.harness.support.worker_processes import (
    ProcessLost,
    ReplacedProcess,
    worker_processes,
)

pytestmark = pytest.mark.timeout(120)


async def test_a_killed_process_is_replaced() -> None:
    with ReplacedProcess() as process:
        first = await process.run(os.getpid)
        os.kill(first, signal.SIGKILL)
        second = await process.run(os.getpid)
        assert second not in (first, os.getpid())
        assert await process.run(divmod, 7, 2) == (3, 1)


async def test_work_that_ends_its_processes_is_given_up_and_other_work_is_done() -> None:
    with ReplacedProcess() as process:
        ended, done = await asyncio.gather(
            process.run(os._exit, 3), process.run(abs, -3), return_exceptions=True
        )
        assert isinstance(ended, ProcessLost)
        assert done == 3


async def test_an_error_of_the_work_is_raised() -> None:
    with ReplacedProcess() as process, pytest.raises(ZeroDivisionError):
        await process.run(divmod, 1, 0)


def test_a_process_of_several_that_ends_is_an_error_that_names_the_next_step() -> None:
    def work() -> None:
        with worker_processes(2) as pool:
            pool.submit(os._exit, 3).result()

    with pytest.raises(ProcessLost, match="try again with fewer --jobs"):
        work()
