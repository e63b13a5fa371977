"""The things that the office shows at one look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.meta_task import NOTES_HEADING
from trainee_bench.meta_tasks.tool_client import ToolData, ToolFailed
from trainee_bench.meta_tasks.work.need import Need, Source, Work
from trainee_bench.world.notices import NoticeKind

T = TypeVar("T")
PAGE = 100
"""The number of messages that one look shows."""


@dataclass(frozen=True)
class TaskRoot(Need[None]):
    """A finished task, with everything besides it: the purpose of a worker."""

    task: str

    async def satisfy(self, work: Work) -> None:
        """Raise: the engine's owner replaces this, knowing the work of each task."""
        raise NotImplementedError


@dataclass(frozen=True)
class ListedTask:
    """A task as the desk lists it: ``objective`` is the family's part, ``notes`` those under it.
    Assignments that are given in a meeting are heard there."""

    title: str
    objective: str
    notes: str
    deadline: datetime

    def label(self, task: str) -> str:
        """Return its name among colleagues: its title and its id."""
        return f"{self.title} ({task})"


@dataclass(frozen=True)
class DeskListing(Source[Mapping[str, ListedTask]]):
    """The tasks that are given out, by id."""

    told = frozenset({NoticeKind.TASK, NoticeKind.DEADLINE, NoticeKind.NEWS})

    async def satisfy(self, work: Work) -> Mapping[str, ListedTask]:
        """List them. The list leaves out the text of submitted tasks. A task whose text does not
        fit in the list is read alone."""
        before: Mapping[str, ListedTask] = work.previous or {}
        found: dict[str, ListedTask] = {}
        for entry in (await work.call("desk_tasks")).data["tasks"]:
            task = str(entry["id"])
            if entry["objective"] is None and not entry["submitted"]:
                (entry,) = (await work.call("desk_tasks", task=task)).data["tasks"]
            kept = entry["objective"] is None and task in before and work.worker.trusts_notices
            found[task] = before[task] if kept else _listed(entry)
        return found


@dataclass(frozen=True)
class SubmittedTask(Source[ListedTask]):
    """A submitted task with its text, which the list leaves out. A changed request reopens the
    task, so the text stays the same after this worker's last *submission*."""

    task: str
    submission: object
    fixed = True

    async def satisfy(self, work: Work) -> ListedTask:
        """Read the task with its text."""
        (entry,) = (await work.call("desk_tasks", task=self.task)).data["tasks"]
        return _listed(entry)


def _listed(entry: ToolData) -> ListedTask:
    objective, _, notes = str(entry["objective"] or "").partition(NOTES_HEADING)
    deadline = datetime.fromisoformat(entry["deadline"])
    return ListedTask(str(entry["title"]), objective, notes, deadline)


@dataclass(frozen=True)
class ReadMessage:
    """A chat message: its number, its sender (an id), the chat, its text, the message that it
    answers (0 for none), and when it was sent. Automatic replies are marked."""

    id: int
    sender: str
    to: str
    text: str
    automatic: bool
    answers: int
    at: datetime


@dataclass(frozen=True)
class Inbox(Source[tuple[ReadMessage, ...]]):
    """All chat messages, by number."""

    told = frozenset({NoticeKind.MESSAGE, NoticeKind.CHATTER, NoticeKind.NEWS})

    async def satisfy(self, work: Work) -> tuple[ReadMessage, ...]:
        """Read new messages; at the first look also earlier ones."""
        found: list[ReadMessage] = list(work.previous or ())
        if not found:
            return await _from_the_start(work)
        while True:
            page = (await work.call("chat_read_history", after=found[-1].id, limit=PAGE)).data
            found += map(_heard, page["messages"])
            if not page["later"]:
                return tuple(found)


async def _from_the_start(work: Work) -> tuple[ReadMessage, ...]:
    """Return the messages of the last page, and all earlier ones."""
    page = (await work.call("chat_read_history", limit=PAGE)).data
    found = [_heard(message) for message in page["messages"]]
    while page["earlier"]:
        page = (await work.call("chat_read_history", before=found[0].id, limit=PAGE)).data
        found = [*map(_heard, page["messages"]), *found]
    return tuple(found)


def _heard(message: ToolData) -> ReadMessage:
    return ReadMessage(
        message["id"],
        message["sender"],
        message["to"],
        message["text"],
        message["automatic"],
        message["answers"] or 0,
        datetime.fromisoformat(message["at"]),
    )


@dataclass(frozen=True)
class ReadText(Source[str]):
    """The text of a file when it was read after *since*, the last news of it."""

    path: str
    since: str = ""
    fixed = True

    async def satisfy(self, work: Work) -> str:
        """Read it page by page. Raises ToolFailed if there is no such file."""
        text, offset, column = "", 0, 0
        while True:
            page = await work.call("files_read", path=self.path, offset=offset, column=column)
            text += str(page.data["text"])
            if page.data["next_offset"] is None:
                return text
            offset, column = page.data["next_offset"], page.data["next_column"]


@dataclass(frozen=True)
class ViewedPicture(Source[bytes]):
    """The contents of a picture."""

    path: str
    fixed = True

    async def satisfy(self, work: Work) -> bytes:
        """Look at it."""
        shown = (await work.call("files_view_image", path=self.path)).picture
        assert shown is not None, f"{self.path} was not shown"
        return shown


@dataclass(frozen=True)
class Listing(Source[tuple[str, ...]]):
    """The paths in a folder in which nothing changes while a request stays the same."""

    folder: str
    request: str = ""
    fixed = True

    async def satisfy(self, work: Work) -> tuple[str, ...]:
        """List them. Raises ToolFailed if there is no such folder."""
        return await _paths_in(work, self.folder)


@dataclass(frozen=True)
class Folder(Source[tuple[str, ...]]):
    """The paths in a folder in which files appear without a notice; none if there is no such
    folder."""

    path: str
    untold = True

    async def satisfy(self, work: Work) -> tuple[str, ...]:
        """List them."""
        try:
            return await _paths_in(work, self.path)
        except ToolFailed:
            return ()


async def _paths_in(work: Work, folder: str) -> tuple[str, ...]:
    """Return the paths on all pages of a folder."""
    entries = await _all_pages(work, "files_list", "entries", "cursor", folder=folder)
    return tuple(str(entry["path"]) for entry in entries)


async def _all_pages(
    work: Work, tool: str, listed: str, continues: str, **wanted: JsonValue
) -> list[Any]:
    """Return what is *listed* on all pages of *tool*; its argument *continues* gives the next."""
    page = (await work.call(tool, **wanted)).data
    found = [*page[listed]]
    while page[f"next_{continues}"] is not None:
        wanted[continues] = page[f"next_{continues}"]
        page = (await work.call(tool, **wanted)).data
        found += page[listed]
    return found


@dataclass(frozen=True)
class FileState(Source[tuple[str, int]]):
    """When a file was changed last, and how many lines it has. Its changes are not announced."""

    path: str
    untold = True

    async def satisfy(self, work: Work) -> tuple[str, int]:
        """Look at the file's properties."""
        info = (await work.call("files_info", path=self.path)).data
        return str(info["changed"]), int(info["lines"])


@dataclass(frozen=True)
class Table(Source[tuple[tuple[JsonValue, ...], ...]]):
    """All rows of the first sheet of a workbook, the header first."""

    path: str
    since: str = ""
    fixed = True

    async def satisfy(self, work: Work) -> tuple[tuple[JsonValue, ...], ...]:
        """Read it range by range."""
        page = await work.call("sheets_read", path=self.path)
        rows = [*page.data["rows"]]
        while page.data["next_range"] is not None:
            page = await work.call("sheets_read", path=self.path, range=page.data["next_range"])
            rows += page.data["rows"]
        return tuple(map(tuple, rows))


@dataclass(frozen=True)
class DirectorySearch(Source[tuple[Contact, ...]]):
    """The people whom the directory finds, on all pages; everybody without *query* and
    *department*."""

    query: str = ""
    department: str = ""
    fixed = True

    async def satisfy(self, work: Work) -> tuple[Contact, ...]:
        """Page through the directory."""
        given = {"query": self.query, "department": self.department}
        wanted: dict[str, JsonValue] = {name: value for name, value in given.items() if value}
        found = await _all_pages(work, "chat_list_people", "people", "cursor", **wanted)
        return tuple(map(_person, found))


def _person(entry: ToolData) -> Contact:
    told = (entry["id"], entry["name"], entry["title"], entry["department"], entry["hours"])
    return Contact(*told)


@dataclass(frozen=True)
class FoundMail:
    """A mail as a search finds it."""

    id: int
    sender: str
    subject: str


@dataclass(frozen=True)
class MailSearch(Source[tuple[FoundMail, ...]]):
    """The mails that a search finds, on all pages, newest first."""

    query: str
    told = frozenset({NoticeKind.MAIL, NoticeKind.NEWS})

    async def satisfy(self, work: Work) -> tuple[FoundMail, ...]:
        """Search the mails."""
        mails = await _all_pages(work, "mail_search", "mails", "before", query=self.query)
        return tuple(FoundMail(mail["id"], mail["sender"], mail["subject"]) for mail in mails)


@dataclass(frozen=True)
class ListedMeeting:
    """A meeting in one's calendar: ``organizer`` is an id, ``answer`` one's own."""

    id: int
    title: str
    room: str
    starts: datetime
    organizer: str
    answer: str
    cancelled: bool


@dataclass(frozen=True)
class Meetings(Source[tuple[ListedMeeting, ...]]):
    """The meetings of a day in one's calendar, as seen for a *request*."""

    day: date
    request: str = ""
    fixed = True

    async def satisfy(self, work: Work) -> tuple[ListedMeeting, ...]:
        """Page through the day."""
        found: list[ListedMeeting] = []
        while True:
            day = f"{self.day:%Y-%m-%d}"
            page = (await work.call("calendar_list", day=day, offset=len(found))).data
            found += map(_meeting, page["meetings"])
            if not page["meetings"] or len(found) >= page["total"]:
                return tuple(found)


def _meeting(entry: ToolData) -> ListedMeeting:
    starts = datetime.fromisoformat(entry["starts"])
    return ListedMeeting(
        entry["id"],
        entry["title"],
        entry["room"],
        starts,
        entry["organizer"],
        entry["your_answer"],
        entry["cancelled"],
    )


@dataclass(frozen=True)
class ToolReading(Source[Any]):
    """The data that a tool shows that changes nothing, such as an instrument."""

    tool: str
    arguments: tuple[tuple[str, JsonValue], ...] = ()
    fixed = True

    async def satisfy(self, work: Work) -> Any:
        """Call the tool, and return its data."""
        return (await work.call(self.tool, **dict(self.arguments))).data


@dataclass(frozen=True)
class Since(Need[T]):
    """The value of a source at that time or later."""

    source: Source[T]
    time: datetime

    async def satisfy(self, work: Work) -> T:
        """Wait for that time, and look if it was not seen since."""
        await work.pause(self.time)
        work.look_again(self.source, self.time)
        return await work(self.source)


@dataclass(frozen=True)
class After(Need[bool]):
    """Whether it is that time or later."""

    time: datetime

    async def satisfy(self, work: Work) -> bool:
        """Look at the clock, and again at that time."""
        if work.now < self.time:
            work.wake(self.time)
            return False
        return True
