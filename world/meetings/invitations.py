"""Reminders of meetings, and how and when a colleague answers an invitation.

The answer depends only on what the calendar and the directory show. Things that only the colleague
knows (a duty, a deputy) play no part, so an answer reveals nothing that has to be asked for. People
accept, or decline for a reason that everyone can look up.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import NaiveDatetime

from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.company.people import Manner, Person
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.meetings.store import MeetingStore
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

LONGEST_WAIT = 45
"""Maximum minutes until people answer, counted from when they read the invitation."""


class Obstacle(StrEnum):
    """The reason why a colleague declines."""

    AWAY = "away"
    """The directory shows that they are away then."""
    TAKEN = "taken"
    """Their calendar shows another meeting then."""


_EXCUSES: dict[Manner, tuple[str, str]] = {
    "brisk": (
        "Can't make meeting {}, I am away then.",
        "Can't make meeting {}, there is another meeting in my calendar.",
    ),
    "warm": (
        "I am sorry, I have to decline meeting {}: I am away at that time.",
        "I am sorry, I have to decline meeting {}: my calendar is taken then.",
    ),
    "formal": (
        "I regret that I have to decline meeting {}, as I am away at that time.",
        "I regret that I have to decline meeting {}; another meeting is in my calendar.",
    ),
    "dry": (
        "Meeting {} will have to do without me: I am away.",
        "Meeting {} will have to do without me: I cannot be in two meetings at once.",
    ),
}


def answer_time(tx: Transaction, person: Person, meeting: Meeting) -> datetime | None:
    """Return when *person* answers an invitation that arrives now; None if not before the meeting.

    If they are away, their mailbox answers at once.
    """
    if obstacle(tx, person.id, meeting) is Obstacle.AWAY:
        return tx.now + timedelta(minutes=1)
    reads = Availability(tx).reply_time(person)
    if reads is None:
        return None
    occasion = ("answer to an invitation", meeting.id, person.id, meeting.starts.isoformat())
    later = reads + timedelta(minutes=random_stream(*occasion).randint(0, LONGEST_WAIT))
    leaves = datetime.combine(reads.date(), person.hours.ends)
    answers = later if later < min(meeting.starts, leaves) else reads
    return answers if answers < meeting.starts else None


def obstacle(tx: Transaction, person: str, meeting: Meeting) -> Obstacle | None:
    """Return why *person* cannot come, as far as the directory and the calendar show it."""
    away = Availability(tx).absence(person)
    if away is not None and away.public and away.until > meeting.starts:
        return Obstacle.AWAY
    return Obstacle.TAKEN if MeetingStore(tx).has_overlapping(person, meeting) else None


def excuse(why: Obstacle, person: Person, meeting: Meeting) -> str:
    """Write a colleague's message declining the meeting."""
    sentence = _EXCUSES[person.manner][0 if why is Obstacle.AWAY else 1]
    return sentence.format(f"{meeting.id} {meeting.title!r}")


MEETING_REMINDER_LEAD = timedelta(minutes=15)
"""How long before the start people are reminded."""


def enqueue_reminder(tx: Transaction, meeting: Meeting) -> None:
    """Enqueue a reminder for everyone expected, unless its time has passed."""
    due = meeting.starts - MEETING_REMINDER_LEAD
    if due > tx.now:
        tx.enqueue(due, MeetingStartsSoon(meeting=meeting.id, starts=meeting.starts))


class MeetingStartsSoon(Event):
    """A meeting is a quarter of an hour away, if it still begins at *starts*."""

    meeting: int
    starts: NaiveDatetime

    def fire(self, tx: Transaction) -> None:
        """Remind everyone expected, unless the meeting was moved or cancelled meanwhile."""
        meeting = MeetingStore(tx).meeting(self.meeting)
        if meeting.cancelled or meeting.starts != self.starts:
            return
        text = f"Meeting {meeting.id} {meeting.title!r} begins at {meeting.starts:%H:%M}"
        for person in meeting.expected:
            tx.notify(person, NoticeKind.MEETING, f"{text} in {meeting.room}.")
