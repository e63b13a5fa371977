"""The errors of a pool of days."""

from __future__ import annotations


class PoolClosed(RuntimeError):
    """The pool was closed."""

    def __init__(self, text: str = "the pool of days was closed"):
        super().__init__(text)


class WorkerLost(RuntimeError):
    """Workers died again and again, over one day, over one request, or before any had started."""


class PoolOfAnotherProcess(RuntimeError):
    """A forked process used the pool of its parent."""

    def __init__(self) -> None:
        super().__init__(
            "this pool of days belongs to the process that made it, and this is a "
            "different process: make a DayPool here"
        )


class NotTransferable(TypeError):
    """A request or an answer cannot be sent to another process."""
