"""Needs that follow from looks at the office: the task, pages with rules, files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from trainee_bench.meta_tasks.authoring.asking import Contact, heads_first
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES
from trainee_bench.meta_tasks.authoring.solving import check_rules, parse_brief, plain_objective
from trainee_bench.meta_tasks.authoring.text_template import Wording
from trainee_bench.meta_tasks.patience import LOOK_FOR_TASK
from trainee_bench.meta_tasks.told_apart import note_on
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.need import ExtensionPoint, LastDone, Need, Work
from trainee_bench.meta_tasks.work.sources import (
    DeskListing,
    DirectorySearch,
    ListedMeeting,
    ListedTask,
    Listing,
    Meetings,
    ReadText,
    SubmittedTask,
)

T = TypeVar("T")
HANDBOOK = "drive:/handbook"


def submission_of(task: str) -> LastDone:
    """Return the need for what this worker has submitted last for a task."""
    return LastDone(f"submission of {task}")


@dataclass(frozen=True)
class NeedsNaming(Need[bool]):
    """Whether a note asks for the id of a task in questions about it: known without looking once
    the task was read."""

    task: str

    async def satisfy(self, work: Work) -> bool:
        """Return False: no note was read."""
        return False


@dataclass(frozen=True)
class Task(Need[ListedTask]):
    """The task as listed, as soon as it is given out."""

    task: str

    async def satisfy(self, work: Work) -> ListedTask:
        """Wait for it. Raises ToolFailed if the day ends first."""
        listed = await work(DeskListing())
        if self.task not in listed:
            await work.pause(work.worker.ends, LOOK_FOR_TASK)
            raise ToolFailed(f"{self.task} was never given out")
        found = listed[self.task]
        if note_on(self.task) in found.notes:
            work.note(NeedsNaming(self.task), True)
        if found.objective:
            return found
        return await work(SubmittedTask(self.task, await work(submission_of(self.task))))


@dataclass(frozen=True)
class TaskBrief(Need[T]):
    """The statement of the objective, which also has the rules that the work follows.

    *rules* are sentences that it always contains. *rules_for* gives those that depend on what is
    stated.
    """

    task: str
    wording: Wording[T] = field(compare=False)
    rules: tuple[str, ...] = ()
    rules_for: Callable[[T], Sequence[str]] | None = field(default=None, compare=False)

    async def satisfy(self, work: Work) -> T:
        """Read it. Raises ToolFailed if a rule is missing, ValueError if it has another form."""
        published = plain_objective((await work(Task(self.task))).objective)
        return parse_brief(published, self.wording, self.rules, self.rules_for)


@dataclass(frozen=True)
class FileNews(ExtensionPoint[str]):
    """The known changes to a file that a task is about: another text after each of them."""

    path: str
    task: str
    nothing = ""


@dataclass(frozen=True)
class FileText(Need[str]):
    """The text of a file that a task is about. Habits make sure that it is complete and up to
    date."""

    path: str
    task: str = ""

    async def satisfy(self, work: Work) -> str:
        """Read it, and again after news of it. Raises ToolFailed if there is no such file."""
        news = await work(FileNews(self.path, self.task)) if self.task else ""
        return await work(ReadText(self.path, news))


async def notes_of(work: Work, task: str) -> str:
    """Return the notes under *task*; "" without a task."""
    return (await work(Task(task))).notes if task else ""


@dataclass(frozen=True)
class Page(Need[str]):
    """The text of a page that states *rules*, which the work follows."""

    path: str
    rules: tuple[str, ...]
    task: str = ""

    async def satisfy(self, work: Work) -> str:
        """Read it. Raises ToolFailed if there is no such page, or if it does not state the
        rules."""
        text = await work(FileText(self.path, self.task))
        check_rules(self.path, text, self.rules)
        return text


@dataclass(frozen=True)
class HouseRules(Need[bool]):
    """Whether a note says that the house rules apply, and the handbook has this page of them."""

    task: str
    page: str
    rules: tuple[str, ...]

    async def satisfy(self, work: Work) -> bool:
        """Look for the note, then for the page. Raises ToolFailed if the page does not state the
        rules."""
        if HOUSE_RULES not in await notes_of(work, self.task):
            return False
        if self.page not in await work(Listing(HANDBOOK, self.task)):  # pages come with tasks
            return False
        await work(Page(self.page, self.rules))
        return True


@dataclass(frozen=True)
class PersonCalled(Need[Contact]):
    """The person with this full name, who is probably in *department* if that is given."""

    name: str
    department: str = ""

    async def satisfy(self, work: Work) -> Contact:
        """Look in the directory. Raises ToolFailed if nobody has this name."""
        likely = await work(DirectorySearch(department=self.department)) if self.department else ()
        for person in likely:
            if person.name == self.name:
                return person
        for person in await work(DirectorySearch(query=self.name)):
            if person.name == self.name:
                return person
        raise ToolFailed(f"nobody is called {self.name}")


@dataclass(frozen=True)
class ManagerOf(Need[Contact]):
    """The manager of a department: the one with this *name*, or else the person whose title says
    most clearly that they lead it."""

    department: str
    name: str = ""

    async def satisfy(self, work: Work) -> Contact:
        """Look in the directory. Raises ToolFailed if there is no such manager."""
        listed = await work(DirectorySearch(department=self.department))
        for person in heads_first(listed):
            if self.name in ("", person.name):
                return person
        raise ToolFailed(f"nobody manages {self.department}")


@dataclass(frozen=True)
class InvitedMeeting(Need[ListedMeeting]):
    """The meeting that a task means: in this room, starting then."""

    task: str
    room: str
    starts: datetime

    async def satisfy(self, work: Work) -> ListedMeeting:
        """Look in the calendar, again if it was seen before the task came. Raises ToolFailed if
        there is no such meeting."""
        for request in ("", self.task):
            for meeting in await work(Meetings(self.starts.date(), request)):
                if (meeting.room, meeting.starts) == (self.room, self.starts):
                    return meeting
        raise ToolFailed(f"the calendar has no meeting in {self.room} at {self.starts:%H:%M}")
