"""A worker process on this machine, reached through a pipe."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock, Thread

from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import PackedAnswer, PackedRequest
from trainee_bench.harness.environment.pool.worker import Died
from trainee_bench.harness.support.worker_processes import end_with_parent

_SPAWN = multiprocessing.get_context("spawn")
_CLOSE_SECONDS = 5.0


class LocalWorker:
    """A process with days. *answered* gets its answers and *died* is called if it ends by itself;
    both are called on a thread of their own.

    Another thread writes, so that nobody who asks waits for a worker that just writes itself.
    """

    def __init__(self, answered: Callable[[Sequence[PackedAnswer]], None], died: Died):
        self._answered, self._died = answered, died
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_main, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._outbox = SimpleQueue[list[PackedRequest] | None]()
        self._closed = False
        Thread(target=self._read, daemon=True).start()
        Thread(target=self._write, daemon=True).start()

    started = True
    """Its pipe takes requests from the beginning."""

    @property
    def pid(self) -> int | None:
        """The id of its process."""
        return self._process.pid

    def send(self, requests: Sequence[PackedRequest]) -> None:
        """Hand *requests* over. If the worker has died, *died* says so."""
        self._outbox.put(list(requests))

    def close(self) -> None:
        """End the process with its days."""
        self._closed = True
        self._outbox.put(None)
        self._process.join(_CLOSE_SECONDS)
        self._process.kill()
        self._process.join()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._answered(self._pipe.recv())
        if not self._closed:
            self._outbox.put(None)
            self._process.kill()  # it may live on without a pipe
            self._process.join()
            self._died(self)

    def _write(self) -> None:
        """Write what is in the outbox until None comes; a worker needs that, too.

        All that waits goes in one message, since each costs both processes as much as a short step.
        """
        with suppress(OSError):
            ended = False
            while not ended:
                requests: list[PackedRequest] = []
                waiting = self._outbox.get()
                while waiting is not None:
                    requests += waiting
                    try:
                        waiting = self._outbox.get_nowait()
                    except Empty:
                        break
                ended = waiting is None
                if requests:
                    self._pipe.send(requests)
            self._pipe.send(None)


def _main(pipe: Connection) -> None:
    """Work requests from *pipe* until None comes."""
    end_with_parent()
    sending = Lock()

    def send(answers: list[PackedAnswer]) -> None:
        with sending:
            pipe.send(answers)

    worker = DayWorker(send)
    with suppress(EOFError):
        while (requests := pipe.recv()) is not None:
            worker.work(requests)
    worker.close()
