"""The garbage collector of a process that holds thousands of open days.

An open day has some 30 to 300 objects that the collector visits, and none that only it could free.
With 2,000 worked days, a full collection stopped the process for 0.29 s. So a worker of days
now and then takes all that is alive out of the collector's sight.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

FREEZE_EVERY = 512
"""After so many calls, or an eighth as many new days, the collector leaves alone what is alive."""
BEGUN = 8
"""How many calls a new day counts for."""

_RARE = 50_000, 20, 50
"""How many new objects, young and middle collections precede a collection in a process that serves
many sessions."""


class LongLivedObjects:
    """Counts what a process does with its days, and freezes its objects in time: those of its
    modules at once.

    A process whose purpose is to hold days may have one: what was frozen is freed only by its last
    reference. Any thread may use it.
    """

    def __init__(self) -> None:
        self._since, self._counting = 0, Lock()
        gc.freeze()

    def grow(self, calls: int) -> None:
        """Take note of so many *calls*."""
        with self._counting:
            self._since += calls
            full = self._since >= FREEZE_EVERY
            self._since = 0 if full else self._since
        if full:
            gc.collect(1)  # what was young is checked once
            gc.freeze()


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Let the collector look at fewer objects, and less often, in a process that serves many.

    All that is alive at the start, such as modules, is left alone inside the block.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
