"""Stores meetings and invitations; reads and writes their rows as models."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime

from pydantic import TypeAdapter

from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.errors import NotFound
from trainee_bench.world.meetings.meeting import (
    Announcement,
    Booking,
    Invitation,
    InvitationStatus,
    Meeting,
    MeetingContent,
)
from trainee_bench.world.meetings.rooms import company_rooms, fitting_rooms
from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE meeting (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, organizer TEXT NOT NULL, room TEXT NOT NULL,
    starts TEXT NOT NULL, ends TEXT NOT NULL, title TEXT NOT NULL, agenda TEXT NOT NULL,
    booked_at TEXT NOT NULL, cancelled_at TEXT,
    minutes_text TEXT NOT NULL, announcements TEXT NOT NULL
) STRICT;
CREATE INDEX meeting_starts ON meeting (starts);
CREATE TABLE invitation (
    meeting INTEGER NOT NULL, position INTEGER NOT NULL, person TEXT NOT NULL,
    answer TEXT NOT NULL, answered TEXT, arrived TEXT, PRIMARY KEY (meeting, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX invitation_person ON invitation (person, meeting);
"""

_ANNOUNCEMENTS = TypeAdapter(tuple[Announcement, ...])


class MeetingStore:
    """All meetings, within one transaction. It checks no permissions."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def meeting(self, id: int) -> Meeting:
        """Return the meeting with this id. Raises NotFound."""
        # No meeting has a number that SQLite cannot hold.
        return self._one("SELECT * FROM meeting WHERE id = ?", id if abs(id) < 2**63 else 0)

    def meeting_by_key(self, key: str) -> Meeting:
        """Return the meeting entered under *key*. Raises NotFound."""
        return self._one("SELECT * FROM meeting WHERE key = ?", key)

    def meetings_of(self, person: str, first: date, last: date | None) -> list[Meeting]:
        """Return the meetings that *person* takes part in, from the day *first* to *last*, by
        start."""
        return self._many(
            "SELECT m.* FROM invitation i JOIN meeting m ON m.id = i.meeting"
            " WHERE i.person = ? AND date(m.starts) BETWEEN ? AND ? ORDER BY m.starts, m.id",
            person,
            first.isoformat(),
            (last or date.max).isoformat(),
        )

    def has_overlapping(self, person: str, meeting: Meeting) -> bool:
        """Whether *person* takes part in another meeting during *meeting* and has not declined."""
        found = self._tx.row(
            "SELECT 1 FROM invitation i JOIN meeting m ON m.id = i.meeting WHERE i.person = ?"
            " AND i.answer <> ? AND m.id <> ? AND m.cancelled_at IS NULL"
            " AND m.starts < ? AND m.ends > ? LIMIT 1",
            person,
            InvitationStatus.DECLINED,
            meeting.id,
            meeting.ends.isoformat(),
            meeting.starts.isoformat(),
        )
        return found is not None

    def busy_people(self, starts: datetime, ends: datetime) -> set[str]:
        """Return who has a meeting between *starts* and *ends*, without those who declined it."""
        rows = self._tx.rows(
            "SELECT DISTINCT i.person FROM meeting m JOIN invitation i ON i.meeting = m.id"
            " WHERE m.starts < ? AND m.ends > ? AND m.cancelled_at IS NULL AND i.answer <> ?",
            ends.isoformat(),
            starts.isoformat(),
            InvitationStatus.DECLINED,
        )
        return {row["person"] for row in rows}

    def booked_by(self, person: str) -> list[Meeting]:
        """Return the meetings that *person* organizes and has not cancelled, by start."""
        return self._many(
            "SELECT * FROM meeting WHERE organizer = ? AND cancelled_at IS NULL"
            " ORDER BY starts, id",
            person,
        )

    def ever_booked_by(self, person: str) -> list[Meeting]:
        """Return all meetings that *person* has organized, even cancelled ones, in the order of
        booking."""
        return self._many("SELECT * FROM meeting WHERE organizer = ? ORDER BY id", person)

    def taken_rooms(self, starts: datetime, ends: datetime, besides: int = 0) -> set[str]:
        """Return the rooms in use between *starts* and *ends*, without the meeting *besides*."""
        rows = self._tx.rows(
            "SELECT room FROM meeting WHERE starts < ? AND ends > ? AND cancelled_at IS NULL"
            " AND id <> ?",
            ends.isoformat(),
            starts.isoformat(),
            besides,
        )
        return {row["room"] for row in rows}

    def fitting_rooms(
        self, people: int, starts: datetime, ends: datetime, besides: int = 0
    ) -> tuple[str, ...]:
        """Return the rooms with seats for *people* that none but *besides* uses then, smallest
        first."""
        taken = self.taken_rooms(starts, ends, besides)
        return fitting_rooms(people, taken, company_rooms(self._tx))

    def meeting_content(self, id: int) -> MeetingContent:
        """Return the minutes and announcements of a meeting. Raises NotFound.

        Announcements of a clue that does not exist (a certificate may withhold it) are left out.
        """
        row = self._tx.row("SELECT minutes_text, announcements FROM meeting WHERE id = ?", id)
        if row is None:
            raise NotFound(f"There is no meeting {id}.")
        known = Knowledge(self._tx)
        planned = _ANNOUNCEMENTS.validate_json(row["announcements"])
        made = (item for item in planned if item.clue is None or known.has_clue(item.clue))
        return MeetingContent(minutes_text=row["minutes_text"], announcements=tuple(made))

    def add_meeting(self, booking: Booking, key: str | None = None) -> Meeting:
        """Enter a meeting; everyone but the organizer is invited."""
        id = self._tx.run(
            "INSERT INTO meeting (key, organizer, room, starts, ends, title, agenda, booked_at,"
            " minutes_text, announcements) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            key,
            booking.organizer,
            booking.room,
            booking.starts.isoformat(),
            booking.ends.isoformat(),
            booking.title,
            booking.agenda,
            self._tx.now.isoformat(),
            booking.minutes_text,
            _ANNOUNCEMENTS.dump_json(booking.announcements).decode(),
        )
        people = [(booking.organizer, InvitationStatus.ORGANIZER)]
        people += [(person, InvitationStatus.INVITED) for person in booking.attendees]
        self._tx.run_many(
            "INSERT INTO invitation VALUES (?, ?, ?, ?, NULL, NULL)",
            [(id, position, *invited) for position, invited in enumerate(people)],
        )
        return self.meeting(id)

    def move(self, id: int, room: str, starts: datetime, ends: datetime) -> None:
        """Move a meeting to another room and time."""
        times = starts.isoformat(), ends.isoformat()
        sql = "UPDATE meeting SET room = ?, starts = ?, ends = ? WHERE id = ?"
        self._tx.run(sql, room, *times, id)

    def cancel(self, id: int) -> None:
        """Mark a meeting as cancelled, which frees its room."""
        sql = "UPDATE meeting SET cancelled_at = ? WHERE id = ?"
        self._tx.run(sql, self._tx.now.isoformat(), id)

    def record_answer(self, id: int, person: str, answer: InvitationStatus) -> None:
        """Record how *person* answered; the same answer again changes nothing."""
        sql = (
            "UPDATE invitation SET answer = ?1, answered = ?2"
            " WHERE meeting = ?3 AND person = ?4 AND answer <> ?1"
        )
        self._tx.run(sql, answer, self._tx.now.isoformat(), id, person)

    def record_arrival(self, id: int, person: str) -> None:
        """Record that *person* came now."""
        sql = "UPDATE invitation SET arrived = ? WHERE meeting = ? AND person = ?"
        self._tx.run(sql, self._tx.now.isoformat(), id, person)

    def _one(self, sql: str, key: int | str) -> Meeting:
        row = self._tx.row(sql, key)
        if row is None:
            raise NotFound(f"There is no meeting {key}; calendar_list shows your meetings.")
        return self._read(row)

    def _many(self, sql: str, *values: str) -> list[Meeting]:
        return [self._read(row) for row in self._tx.rows(sql, *values)]

    def _read(self, row: sqlite3.Row) -> Meeting:
        invited = self._tx.rows(
            "SELECT person, answer, answered, arrived FROM invitation WHERE meeting = ?"
            " ORDER BY position",
            row["id"],
        )
        columns = {name: row[name] for name in Meeting.model_fields if name != "invitations"}
        return Meeting(**columns, invitations=tuple(Invitation(**part) for part in invited))
