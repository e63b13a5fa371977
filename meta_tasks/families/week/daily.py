"""A day of a duty, stated over needs: what is heard, read and noted, and what is made of it.

Each morning a worker begins with an empty ledger. What a later day needs stands in the notes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Generic, TypeVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import CsvFile, Deliverable, ToolFailed, Wording
from trainee_bench.meta_tasks.families.week.days import FILES_COME
from trainee_bench.meta_tasks.families.week.notes import Notes
from trainee_bench.meta_tasks.work.achieving import Attended, FileHas, HandedIn, MailSent
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, InvitedMeeting, PersonCalled
from trainee_bench.meta_tasks.work.scripted import once
from trainee_bench.meta_tasks.work.sources import Inbox, MailSearch, ReadText, ToolReading
from trainee_bench.world.notes import NOTES_FOLDER

T = TypeVar("T")
Row = TypeVar("Row")
Stated = TypeVar("Stated")
_OFTEN = timedelta(minutes=5)
"""How often one looks for what is late."""


@dataclass(frozen=True)
class Noted(Need[Notes]):
    """What was noted for a task on the days before, and after *since*; nothing without a page."""

    task: str
    since: str = ""

    @property
    def path(self) -> str:
        """The page."""
        return f"{NOTES_FOLDER}/{self.task}.md"

    async def satisfy(self, work: Work) -> Notes:
        """Read the page, as it was this morning or after *since*."""
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
class Heard(Need[str]):
    """What is said in the meeting of a task in this room, line by line."""

    task: str
    room: str
    starts: datetime

    async def satisfy(self, work: Work) -> str:
        """Find the invitation and come. Raises ToolFailed if the calendar has none."""
        meeting = await work(InvitedMeeting(self.task, self.room, self.starts))
        heard = await work(Attended(meeting.id, self.starts))
        return "\n".join(map(str, heard["announcements"]))


@dataclass(frozen=True)
class Written(Need[T]):
    """What somebody writes in the chat without being asked, as a *template* has it; a *sender*
    (full name) is given where it is known. Nobody has to look before *expected*."""

    template: Wording[T]
    expected: datetime
    sender: str = ""

    async def satisfy(self, work: Work) -> T:
        """Wait for it. Raises ToolFailed if the day ends before."""
        await work.pause(self.expected)
        sender = (await work(PersonCalled(self.sender))).id if self.sender else ""
        for message in await work(Inbox()):
            said = self.template.search(message.text)
            if said is not None and sender in ("", message.sender):
                return said
        await work.pause(work.worker.ends, _OFTEN)
        raise ToolFailed("nobody has written what was to come")


@dataclass(frozen=True)
class Mailed(Need[T]):
    """What a mail with this *subject* says, as a *template* has it. Nobody has to look before
    *expected*."""

    subject: str
    template: Wording[T]
    expected: datetime

    async def satisfy(self, work: Work) -> T:
        """Wait for it. Raises ToolFailed if the day ends before."""
        await work.pause(self.expected)
        for mail in await work(MailSearch(self.subject)):
            text = (await work(ToolReading("mail_read", (("mail", mail.id),))))["text"]
            said = self.template.search(str(text))
            if said is not None:
                return said
        await work.pause(work.worker.ends, _OFTEN)
        raise ToolFailed(f"no mail says: {self.subject}")


@dataclass(frozen=True)
class DayDone:
    """What a duty makes of a day: a *mail*, *notes* for later days, the *report* of Friday."""

    mail: MailSent | None = None
    notes: Notes = field(default_factory=dict)
    report: tuple[str, Deliverable] | None = None


@dataclass(frozen=True)
class DutyDay(Generic[Stated]):
    """A day of a duty: what the desk states, and what can be learned today."""

    work: Work
    task: str
    brief: Stated

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

    async def noted(self, name: str) -> JsonValue:
        """What the notes say of *name*. Raises ToolFailed if they say nothing."""
        notes = await self.work(Noted(self.task))
        if name not in notes:
            raise ToolFailed(f"the notes do not say {name}")
        return notes[name]

    async def number(self, name: str) -> int:
        """The noted number of this name."""
        return int(str(await self.noted(name)))

    async def change(self, **said: JsonValue) -> Notes:
        """Note at once what has changed; what the notes say then."""
        before = await self.work(Noted(self.task))
        await once(self.work, Noted(self.task).page({**before, **said}))
        return await self.work(Noted(self.task, f"changed: {', '.join(said)}"))

    async def hear(self, room: str, starts: time, said: Wording[T]) -> T:
        """What is *said* in today's meeting. Raises ToolFailed if nothing like it is."""
        heard = said.search(await self.work(Heard(self.task, room, self.at(starts))))
        if heard is None:
            raise ToolFailed(f"in {room} nobody has said at {starts:%H:%M} what was to be said")
        return heard

    async def rows(self, path: str, file: CsvFile[Row]) -> Sequence[Row]:
        """What the file of the day has, which nobody corrects: the next day's replaces it."""
        await self.work.pause(self.at(FILES_COME))
        return file.parse(await self.work(FileText(path)))


async def finish(day: DutyDay[Stated], done: DayDone) -> None:
    """Mail, note and hand in what a duty has made of the day. Before Monday nothing is noted."""
    work, task = day.work, day.task
    if done.mail is not None:
        await work(done.mail)
    if done.notes:
        before = await work(Noted(task)) if day.weekday else {}
        await work(Noted(task).page({**before, **done.notes}))
    if done.report is not None:
        path, report = done.report
        await work(HandedIn(task, (FileHas(path, report.model_dump_json(indent=2)),)))
