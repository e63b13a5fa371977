"""A worker process on this machine, reached through a pipe."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread

from trainee_bench.harness.environment.pool.day_worker import DayWorker, NumberedRequest
from trainee_bench.harness.environment.pool.dispatcher import Died
from trainee_bench.harness.environment.pool.requests import DayAnswer
from trainee_bench.harness.support.worker_processes import end_with_parent

_SPAWN = multiprocessing.get_context("spawn")
_CLOSE_SECONDS = 5.0


class LocalWorker:
    """A process with days. *answered* gets its answers and *died* is called if it ends by itself;
    both are called on a thread of their own."""

    def __init__(self, answered: Callable[[Sequence[DayAnswer]], None], died: Died):
        self._answered, self._died = answered, died
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_main, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._sending = Lock()
        self._closed = False
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    started = True
    """Its pipe takes requests from the beginning."""

    @property
    def pid(self) -> int | None:
        """The id of its process."""
        return self._process.pid

    def send(self, requests: Sequence[NumberedRequest]) -> None:
        """Hand *requests* over. If the worker has died, *died* says so."""
        with self._sending, suppress(OSError):
            self._pipe.send(list(requests))

    def close(self) -> None:
        """End the process with its days."""
        self._closed = True
        with self._sending, suppress(OSError):
            self._pipe.send(None)
        self._process.join(_CLOSE_SECONDS)
        self._process.kill()
        self._process.join()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._answered(self._pipe.recv())
        if not self._closed:
            self._process.kill()  # it may live on without a pipe
            self._process.join()
            self._died(self)


def _main(pipe: Connection) -> None:
    """Work requests from *pipe* until None comes."""
    end_with_parent()
    sending = Lock()

    def send(answers: list[DayAnswer]) -> None:
        with sending:
            pipe.send(answers)

    worker = DayWorker(send)
    with suppress(EOFError):
        while (requests := pipe.recv()) is not None:
            worker.work(requests)
    worker.close()
