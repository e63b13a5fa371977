"""The reports of the clients of `benchmarks/faults.py`: resumed sessions and lost steps."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fault_clients import Entry, Progress, What, read_entries

_POLL_SECONDS = 0.1


@dataclass
class Tally:
    """The events of the sessions since it was made."""

    resumed: int = 0
    """How often a session went on with its token."""
    lost: int = 0
    """Steps that were answered and that the server did not have later."""
    gone: int = 0
    """Sessions whose token was refused."""
    equal: int = 0
    """Days whose digest was that of the same calls in process."""
    unequal: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """How often the server answered with which error."""


class JournalWatch:
    """Reads the journal of so many *sessions* while the clients write it."""

    def __init__(self, journal: Path, sessions: int):
        self._journal, self._read = journal, 0
        self._progress = [Progress(day=number) for number in range(sessions)]
        self._answered = [0.0] * sessions
        """When a step of each session was answered last."""
        self._ended = [0.0] * sessions
        self._firsts: dict[int, float] = {}
        self._since = 0.0
        self._rounds = 0
        self.tally = Tally()

    def start_round(self) -> None:
        """Count from now on. The first round also has what happened before it."""
        self.update()
        if self._rounds:
            self.tally = Tally()
        self._rounds += 1

    def wait_until_worked(self, since: float, seconds: float) -> float | None:
        """Wait until each session has had an answer after the moment *since*, for at most so many
        *seconds*; return how long after *since* the last one had its first. None if not all had."""
        self._since, self._firsts = since, {}
        if not self._wait(lambda: len(self._firsts) == len(self._answered), seconds):
            return None
        return max(self._firsts.values()) - since

    def wait_until_ended(self, since: float, alive: Callable[[], bool]) -> int:
        """Wait until all sessions have ended their days after *since*, or the clients have, as
        *alive* says; return how many sessions have not."""
        while alive():
            time.sleep(_POLL_SECONDS)
        self.update()
        return sum(ended < since for ended in self._ended)

    def waiting(self) -> list[int]:
        """The sessions that have had no answer in `wait_until_worked`."""
        return [number for number in range(len(self._answered)) if number not in self._firsts]

    def update(self) -> None:
        """Read what was written meanwhile."""
        for entry, end in read_entries(self._journal, self._read):
            self._read = end
            self._take(entry)

    def _wait(self, holds: Callable[[], bool], seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while True:
            self.update()
            if holds():
                return True
            if time.monotonic() > ends:
                return False
            time.sleep(_POLL_SECONDS)

    def _take(self, entry: Entry) -> None:
        progress, tally = self._progress[entry.session], self.tally
        match entry.what:
            case What.ANSWERED:
                self._answered[entry.session] = entry.at
                if entry.at > self._since:
                    self._firsts.setdefault(entry.session, entry.at)
            case What.BACK:
                tally.resumed += 1
                tally.lost += max(0, progress.answered - entry.steps)
            case What.ENDED:
                tally.lost += max(0, progress.answered - entry.steps)
                tally.unequal += bool(entry.text)
                tally.equal += not entry.text
                self._ended[entry.session] = entry.at
            case What.GONE:
                tally.gone += 1
                tally.lost += progress.answered
            case What.ERROR:
                tally.errors[entry.text] += 1
            case What.BEGUN:
                pass
        progress.take(entry)
