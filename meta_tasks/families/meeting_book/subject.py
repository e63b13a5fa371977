"""A meeting that is to be set up: whom it is for, when it is, how it moves, what rooms can have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum

from trainee_bench.world.company.people import Person

ALL_MANAGERS = "all managers of the company (everybody with Manager in their title)"
LAST_SHIFT = time(12, 45)
"""No shift comes after this time."""
ROOM_LIST_PATH = "drive:/handbook/meeting_rooms.csv"
NEEDS = ("video system", "whiteboard wall", "hearing loop", "document camera", "sound system")


class MeetingKind(StrEnum):
    """Who is invited to what."""

    MANAGER = "manager"
    DEPARTMENT = "department"
    CAPACITY = "capacity"
    MOVED = "moved"


@dataclass(frozen=True)
class Participants:
    """Whom the trainee is to ask, how the task words that, and who requests the meeting.

    ``leader`` decides about the people who refer to them; only a department has one.
    """

    asked: tuple[Person, ...]
    words: str
    host: Person
    leader: Person | None = None


@dataclass(frozen=True)
class MeetingSlot:
    """The meeting as the objective states it: code, subject, start and end. ``window`` is all the
    time that it may end up taking, and that no other task of the day uses."""

    code: str
    subject: str
    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]


@dataclass(frozen=True)
class StartShift:
    """At a time of the day, the start of meeting *code* is delayed by so many minutes."""

    code: str
    minutes: int
    at: datetime | None = None
