"""Workers in this process that die when a test wants them to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Semaphore, Thread

from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import (
    PackedAnswer,
    PackedRequest,
    Request,
    StepDay,
    unpack_request,
)
from trainee_bench.harness.environment.pool.worker import Died

DEADLY = "a deadly call"


def is_deadly_step(request: Request) -> bool:
    """Whether *request* makes a deadly call."""
    return isinstance(request, StepDay) and any(call.name == DEADLY for call in request.calls)


class MortalWorker:
    """A worker on a thread, which dies at each request that *is_deadly*."""

    started = True

    def __init__(
        self,
        answered: Callable[[Sequence[PackedAnswer]], None],
        died: Died,
        is_deadly: Callable[[Request], bool] = is_deadly_step,
    ):
        self._answered, self._died, self._is_deadly = answered, died, is_deadly
        self._worker = DayWorker(self._tell)
        self._inbox = SimpleQueue[Sequence[PackedRequest] | None]()
        self._told = Semaphore(0)
        self._thread = Thread(target=self._live, daemon=True)
        self._thread.start()

    def send(self, requests: Sequence[PackedRequest]) -> None:
        """Work *requests* one after the other."""
        self._inbox.put(requests)

    def close(self) -> None:
        """End it."""
        self._inbox.put(None)
        self._thread.join()

    def _tell(self, answers: Sequence[PackedAnswer]) -> None:
        self._answered(answers)
        self._told.release()

    def _live(self) -> None:
        while (requests := self._inbox.get()) is not None:
            for number, packed in requests:
                if self._is_deadly(unpack_request(packed)):
                    self._worker.close()
                    self._died(self)
                    return
                self._worker.work([(number, packed)])
                self._told.acquire()
        self._worker.close()
