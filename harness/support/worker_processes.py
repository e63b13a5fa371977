"""Worker processes for parallel work, which end with the process that started them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import ParamSpec, Self, TypeVar

_WATCH_SECONDS = 1.0
_MOST_DEATHS = 3
"""After so many processes that ended at it, work is given up."""

P = ParamSpec("P")
T = TypeVar("T")


class ProcessLost(RuntimeError):
    """A process ended at its work, or several did, one after the other, at the same work."""


_ENDED = (
    "a worker process ended in the middle of its work, for example because memory was short; "
    "nothing was finished, so try again with fewer --jobs"
)


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of *count* processes; if the block raises, they are killed at once.

    They end with this process, too, even if it is killed. An interrupt from the terminal reaches
    only this process. Raises ProcessLost if one of them ends before its work is done.
    """
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(max_workers=count, initializer=end_with_parent)
    try:
        yield pool
    except BaseException as error:
        for worker in multiprocessing.active_children():
            if worker not in others:
                worker.kill()
        pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise ProcessLost(_ENDED) from None
        raise
    pool.shutdown()


class ReplacedProcess:
    """A process that works for one event loop; if it dies, another one takes its place."""

    def __init__(self) -> None:
        self._executor = _one_process()
        self._alone = asyncio.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def run(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Return what *work* does in the process. If the process ends meanwhile, repeat it.

        Raises ProcessLost if three processes end at it.
        """
        loop, whole = asyncio.get_running_loop(), partial(work, *args, **named)
        executor = self._executor
        try:
            return await loop.run_in_executor(executor, whole)
        except BrokenProcessPool:
            if self._executor is executor:
                self._executor = _one_process()
        async with self._alone:  # in a process for this work, since other work may be to blame
            for _ in range(_MOST_DEATHS - 1):
                own = _one_process()
                try:
                    return await loop.run_in_executor(own, whole)
                except BrokenProcessPool:
                    continue
                finally:
                    own.shutdown(wait=False, cancel_futures=True)
        raise ProcessLost(
            f"{_MOST_DEATHS} processes ended one after the other while they did this work"
        )

    def close(self) -> None:
        """End the process; work that waits is cancelled."""
        self._executor.shutdown(cancel_futures=True)


def _one_process() -> ProcessPoolExecutor:
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, spawn, initializer=end_with_parent)


def end_with_parent() -> None:
    """Let this process end when its parent does, and leave interrupts to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    """End this process when its parent has ended, on any system.

    The kernel's own signal (PR_SET_PDEATHSIG) would come too early: when the thread that started
    this process ends. The end of the pipe may come too late, if a fork of the parent has it too.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    while parent.is_alive() and os.getppid() == parent.pid:
        parent.join(_WATCH_SECONDS)
    os._exit(1)
