"""Facts that are told once, on one day: how they are staged, and how a worker learns them.

A telling has a wording, a day and a channel: aloud in a meeting, by mail, or in the chat. It tells
a value, whose fields a worker writes into the notes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Generic, TypeVar

from trainee_bench.meta_tasks.authoring import PlannedEvent, TaskContext, ToolFailed, Wording
from trainee_bench.meta_tasks.families.week.daily import DutyDay, Notes
from trainee_bench.meta_tasks.families.week.days import at_clock
from trainee_bench.meta_tasks.families.week.desk import DutyBrief, MeetingBrief
from trainee_bench.meta_tasks.patience import LOOK_FOR_TASK
from trainee_bench.meta_tasks.told_apart import about_task
from trainee_bench.meta_tasks.work.achieving import Attended
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import InvitedMeeting, NeedsNaming, PersonCalled
from trainee_bench.meta_tasks.work.sources import Inbox, MailSearch, ToolReading
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

T = TypeVar("T")
OPENINGS = (
    "One more thing that concerns you, {name}.",
    "{name}, this is for you.",
    "Before we go on to the rest of the week:",
    "Please write this down, since I will not send it round.",
    "This is not in the handouts, so please listen for a moment.",
)
"""The first sentences of announcements."""
_UNTIL_READ = timedelta(minutes=5)
"""The time after the arrival of a message in which nobody has to look for it."""


@dataclass(frozen=True)
class Telling(ABC, Generic[T]):
    """A value that is told on day number *day*, in the words of *wording*."""

    day: int
    wording: Wording[T]

    @abstractmethod
    async def learn(self, day: DutyDay[Any]) -> T:
        """Find out the value. Raises ToolFailed if the day ends first."""

    def note(self, value: Any) -> Notes:
        """The value as notes."""
        return asdict(value)


@dataclass(frozen=True)
class Aloud(Telling[T]):
    """A value that is told only in the day's meeting; *clue* is the name of its clue."""

    clue: str
    openings: Sequence[str] = OPENINGS

    def say(self, context: TaskContext, value: T, **about: str) -> Clue:
        """The announcement of *value*, after an opening with the slots *about*."""
        opening = context.stream(f"opening {self.clue}").choice(self.openings)
        opening = opening.format(name=context.employee.first_name, **about)
        payload = f"{opening} {self.wording.render(value)}"
        return Clue(id=context.clue_id(self.clue), holder="", payload=payload)

    def note(self, value: Any) -> Notes:
        """The value as notes; a single number or word is named after the clue."""
        return super().note(value) if is_dataclass(value) else {self.clue: value}

    async def learn(self, day: DutyDay[MeetingBrief]) -> T:
        """Attend and listen. Raises ToolFailed if there is no meeting or no announcement."""
        room, starts = day.brief.meeting.room, day.at(day.brief.meeting.starts)
        meeting = await day.work(InvitedMeeting(day.task, room, starts))
        heard = (await day.work(Attended(meeting.id, starts)))["announcements"]
        said = self.wording.search("\n".join(map(str, heard)))
        if said is None:
            raise ToolFailed(
                f"nobody made the announcement in the meeting at {starts:%H:%M} in {room}"
            )
        return said


@dataclass(frozen=True)
class _Sent(Telling[T]):
    """A value that is sent only to the employee, at the time *comes*."""

    comes: time

    def text(self, context: TaskContext, value: T, opening: str) -> str:
        """The text of the message, which says for which task it is where tasks may be alike."""
        text = f"{opening} {self.wording.render(value)}".strip()
        return about_task(text, context.task) if context.copies else text

    def due(self, context: TaskContext) -> datetime:
        """The moment at which the message comes."""
        return at_clock(context, self.day, self.comes)

    async def learn(self, day: DutyDay[Any]) -> T:
        """Wait for the message."""
        expected = day.at(self.comes) + _UNTIL_READ
        return await day.work(Come(self, day.brief, expected, day.task))

    @abstractmethod
    async def texts(self, work: Work, brief: Any, day: date, name: str) -> list[str]:
        """The texts of the messages of *day* that may tell the value, and that have the *name* of
        the task, such as "(T12)"; "" where tasks need no names. The same message may have come in
        an earlier week."""


@dataclass(frozen=True)
class Come(Need[T]):
    """A message for a task that comes without being asked for; nobody has to look before
    *expected*."""

    telling: _Sent[T]
    brief: DutyBrief
    expected: datetime
    task: str

    async def satisfy(self, work: Work) -> T:
        """Wait for the message. Raises ToolFailed if the day ends first."""
        await work.pause(self.expected)
        named = await work(NeedsNaming(self.task))
        name = about_task("", self.task).strip() if named else ""
        for text in await self.telling.texts(work, self.brief, self.expected.date(), name):
            said = self.telling.wording.search(text)
            if said is not None:
                return said
        await work.pause(work.worker.ends, LOOK_FOR_TASK)
        raise ToolFailed("the expected message has not come")


@dataclass(frozen=True)
class ByMail(_Sent[T]):
    """A value that is sent by mail, with this subject."""

    subject: str

    def event(self, context: TaskContext, sender: Person, value: T, opening: str) -> PlannedEvent:
        """The arrival of the mail."""
        to, body = (context.employee.id,), self.text(context, value, opening)
        subject = about_task(self.subject, context.task) if context.copies else self.subject
        mail = MailArrives(sender=sender.id, to=to, subject=subject, body=body)
        return PlannedEvent(mail, self.due(context))

    async def texts(self, work: Work, brief: Any, day: date, name: str) -> list[str]:
        """The texts of the mails of *day* with this subject."""
        found = [mail for mail in await work(MailSearch(self.subject)) if name in mail.subject]
        read = [await work(ToolReading("mail_read", (("mail", mail.id),))) for mail in found]
        return [
            str(mail["text"])
            for mail in read
            if datetime.fromisoformat(str(mail["at"])).date() == day
        ]


@dataclass(frozen=True)
class ByChat(_Sent[T]):
    """A value that is sent in the chat; *sender* returns the writer's name, if it is stated."""

    sender: Callable[[Any], str] | None = None

    def event(
        self, context: TaskContext, sender: Person, value: T, opening: str = ""
    ) -> PlannedEvent:
        """The arrival of the message."""
        text = self.text(context, value, opening)
        message = MessageArrives(sender=sender.id, to=context.employee.id, text=text)
        return PlannedEvent(message, self.due(context))

    async def texts(self, work: Work, brief: Any, day: date, name: str) -> list[str]:
        """The texts of the sender's messages of *day*, or of all its messages if the sender is
        unknown."""
        writer = self.sender(brief) if self.sender else ""
        sender = (await work(PersonCalled(writer))).id if writer else ""
        return [
            message.text
            for message in await work(Inbox())
            if message.at.date() == day and sender in ("", message.sender) and name in message.text
        ]
