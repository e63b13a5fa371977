"""The right booking, and the bookings of the employee that may match it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.meta_tasks.authoring import GradingContext, InvalidDeliverable, Unreadable
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.meetings.meeting import Meeting


@dataclass(frozen=True)
class MeetingBookTruth:
    """The right booking: its time, guests and rooms, and the answers that it needs.

    ``asked`` are the ids of the people to ask, ``comes`` of those who come, ``named`` of the others
    to invite. ``rooms`` is empty if any room will do. In ``window`` the employee may have no other
    booking.
    """

    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]
    asked: frozenset[str]
    comes: frozenset[str]
    named: frozenset[str]
    clues: tuple[str, ...]
    rooms: tuple[str, ...] = ()

    def candidates(self, grading: GradingContext[MeetingBookTruth]) -> list[Meeting]:
        """The employee's bookings within the window that are not cancelled."""
        first, last = self.window
        own = Calendar(grading.tx).booked_by(grading.employee)
        return [meeting for meeting in own if meeting.starts < last and first < meeting.ends]

    def booking(self, grading: GradingContext[MeetingBookTruth]) -> Meeting:
        """The candidate at the right time. Raises Unreadable if there is none."""
        for meeting in self.candidates(grading):
            if (meeting.starts, meeting.ends) == (self.starts, self.ends):
                return meeting
        booked = hours_of(Calendar(grading.tx).booked_by(grading.employee))
        raise Unreadable(
            InvalidDeliverable(f"no meeting of yours is at the right time; booked: {booked}")
        )

    def has_right_guests(self, meeting: Meeting) -> bool:
        """Whether exactly the right people are invited."""
        return set(meeting.attendees) == self.comes | self.named


def hours_of(meetings: Sequence[Meeting]) -> str:
    """The start and end of each of *meetings*, in words."""
    hours = [f"{meeting.starts:%H:%M}-{meeting.ends:%H:%M}" for meeting in meetings]
    return ", ".join(hours) or "nothing"
