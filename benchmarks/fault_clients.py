"""The clients of `benchmarks/faults.py`: sessions that come back with their tokens after a fault.

    python -m benchmarks.fault_clients FOLDER

FOLDER has a `FaultPlan`. The sessions end when stdin is closed. Every event of a session is
appended to the folder's journal before the session goes on. A new process reads the journal and
goes on with the sessions of one that was killed.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel

from benchmarks.load_days import SPLIT, ScriptedDay
from benchmarks.load_session import ClientSession, ConnectionLost, ServerSaid

CONNECT_SECONDS = 10.0
PLAN, JOURNAL = "plan.json", "journal"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_GONE = ("belongs to no session", "saved session is damaged", "saved this session; here")
"""The server's words for a session that it cannot resume."""


class FaultPlan(BaseModel):
    """The work of the clients. Times are in seconds."""

    url: str
    sessions: int
    thinking: float
    answer_seconds: float
    """After so long without an answer, a session comes back over another connection."""
    days: list[ScriptedDay]


class What(StrEnum):
    """An event of a session. ``steps`` of an entry are of its day."""

    BEGUN = "begun"
    """It began a day, whose token is in ``text``."""
    ANSWERED = "answered"
    """So many steps are done, and the last of them was answered."""
    ERROR = "error"
    """The server answered with the error in ``text``, or in time with nothing."""
    BACK = "back"
    """It went on with its token, and the server has so many steps."""
    ENDED = "ended"
    """Its day was compared; ``text`` is empty if the digest is the right one."""
    GONE = "gone"
    """The server refused its token with ``text``, so that its day is gone."""


class Entry(BaseModel):
    """A line of the journal. ``at`` is the time of the machine's monotonic clock."""

    session: int
    day: int
    what: What
    steps: int = 0
    text: str = ""
    at: float


@dataclass
class Progress:
    """How far a session is, from its entries."""

    day: int
    token: str = ""
    answered: int = 0
    """The last step that was answered, counted from 1."""

    def take(self, entry: Entry) -> None:
        """Go on by *entry*."""
        match entry.what:
            case What.BEGUN:
                self.day, self.token, self.answered = entry.day, entry.text, 0
            case What.ANSWERED:
                self.answered = entry.steps
            case What.ENDED | What.GONE:
                self.day, self.token, self.answered = entry.day + 1, "", 0
            case What.BACK:
                self.answered = min(self.answered, entry.steps)  # the rest is counted as lost
            case What.ERROR:
                pass


def read_entries(journal: Path, start: int = 0) -> Iterator[tuple[Entry, int]]:
    """Yield the whole entries of *journal* from byte *start* on, each with the byte after it."""
    if not journal.exists():
        return
    with journal.open("rb") as file:
        file.seek(start)
        for line in file:
            if line.endswith(b"\n"):
                start += len(line)
                yield Entry.model_validate_json(line), start


class _Session:
    """Works one day after the other, whatever happens."""

    def __init__(self, number: int, plan: FaultPlan, journal: int, ending: asyncio.Event):
        self._number, self._plan, self._journal, self._ending = number, plan, journal, ending
        self.progress = Progress(day=number)
        self._link: ClientSession | None = None
        self._steps = 0
        """The steps of this day that the server has, as far as is known."""

    @property
    def _script(self) -> ScriptedDay:
        return self._plan.days[self.progress.day % len(self._plan.days)]

    def _note(self, what: What, steps: int = 0, text: str = "") -> None:
        entry = Entry(
            session=self._number, day=self.progress.day, what=what, steps=steps, text=text,
            at=time.monotonic(),
        )  # fmt: skip
        os.write(self._journal, entry.model_dump_json().encode() + b"\n")
        self.progress.take(entry)

    async def work(self) -> None:
        """Work until the clients end; then have the present day compared."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with asyncio.timeout(self._plan.answer_seconds):
                    if await self._go_on():
                        return
                pause = _FIRST_PAUSE
                await self._wait(self._plan.thinking * (0.5 + random.random()))
            except (ConnectionLost, ServerSaid, TimeoutError) as error:
                await self._drop()
                if isinstance(error, TimeoutError):
                    waited = f"no answer in {self._plan.answer_seconds:g} s"
                    self._note(What.ERROR, self._steps, waited)
                if isinstance(error, ServerSaid):
                    self._note(What.ERROR, self._steps, str(error))
                    if self.progress.token and any(said in str(error) for said in _GONE):
                        self._note(What.GONE, self.progress.answered, str(error))
                await self._wait(pause * (0.5 + random.random()))
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _go_on(self) -> bool:
        """Do the next thing; whether all is done."""
        if self._link is None:
            self._link = await ClientSession.connect(self._plan.url, CONNECT_SECONDS)
            if self.progress.token:
                await self._link.resume(self.progress.token)
                self._steps = (await self._link.state()).steps
                self._note(What.BACK, self._steps)
        if not self.progress.token:
            token = await self._link.begin(SPLIT, self._script.index)
            self._steps = 0
            self._note(What.BEGUN, text=token)
        elif self._ending.is_set() or self._steps >= len(self._script.messages):
            await self._compare(self._link)
            if self._ending.is_set():
                await self._link.close()
                return True
        else:
            await self._link.step(self._script.messages[self._steps])
            self._steps += 1
            self._note(What.ANSWERED, self._steps)
        return False

    async def _compare(self, link: ClientSession) -> None:
        state = await link.state()
        found = self._script.compare(self.progress.answered, state.steps, state.digest)
        why = "" if found.equal else f"after {state.steps} steps the digest is {state.digest}"
        self._note(What.ENDED, state.steps, why)

    async def _drop(self) -> None:
        if self._link is not None:
            link, self._link = self._link, None
            await link.close()

    async def _wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._ending.wait(), seconds)
        except TimeoutError:
            return
        await asyncio.sleep(min(seconds, _FIRST_PAUSE))


async def _run(plan: FaultPlan, file: Path) -> None:
    ending = asyncio.Event()
    before = [entry for entry, _ in read_entries(file)]
    journal = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    sessions = [_Session(number, plan, journal, ending) for number in range(plan.sessions)]
    for entry in before:
        sessions[entry.session].progress.take(entry)
    asyncio.get_running_loop().add_reader(sys.stdin, ending.set)
    await asyncio.gather(*(session.work() for session in sessions))


def main() -> None:
    """Work until stdin ends."""
    folder = Path(sys.argv[1])
    plan = FaultPlan.model_validate_json((folder / PLAN).read_text(encoding="utf-8"))
    asyncio.run(_run(plan, folder / JOURNAL))


if __name__ == "__main__":
    main()
