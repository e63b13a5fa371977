"""Needs that a worker satisfies by acts: files, meetings, mails, and submitted work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.meetings import USUAL_EARLINESS
from trainee_bench.meta_tasks.authoring.tables import TableRow, cells_of
from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.tool_client import ToolData, ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Achievement, ExtensionPoint, LastDone, Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, Task, submission_of
from trainee_bench.meta_tasks.work.sources import DeskListing, Meetings, TaskRoot


@dataclass(frozen=True)
class FileHas(Need[None]):
    """A text file with this text."""

    path: str
    text: str

    async def satisfy(self, work: Work) -> None:
        """Write the text, unless it was written last."""
        written = LastDone(self.path)
        if await work(written) != self.text:
            await work.call("files_write", path=self.path, text=self.text)
            work.note(written, self.text)


@dataclass(frozen=True)
class TableHas(Need[None]):
    """A workbook or CSV file with these rows, the header first."""

    path: str
    rows: tuple[tuple[JsonValue, ...], ...]

    async def satisfy(self, work: Work) -> None:
        """Make the table in place of the last one, unless that is the same."""
        written = LastDone(self.path)
        last = await work(written)
        if last == self.rows:
            return
        if last is not None:
            await work.call("files_delete", path=self.path)
            work.note(written, None)
        await work.call("sheets_create", path=self.path, rows=[[*row] for row in self.rows])
        work.note(written, self.rows)


@dataclass(frozen=True)
class Once(Achievement[ToolData]):
    """An act that is done once, and would be refused a second time."""

    tool: str
    arguments: tuple[tuple[str, JsonValue], ...]

    async def satisfy(self, work: Work) -> ToolData:
        """Do it, and return the tool's data."""
        return (await work.call(self.tool, **dict(self.arguments))).data


@dataclass(frozen=True)
class Booked(Achievement[int]):
    """A booked meeting of a task, in place of the one booked before; its value is the id."""

    task: str
    title: str
    room: str
    starts: datetime
    ends: datetime
    attendees: tuple[str, ...]
    agenda: str = ""

    async def satisfy(self, work: Work) -> int:
        """Cancel what was booked last, unless it is the same, and book."""
        booked = LastDone(f"meeting of {self.task}")
        last = await work(booked)
        if isinstance(last, _Booking):
            if last.booked == self:
                return last.id
            await work.call("calendar_cancel", meeting=last.id)
            work.note(booked, None)
        try:
            made = await self._book(work)
        except ToolFailed:
            if not await self._cancel_earlier(work):
                raise
            made = await self._book(work)
        booking = _Booking(int(made.data["id"]), self)
        work.note(booked, booking)
        return booking.id

    async def _book(self, work: Work) -> ToolResponse:
        return await work.call(
            "calendar_book",
            title=self.title,
            room=self.room,
            starts=f"{self.starts:%H:%M}",
            ends=f"{self.ends:%H:%M}",
            attendees=[*self.attendees],
            agenda=self.agenda,
        )

    async def _cancel_earlier(self, work: Work) -> bool:
        """Cancel meetings with this title in the calendar, which a former worker may have booked.
        Return whether there were any."""
        listed = await work(Meetings(self.starts.date(), repr(self)))
        earlier = [
            meeting for meeting in listed if meeting.title == self.title and not meeting.cancelled
        ]
        for meeting in earlier:
            await work.call("calendar_cancel", meeting=meeting.id)
        return bool(earlier)


@dataclass(frozen=True)
class _Booking:
    """A meeting with its id in the calendar."""

    id: int
    booked: Booked


@dataclass(frozen=True)
class Attended(Achievement[ToolData]):
    """A meeting that was attended from its start."""

    meeting: int
    starts: datetime
    early: timedelta = USUAL_EARLINESS

    async def satisfy(self, work: Work) -> ToolData:
        """Come in time and stay. Return what was heard."""
        await work.keep(self.starts - self.early)
        return (await work.call("calendar_attend", meeting=self.meeting)).data


@dataclass(frozen=True)
class MailSent(Achievement[None]):
    """A mail that was sent."""

    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()

    async def satisfy(self, work: Work) -> None:
        """Send it."""
        copies: dict[str, JsonValue] = {"cc": [*self.cc]} if self.cc else {}
        await work.call("mail_send", to=[*self.to], **copies, subject=self.subject, body=self.body)


@dataclass(frozen=True)
class MailReplied(Achievement[None]):
    """A reply to the mail of this number; copies need the office's variant of the tool."""

    mail: int
    body: str
    cc: tuple[str, ...] = ()

    async def satisfy(self, work: Work) -> None:
        """Send it."""
        copies: dict[str, JsonValue] = {"cc": [*self.cc]} if self.cc else {}
        await work.call("mail_reply", mail=self.mail, body=self.body, **copies)


@dataclass(frozen=True)
class ResultOf(Need[str]):
    """The text of the file that another task hands in: one of this day, or one with this *task* id
    that was due on an earlier day."""

    path: str
    task: str = ""

    async def satisfy(self, work: Work) -> str:
        """Wait until this worker has written it, or read what was left of an earlier day. Raises
        ToolFailed if the day ends first, or if nothing was left."""
        written = await work(LastDone(self.path))
        if not written and self.task and not work.worker.has_root(TaskRoot(self.task)):
            known = (await work(DeskListing())).get(self.task)
            if known is not None and known.deadline.date() < work.now.date():
                return await work(FileText(self.path))
        if not written:
            await work.pause(work.worker.ends)
            raise ToolFailed(f"{self.path} was never written")
        return str(written)


# handing in -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoreResults(ExtensionPoint[tuple[Need[Any], ...]]):
    """The results that are handed in besides the family's own."""

    task: str
    nothing = ()


@dataclass(frozen=True)
class SubmitNote(ExtensionPoint[str]):
    """The note of the submission; "" for none."""

    task: str
    nothing = ""


def paths_of(results: Iterable[Need[Any]]) -> tuple[str, ...]:
    """Return the paths of the files among *results*."""
    paths = (getattr(result, "path", None) for result in results)
    return tuple(path for path in paths if isinstance(path, str))


@dataclass(frozen=True)
class Afterwards(ExtensionPoint[tuple[Need[Any], ...]]):
    """The needs to satisfy after the results are handed in."""

    task: str
    results: tuple[Need[Any], ...]
    nothing = ()


@dataclass(frozen=True)
class Beside(ExtensionPoint[tuple[Need[Any], ...]]):
    """The needs to satisfy besides the task, whatever becomes of it."""

    task: str
    nothing = ()


class DoesBeside(Habit):
    """A habit that does one more thing besides each task."""

    beside: ClassVar[type[Any]]
    """The kind of need to satisfy; it is made from the task's id."""

    @around(Beside)
    async def _added(
        self, work: Work, need: Beside, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        return (*await inner(), type(self).beside(need.task))


@dataclass(frozen=True)
class Submitted(Need[None]):
    """A submission of the task with these results, for what was *asked*."""

    task: str
    results: tuple[Need[Any], ...]
    asked: str
    note: str = ""

    async def satisfy(self, work: Work) -> None:
        """Submit, unless the same was submitted last."""
        last = submission_of(self.task)
        if await work(last) != self:
            given: dict[str, JsonValue] = {"note": self.note} if self.note else {}
            await work.call("desk_submit", task=self.task, **given)
            work.note(last, self)


@dataclass(frozen=True)
class GivenBack(Need[None]):
    """A task that was given back, with what is *missing*, and who was *asked* (ids)."""

    task: str
    missing: str
    asked: tuple[str, ...]

    async def satisfy(self, work: Work) -> None:
        """Give it back, unless the same was done last."""
        last = submission_of(self.task)
        if await work(last) != self:
            asked: list[JsonValue] = [*self.asked]
            await work.call("desk_return", task=self.task, missing=self.missing, asked=asked)
            work.note(last, self)


@dataclass(frozen=True)
class HandedIn(Need[None]):
    """A task's results and its submission with them."""

    task: str
    results: tuple[Need[Any], ...]

    async def satisfy(self, work: Work) -> None:
        """Make the results, submit, and do what comes afterwards."""
        results = (*self.results, *await work(MoreResults(self.task)))
        await work.all(results)
        asked = (await work(Task(self.task))).objective
        note = await work(SubmitNote(self.task))
        await work(Submitted(self.task, results, asked, note))
        afterwards = await work(Afterwards(self.task, results))
        await work.all(afterwards)


async def hand_in(work: Work, task: str, path: str, result: Deliverable | str) -> None:
    """Write this result to the file that is asked for, and submit the task."""
    text = result if isinstance(result, str) else result.model_dump_json(indent=2)
    await work(HandedIn(task, (FileHas(path, text),)))


async def hand_in_table(
    work: Work, task: str, path: str, rows: Sequence[TableRow], model: type[TableRow]
) -> None:
    """Write *rows* to the workbook or CSV file that is asked for, and submit the task."""
    cells = tuple(tuple(row) for row in cells_of(rows, model) if isinstance(row, list))
    await work(HandedIn(task, (TableHas(path, cells),)))
