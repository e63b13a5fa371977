"""Worker processes for parallel work, which end with the process that started them."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of *count* processes; if the block raises, they are killed at once.

    They end with this process, too, even if it is killed. An interrupt from the terminal reaches
    only this process.
    """
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(max_workers=count, initializer=end_with_parent)
    try:
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            if worker not in others:
                worker.kill()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def end_with_parent() -> None:
    """Let this process end when its parent does, and leave interrupts to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ask_kernel()
    threading.Thread(target=_watch_parent, daemon=True).start()


def _ask_kernel() -> None:
    """On Linux, have the kernel kill this process as soon as its parent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch_parent() -> None:
    """End this process when its parent's end of a pipe is closed, on any system."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
