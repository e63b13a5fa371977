"""The numbers of days that no client has had, for all workers that share a store.

A worker claims a block of numbers at a time, so most days cost no request to the store.
"""

from __future__ import annotations

from collections import deque
from threading import Lock

from trainee_bench.harness.integrations.training.serving.store_files import StoreFiles

__all__ = ["DayNumbers"]

BLOCK = 16
"""How many numbers a worker claims at once."""
_FOLDER = "claimed"


class DayNumbers:
    """Hands out each number once, from 0. Any thread may ask."""

    def __init__(self, files: StoreFiles):
        self._files = files
        self._claimed = deque[int]()
        self._next_block: int | None = None
        self._asking = Lock()

    def next(self) -> int:
        """Return the next number that no process has had from this store.

        If the store fails, its error is raised, and the next call tries again.
        """
        with self._asking:
            if not self._claimed:
                block = self._claim()
                self._claimed.extend(range(block * BLOCK, (block + 1) * BLOCK))
            return self._claimed.popleft()

    def _claim(self) -> int:
        """Claim a block, and return which."""
        block = self._next_block
        if block is None:
            taken = [int(name) for name in self._files.names(_FOLDER) if name.isdecimal()]
            block = max(taken, default=-1) + 1
        while not self._files.create(f"{_FOLDER}/{block}"):
            block += 1
        self._next_block = block + 1
        return block
