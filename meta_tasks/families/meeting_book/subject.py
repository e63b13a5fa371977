"""The parts of a meeting to set up: its kind, participants, time, shifts and needs."""

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
    """The kinds of meeting."""

    MANAGER = "manager"
    DEPARTMENT = "department"
    CAPACITY = "capacity"
    MOVED = "moved"


@dataclass(frozen=True)
class Participants:
    """The people to ask, the words of the task for them, and the person who requests the meeting.

    ``leader`` decides about the people who refer to them; only a department has one.
    """

    asked: tuple[Person, ...]
    words: str
    host: Person
    leader: Person | None = None


@dataclass(frozen=True)
class MeetingSlot:
    """The meeting as the objective states it: code, subject, start and end.

    ``window`` is all the time that the meeting may occupy after shifts; no other task of the day
    uses it.
    """

    code: str
    subject: str
    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]


@dataclass(frozen=True)
class StartShift:
    """A delay of meeting *code* by *minutes*, announced at the moment *at*."""

    code: str
    minutes: int
    at: datetime | None = None
