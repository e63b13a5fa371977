"""Reminders of meetings that are about to begin."""

from __future__ import annotations

from datetime import timedelta

from pydantic import NaiveDatetime

from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.meetings.store import MeetingStore
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

MEETING_REMINDER_LEAD = timedelta(minutes=15)
"""How long before the start people are reminded."""


def enqueue_reminder(tx: Transaction, meeting: Meeting) -> None:
    """Remind everybody expected, unless the time for it has passed."""
    due = meeting.starts - MEETING_REMINDER_LEAD
    if due > tx.now:
        tx.enqueue(due, MeetingStartsSoon(meeting=meeting.id, starts=meeting.starts))


class MeetingStartsSoon(Event):
    """A quarter of an hour is left, if the meeting still begins at *starts*."""

    meeting: int
    starts: NaiveDatetime

    def fire(self, tx: Transaction) -> None:
        """Remind all who are expected, unless it was moved or cancelled meanwhile."""
        meeting = MeetingStore(tx).meeting(self.meeting)
        if meeting.cancelled or meeting.starts != self.starts:
            return
        text = f"Meeting {meeting.id} {meeting.title!r} begins at {meeting.starts:%H:%M}"
        for person in meeting.expected:
            tx.notify(person, NoticeKind.MEETING, f"{text} in {meeting.room}.")
