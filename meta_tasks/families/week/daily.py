"""A day of a duty: what it is made of, what it comes to, and what a worker can learn on it.

Each morning a worker begins with an empty ledger. What a later day needs stands in the notes.
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
"""What somebody keeps from one day of a duty to the next, by name."""


def noted(notes: Notes, name: str) -> JsonValue:
    """What the notes say of *name*. Raises ToolFailed if they say nothing."""
    if name not in notes:
        raise ToolFailed(f"the notes do not say {name}")
    return notes[name]


@dataclass(frozen=True)
class Today(Generic[Brief, Row]):
    """All that a day's work is made of: what the desk states, the notes so far, and the rows of the
    day's file."""

    brief: Brief
    weekday: int
    date: date
    notes: Notes
    rows: Sequence[Row] = ()

    def noted(self, name: str) -> JsonValue:
        """What the notes say of *name*. Raises ToolFailed if they say nothing."""
        return noted(self.notes, name)

    def number(self, name: str) -> int:
        """The noted number of this name. Raises ToolFailed if there is none."""
        return int(str(self.noted(name)))

    def text(self, name: str) -> str:
        """The noted text of this name. Raises ToolFailed if there is none."""
        return str(self.noted(name))

    def kept(self, days: Sequence[int]) -> list[Any]:
        """What each of these *days* came to. Raises ToolFailed if one of them was not noted."""
        return [self.noted(WEEKDAYS[day]) for day in days]

    def totals(self) -> Mapping[str, int]:
        """The sums of what the days of the week came to, by field."""
        sums = Counter[str]()
        for kept in self.kept(range(len(WEEKDAYS))):
            sums.update(kept)
        return sums


@dataclass(frozen=True)
class WorkOfDay:
    """What a day comes to: what its mail says, if one is due; what is *kept* of the day for those
    after it; further *notes*; and who gets the mail (full name) in place of the usual reader."""

    said: Said | None = None
    kept: Any = None
    notes: Notes = field(default_factory=dict)
    to: str = ""

    def notes_after(self, today: Today[Any, Any]) -> Notes:
        """The notes when the day is over."""
        own = {} if self.kept is None else {WEEKDAYS[today.weekday]: self.kept}
        return {**today.notes, **self.notes, **own}


@dataclass(frozen=True)
class Noted(Need[Notes]):
    """What was noted for a task on the days before, or *since*; nothing without a page."""

    task: str
    since: str = ""

    @property
    def path(self) -> str:
        """The page."""
        return f"{NOTES_FOLDER}/{self.task}.md"

    async def satisfy(self, work: Work) -> Notes:
        """Read the page, as it was this morning or has been *since*."""
        try:
            text = await work(ReadText(self.path, self.since))
        except ToolFailed:
            return {}
        lines = (line.partition(": ") for line in text.splitlines() if line.strip())
        return {name.removeprefix("- "): json.loads(value) for name, _, value in lines}

    def page(self, notes: Notes) -> FileHas:
        """The page with these *notes*."""
        lines = [f"- {name}: {json.dumps(value)}" for name, value in notes.items()]
        return FileHas(self.path, "\n".join(lines) + "\n")


@dataclass(frozen=True)
class DutyDay(Generic[Brief]):
    """A day of a duty: what the desk states, and what can be learned and done today."""

    work: Work
    task: str
    brief: Brief

    @property
    def date(self) -> date:
        """Today."""
        return self.work.now.date()

    @property
    def weekday(self) -> int:
        """The number of today; 0 is Monday."""
        return self.date.weekday()

    def at(self, clock: time) -> datetime:
        """That time of today."""
        return datetime.combine(self.date, clock)

    async def notes(self) -> Notes:
        """What was noted on the days before: nothing on Monday."""
        return await self.work(Noted(self.task)) if self.weekday else {}

    async def notes_with(self, told: Notes, *, at_once: bool) -> Notes:
        """What was noted before, with what was *told* today. If so wanted, what takes the place of
        something noted is noted *at once*, and today's work goes by the notes as well."""
        before = await self.notes()
        changed = sorted(told.keys() & before.keys())
        if not (at_once and changed):
            return {**before, **told}
        await once(self.work, Noted(self.task).page({**before, **told}))
        return await self.work(Noted(self.task, f"changed: {', '.join(changed)}"))

    async def rows(self, file: CsvFile[Row]) -> Sequence[Row]:
        """What the file of the day has, which nobody corrects: the next day's replaces it."""
        await self.work.pause(self.at(FILES_COME))
        return file.parse(await self.work(FileText(self.brief.file)))
