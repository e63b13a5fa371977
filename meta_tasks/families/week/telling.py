"""What is told once, on one day: how it is staged, and how a worker learns of it.

A telling is a wording with a day and a way: aloud in a meeting, by mail, or in the chat. What is
told is a value whose fields are what a worker notes of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime, time, timedelta
from typing import Any, Generic, TypeVar

from trainee_bench.meta_tasks.authoring import PlannedEvent, TaskContext, ToolFailed, Wording
from trainee_bench.meta_tasks.families.week.daily import DutyDay, Notes
from trainee_bench.meta_tasks.families.week.days import at_clock
from trainee_bench.meta_tasks.families.week.desk import DutyBrief, MeetingBrief
from trainee_bench.meta_tasks.patience import LOOK_FOR_TASK
from trainee_bench.meta_tasks.work.achieving import Attended
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import InvitedMeeting, PersonCalled
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
    "Please take this down, since I shall not send it round.",
    "This is not in the papers, so listen for a moment.",
)
"""How one begins who says something aloud."""
_UNTIL_READ = timedelta(minutes=5)
"""Nobody has to look for what comes in the first minutes."""


@dataclass(frozen=True)
class Telling(ABC, Generic[T]):
    """Something that is told on day number *day*, in these words."""

    day: int
    wording: Wording[T]

    @abstractmethod
    async def learn(self, day: DutyDay[Any]) -> T:
        """What is told. Raises ToolFailed if the day ends before."""

    def note(self, value: Any) -> Notes:
        """What one notes of it."""
        return asdict(value)


@dataclass(frozen=True)
class Aloud(Telling[T]):
    """Said in the day's meeting, and nowhere else; *clue* is its name."""

    clue: str
    openings: Sequence[str] = OPENINGS

    def say(self, context: TaskContext, value: T, **about: str) -> Clue:
        """*value* as it is said, after an opening that may be *about* something."""
        opening = context.stream(f"opening {self.clue}").choice(self.openings)
        opening = opening.format(name=context.employee.first_name, **about)
        payload = f"{opening} {self.wording.render(value)}"
        return Clue(id=context.clue_id(self.clue), holder="", payload=payload)

    def note(self, value: Any) -> Notes:
        """A single number or word is called like the clue."""
        return super().note(value) if is_dataclass(value) else {self.clue: value}

    async def learn(self, day: DutyDay[MeetingBrief]) -> T:
        """Attend and listen. Raises ToolFailed if there is no meeting, or nobody says it."""
        room, starts = day.brief.meeting.room, day.at(day.brief.meeting.starts)
        meeting = await day.work(InvitedMeeting(day.task, room, starts))
        heard = (await day.work(Attended(meeting.id, starts)))["announcements"]
        said = self.wording.search("\n".join(map(str, heard)))
        if said is None:
            raise ToolFailed(f"in {room} nobody has said at {starts:%H:%M} what was to be said")
        return said


@dataclass(frozen=True)
class _Sent(Telling[T]):
    """Sent at an hour of the day to the employee alone."""

    comes: time

    def text(self, value: T, opening: str) -> str:
        """*value* as it is written."""
        return f"{opening} {self.wording.render(value)}".strip()

    def due(self, context: TaskContext) -> datetime:
        """When it comes."""
        return at_clock(context, self.day, self.comes)

    async def learn(self, day: DutyDay[Any]) -> T:
        """Wait for it."""
        return await day.work(Come(self, day.brief, day.at(self.comes) + _UNTIL_READ))

    @abstractmethod
    async def texts(self, work: Work, brief: Any) -> list[str]:
        """What has come that may say it."""


@dataclass(frozen=True)
class Come(Need[T]):
    """What comes without being asked for. Nobody has to look before *expected*."""

    telling: _Sent[T]
    brief: DutyBrief
    expected: datetime

    async def satisfy(self, work: Work) -> T:
        """Wait for it. Raises ToolFailed if the day ends before."""
        await work.pause(self.expected)
        for text in await self.telling.texts(work, self.brief):
            said = self.telling.wording.search(text)
            if said is not None:
                return said
        await work.pause(work.worker.ends, LOOK_FOR_TASK)
        raise ToolFailed("nobody has written what was to come")


@dataclass(frozen=True)
class ByMail(_Sent[T]):
    """Sent by mail, with this subject."""

    subject: str

    def event(self, context: TaskContext, sender: Person, value: T, opening: str) -> PlannedEvent:
        """The mail."""
        to, body = (context.employee.id,), self.text(value, opening)
        mail = MailArrives(sender=sender.id, to=to, subject=self.subject, body=body)
        return PlannedEvent(mail, self.due(context))

    async def texts(self, work: Work, brief: Any) -> list[str]:
        """The mails with this subject."""
        found = await work(MailSearch(self.subject))
        read = [await work(ToolReading("mail_read", (("mail", mail.id),))) for mail in found]
        return [str(mail["text"]) for mail in read]


@dataclass(frozen=True)
class ByChat(_Sent[T]):
    """Written in the chat; *sender* is what the desk says of who writes, if it names somebody."""

    sender: Callable[[Any], str] | None = None

    def event(
        self, context: TaskContext, sender: Person, value: T, opening: str = ""
    ) -> PlannedEvent:
        """The message."""
        text = self.text(value, opening)
        message = MessageArrives(sender=sender.id, to=context.employee.id, text=text)
        return PlannedEvent(message, self.due(context))

    async def texts(self, work: Work, brief: Any) -> list[str]:
        """The messages, or those of the sender."""
        name = self.sender(brief) if self.sender else ""
        sender = (await work(PersonCalled(name))).id if name else ""
        return [one.text for one in await work(Inbox()) if sender in ("", one.sender)]
