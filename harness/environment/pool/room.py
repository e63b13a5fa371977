"""The number of days of a pool that may be open at once, and the requests that wait for room."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Lock

from trainee_bench.harness.environment.pool.errors import PoolClosed


class DayRoom:
    """DayRoom for *size* days. Any thread may use it.

    A request that waits gets room as soon as there is enough. A smaller request may overtake a
    larger one.
    """

    def __init__(self, size: int):
        self._size = self._free = size
        self._waiting: list[tuple[int, Future[None]]] = []
        self._closed = False
        self._lock = Lock()

    def take(self, count: int) -> Future[None]:
        """Return a future that is done once *count* days have room; it raises PoolClosed.

        Raises ValueError for more days than there may ever be.
        """
        if count > self._size:
            raise ValueError(
                f"{count} days at once, but at most {self._size} may be open: begin fewer, "
                "or raise most_open"
            )
        taken: Future[None] = Future()
        with self._lock:
            self._waiting.append((count, taken))
            self._grant()
        return taken

    def give_up(self, count: int, taken: Future[None]) -> None:
        """Undo a `take` for which nobody waits any more, whether it has its room or not."""
        if not taken.cancel() and taken.exception() is None:
            self.give_back(count)

    def give_back(self, count: int) -> None:
        """Free the room of *count* days."""
        with self._lock:
            self._free += count
            self._grant()

    def close(self) -> None:
        """Let all who wait raise PoolClosed, and all who come later."""
        with self._lock:
            self._closed = True
            self._grant()

    def _grant(self) -> None:
        left = []
        for count, taken in self._waiting:
            if taken.cancelled():
                continue
            if count > self._free and not self._closed:
                left.append((count, taken))
            elif taken.set_running_or_notify_cancel():
                if self._closed:
                    taken.set_exception(PoolClosed())
                else:
                    self._free -= count
                    taken.set_result(None)
        self._waiting = left
