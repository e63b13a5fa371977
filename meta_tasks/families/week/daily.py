"""One day of a duty: its inputs, its result, and the tools of a worker on it.

Each morning a worker starts with an empty ledger. Facts that a later day needs are in the notes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import CsvFile, ToolFailed
from trainee_bench.meta_tasks.families.week.days import WEEKDAYS
from trainee_bench.meta_tasks.families.week.desk import FILES_COME, DutyBrief
from trainee_bench.meta_tasks.families.week.mails import Said
from trainee_bench.meta_tasks.work.achieving import FileHas
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import FileText
from trainee_bench.meta_tasks.work.scripted import once
from trainee_bench.meta_tasks.work.sources import ReadText
from trainee_bench.world.notes import NOTES_FOLDER

Row = TypeVar("Row")
Brief = TypeVar("Brief", bound=DutyBrief)
Notes = dict[str, JsonValue]
"""The facts that a worker carries from one day of a duty to the next, by name."""


def noted(notes: Notes, name: str) -> JsonValue:
    """The value of *name* in the notes. Raises ToolFailed if they do not have it."""
    if name not in notes:
        raise ToolFailed(f"the notes do not say {name}")
    return notes[name]


@dataclass(frozen=True)
class Today(Generic[Brief, Row]):
    """The inputs of a day's work: the stated facts, the notes so far, and the day's file."""

    brief: Brief
    weekday: int
    date: date
    notes: Notes
    rows: Sequence[Row] = ()

    def noted(self, name: str) -> JsonValue:
        """The value of *name* in the notes. Raises ToolFailed if they do not have it."""
        return noted(self.notes, name)

    def number(self, name: str) -> int:
        """The number called *name* in the notes. Raises ToolFailed if they do not have it."""
        return int(str(self.noted(name)))

    def text(self, name: str) -> str:
        """The text called *name* in the notes. Raises ToolFailed if they do not have it."""
        return str(self.noted(name))

    def kept(self, days: Sequence[int]) -> list[Any]:
        """The noted results of these *days*. Raises ToolFailed if one of them is missing."""
        return [self.noted(WEEKDAYS[day]) for day in days]

    def totals(self) -> Mapping[str, int]:
        """The sums of the week's noted results, by field."""
        sums = Counter[str]()
        for kept in self.kept(range(len(WEEKDAYS))):
            sums.update(kept)
        return sums


@dataclass(frozen=True)
class WorkOfDay:
    """The result of a day.

    *said* is what its mail says, if one is due. *kept* is noted for later days under the weekday,
    besides further *notes*. *to* is the full name of the mail's reader, if not the usual one.
    """

    said: Said | None = None
    kept: Any = None
    notes: Notes = field(default_factory=dict)
    to: str = ""

    def notes_after(self, today: Today[Any, Any]) -> Notes:
        """The notes at the end of the day."""
        own = {} if self.kept is None else {WEEKDAYS[today.weekday]: self.kept}
        return {**today.notes, **self.notes, **own}


@dataclass(frozen=True)
class Noted(Need[Notes]):
    """The notes for a task, as of this morning or *since* a change today; empty without a page."""

    task: str
    since: str = ""

    @property
    def path(self) -> str:
        """The path of the page with the notes."""
        return f"{NOTES_FOLDER}/{self.task}.md"

    async def satisfy(self, work: Work) -> Notes:
        """Read the page."""
        try:
            text = await work(ReadText(self.path, self.since))
        except ToolFailed:
            return {}
        lines = (line.partition(": ") for line in text.splitlines() if line.strip())
        return {name.removeprefix("- "): json.loads(value) for name, _, value in lines}

    def page(self, notes: Notes) -> FileHas:
        """The state in which the page contains these *notes*."""
        lines = [f"- {name}: {json.dumps(value)}" for name, value in notes.items()]
        return FileHas(self.path, "\n".join(lines) + "\n")


@dataclass(frozen=True)
class DutyDay(Generic[Brief]):
    """A day of a duty as a worker sees it: the stated facts, the notes, and the day's file."""

    work: Work
    task: str
    brief: Brief

    @property
    def date(self) -> date:
        """Today's date."""
        return self.work.now.date()

    @property
    def weekday(self) -> int:
        """The number of today's weekday; 0 is Monday."""
        return self.date.weekday()

    def at(self, clock: time) -> datetime:
        """That time today."""
        return datetime.combine(self.date, clock)

    async def notes(self) -> Notes:
        """Read the notes of the days before; empty on Monday."""
        return await self.work(Noted(self.task)) if self.weekday else {}

    async def notes_with(self, told: Notes, *, at_once: bool) -> Notes:
        """Return the earlier notes together with the facts *told* today.

        With *at_once*, a fact that replaces a noted one is written down first, and then read again
        from the page.
        """
        before = await self.notes()
        changed = sorted(told.keys() & before.keys())
        if not (at_once and changed):
            return {**before, **told}
        await once(self.work, Noted(self.task).page({**before, **told}))
        return await self.work(Noted(self.task, f"changed: {', '.join(changed)}"))

    async def rows(self, file: CsvFile[Row]) -> Sequence[Row]:
        """Read the rows of the day's file; nobody corrects it, since the next day replaces it."""
        await self.work.pause(self.at(FILES_COME))
        return file.parse(await self.work(FileText(self.brief.file)))
