"""The states that are kept of a day: contents of a database, stored as pages.

    state 0 ───── state 16 ───── state 32 ──► …       pages that did not change are shared

To show a state between two of them, the steps since the one before it are repeated.
"""

from __future__ import annotations

from bisect import bisect_right

from trainee_bench.world.layout import PAGE_BYTES


class KeptStates:
    """States by their numbers, which are kept in rising order."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._pages: list[tuple[bytes, ...]] = []
        self._bytes = 0

    def keep(self, number: int, content: bytes) -> None:
        """Keep *content* as state *number*, which is higher than those before."""
        before = self._pages[-1] if self._pages else ()
        pages = [
            content[start : start + PAGE_BYTES] for start in range(0, len(content), PAGE_BYTES)
        ]
        for place, (old, new) in enumerate(zip(before, pages, strict=False)):
            if old == new:
                pages[place] = old
            else:
                self._bytes += PAGE_BYTES
        self._bytes += PAGE_BYTES * max(0, len(pages) - len(before))
        self._numbers.append(number)
        self._pages.append(tuple(pages))

    def latest(self, number: int) -> int:
        """The number of the last kept state up to *number*. The first one kept must not be
        higher."""
        return self._numbers[bisect_right(self._numbers, number) - 1]

    def content(self, number: int) -> bytes:
        """The content of the state that was kept as *number*."""
        return b"".join(self._pages[bisect_right(self._numbers, number) - 1])

    def held_bytes(self) -> int:
        """How much memory the pages take, each counted once."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._numbers)
