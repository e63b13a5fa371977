"""The models of a meeting: its booking, its view for those invited, attendance and content."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import BaseModel, Field, NaiveDatetime

ON_TIME_GRACE = timedelta(minutes=5)
"""Arrivals within this time before or after the start are on time."""


class InvitationStatus(StrEnum):
    """A person's answer to an invitation."""

    ORGANIZER = "organizer"
    INVITED = "invited"
    ACCEPTED = "accepted"
    TENTATIVE = "tentative"
    DECLINED = "declined"


class Announcement(BaseModel, frozen=True, extra="forbid"):
    """A statement in a meeting that is not in the minutes.

    Hearing it releases *clue* (its id) and adds *text* to the *task* on the desk, if given. A
    statement made *aloud* is heard only by those present at the time; it is written down nowhere.
    """

    clue: str | None = None
    task: str | None = None
    text: str
    aloud: bool = Field(default=False, exclude_if=lambda aloud: not aloud)


class Booking(BaseModel, frozen=True, extra="forbid"):
    """A booking: participants, room, times, and what will be said.

    People are ids; the attendees do not include the organizer. Only those who come get
    *minutes_text* and the announcements. Everyone invited can read the *agenda*.
    """

    organizer: str
    attendees: tuple[str, ...]
    room: str
    starts: NaiveDatetime
    ends: NaiveDatetime
    title: str
    agenda: str = ""
    minutes_text: str = ""
    announcements: tuple[Announcement, ...] = ()


class Invitation(BaseModel, frozen=True):
    """One person's part in a meeting. *answered* is the time of their last answer, and *arrived*
    the time when they came, if they did."""

    person: str
    answer: InvitationStatus
    answered: datetime | None = None
    arrived: datetime | None


class Meeting(BaseModel, frozen=True):
    """A meeting as those invited see it. ``invitations`` begin with the organizer's.

    ``key`` is the name under which a scenario staged it, None if a person booked it.
    """

    id: int
    key: str | None
    title: str
    room: str
    starts: datetime
    ends: datetime
    organizer: str
    agenda: str
    booked_at: datetime
    cancelled_at: datetime | None
    invitations: tuple[Invitation, ...]

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self.cancelled_at is not None

    def was_in_calendar_at(self, moment: datetime) -> bool:
        """Whether it had been booked by *moment*, and was not cancelled by then."""
        cancelled = self.cancelled_at is not None and self.cancelled_at <= moment
        return self.booked_at <= moment and not cancelled

    @property
    def attendees(self) -> tuple[str, ...]:
        """The ids of those invited, in order, without the organizer."""
        return tuple(invitation.person for invitation in self.invitations[1:])

    @property
    def expected(self) -> tuple[str, ...]:
        """The ids of everyone who may come: the organizer and those who have not declined."""
        return tuple(
            invitation.person
            for invitation in self.invitations
            if invitation.answer is not InvitationStatus.DECLINED
        )

    def invitation(self, person: str) -> Invitation | None:
        """Return that person's part in it, None if they have none."""
        return next((part for part in self.invitations if part.person == person), None)

    @property
    def when(self) -> str:
        """Day, hours and room as a phrase."""
        return f"{self.starts:%Y-%m-%d %H:%M}-{self.ends:%H:%M} in {self.room}"


class MeetingAttendance(BaseModel, frozen=True):
    """A person's attendance: when they came, whether on time, and how much they missed."""

    arrived: datetime
    on_time: bool
    missed_minutes: int

    @classmethod
    def from_arrival(cls, meeting: Meeting, arrived: datetime) -> MeetingAttendance:
        """Compute the attendance of a person who came to *meeting* at *arrived*."""
        return cls(
            arrived=arrived,
            on_time=abs(arrived - meeting.starts) <= ON_TIME_GRACE,
            missed_minutes=max(0, int((arrived - meeting.starts).total_seconds()) // 60),
        )


class MeetingContent(BaseModel, frozen=True):
    """The minutes and announcements that attendees of a meeting get."""

    minutes_text: str
    announcements: tuple[Announcement, ...]


class BusySpan(BaseModel, frozen=True):
    """A span in which a person is busy, without the reason."""

    starts: datetime
    ends: datetime
