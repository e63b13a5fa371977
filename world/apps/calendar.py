"""The calendar: booking rooms, inviting, answering, attending, and when people are busy.

Colleagues answer invitations in their own time (`invitations`).

A meeting's content is stored when it is booked, but people get it only by `Calendar.attend`. Times
are naive, in whole minutes, and stored in one format.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from pydantic import NaiveDatetime

from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.meetings import store
from trainee_bench.world.meetings.invitations import answer_time, enqueue_reminder, excuse, obstacle
from trainee_bench.world.meetings.meeting import (
    ON_TIME_GRACE,
    Booking,
    BusySpan,
    InvitationStatus,
    Meeting,
    MeetingAttendance,
    MeetingContent,
)
from trainee_bench.world.meetings.rooms import (
    check_times,
    company_rooms,
    room_capacity,
)
from trainee_bench.world.meetings.store import MeetingStore
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

SCHEMA = store.SCHEMA


class Calendar:
    """The company's calendar within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx
        self._ledger = MeetingStore(tx)

    # reading ------------------------------------------------------------------------------

    def meeting(self, id: int) -> Meeting:
        """Return the meeting with this id. Raises NotFound."""
        return self._ledger.meeting(id)

    def meeting_by_key(self, key: str) -> Meeting:
        """Return the meeting that a scenario staged as *key*. Raises NotFound."""
        return self._ledger.meeting_by_key(key)

    def own_meeting(self, id: int) -> Meeting:
        """Return a meeting that the actor organizes or is invited to. Raises NotFound, with the
        same text for another person's meeting and for none."""
        try:
            meeting = self._ledger.meeting(id)
        except NotFound:
            meeting = None
        if meeting is None or meeting.invitation(self._tx.actor) is None:
            raise NotFound(f"You have no meeting {id}; calendar_list shows your meetings.")
        return meeting

    def meetings_of(self, person: str, first: date, last: date | None = None) -> list[Meeting]:
        """Return the meetings that *person* organizes or is invited to, even cancelled ones, by
        start: from the day *first* to the day *last*, or without an end."""
        return self._ledger.meetings_of(person, first, last)

    def booked_by(self, person: str) -> list[Meeting]:
        """Return all meetings that *person* has booked and not cancelled, by start."""
        return self._ledger.booked_by(person)

    def ever_booked_by(self, person: str) -> list[Meeting]:
        """Return all meetings that *person* has booked, even cancelled ones, in the order of
        booking."""
        return self._ledger.ever_booked_by(person)

    def attendance(self, person: str, meeting: int) -> MeetingAttendance | None:
        """Return when *person* came to the meeting, None if they have not come. Raises NotFound."""
        found = self._ledger.meeting(meeting)
        part = found.invitation(person)
        return (
            MeetingAttendance.from_arrival(found, part.arrived) if part and part.arrived else None
        )

    def meeting_content(self, person: str, meeting: int) -> MeetingContent | None:
        """Return the meeting's content, None if *person* was not there. Raises NotFound."""
        if self.attendance(person, meeting) is None:
            return None
        return self._ledger.meeting_content(meeting)

    def free_rooms(self, starts: datetime, ends: datetime, people: int = 1) -> tuple[str, ...]:
        """Return rooms with seats for *people*, free from *starts* to *ends*, smallest first.
        Raises Invalid or Refused for times at which no meeting can be held."""
        check_times(starts, ends, self._tx.now)
        return self._ledger.fitting_rooms(people, starts, ends)

    def busy(self, person: str, day: date) -> tuple[BusySpan, ...]:
        """Return when the calendar of *person* is busy on *day*.

        Adjoining meetings are merged, so that not even their number shows. Declined invitations do
        not count. Duties outside the calendar are missing: only the person can say whether they can
        come.
        """
        spans: list[BusySpan] = []
        for meeting in self.meetings_of(person, day, day):
            part = meeting.invitation(person)
            if meeting.cancelled or part is None or part.answer is InvitationStatus.DECLINED:
                continue
            if spans and meeting.starts <= spans[-1].ends:
                longest = max(spans[-1].ends, meeting.ends)
                spans[-1] = BusySpan(starts=spans[-1].starts, ends=longest)
            else:
                spans.append(BusySpan(starts=meeting.starts, ends=meeting.ends))
        return tuple(spans)

    # actions of the actor -------------------------------------------------------------------

    def book(
        self,
        title: str,
        room: str,
        starts: datetime,
        ends: datetime,
        attendees: Sequence[str],
        agenda: str = "",
    ) -> Meeting:
        """Book a room for the actor and *attendees* (ids, names or addresses), and invite them.

        Raises Invalid for impossible times or no title, NotFound for an unknown room or person.
        Raises Refused if the time has passed, the room is too small or taken, or a person is busy.
        """
        if not title.strip():
            raise Invalid("A meeting needs a title that says what it is about.")
        check_times(starts, ends, self._tx.now)
        space = room_capacity(room, company_rooms(self._tx))
        directory = Directory(self._tx)
        found = dict.fromkeys(directory.find(who).id for who in attendees)
        invited = tuple(person for person in found if person != self._tx.actor)
        if len(invited) + 1 > space:
            raise Refused(
                f"{room} seats {space}, and you are {len(invited) + 1}; "
                "find a large enough room with calendar_find_rooms."
            )
        if room in self._ledger.taken_rooms(starts, ends):
            raise Refused(f"{room} is taken then; find a free room with calendar_find_rooms.")
        self._check_people(starts, ends, (self._tx.actor, *invited))
        meeting = self._enter(
            Booking(
                organizer=self._tx.actor,
                attendees=invited,
                room=room,
                starts=starts,
                ends=ends,
                title=" ".join(title.split()),
                agenda=agenda.strip(),
            )
        )
        self._await_answers(meeting)
        return meeting

    def cancel(self, id: int) -> Meeting:
        """Cancel a meeting that the actor booked and that has not begun. Raises NotFound,
        Refused."""
        meeting = self.own_meeting(id)
        if meeting.organizer != self._tx.actor:
            raise Refused(
                f"Only {meeting.organizer}, who booked meeting {id}, can cancel it; "
                "you can decline it with calendar_respond."
            )
        _check_alive(meeting)
        if meeting.starts <= self._tx.now:
            began = f"Meeting {id} began at {meeting.starts:%H:%M}, so it cannot be cancelled"
            raise Refused(f"{began}; write to the people invited in the chat.")
        return self._call_off(meeting)

    def respond(self, id: int, answer: InvitationStatus) -> Meeting:
        """Answer an invitation; the organizer is told. Raises NotFound, Invalid, Refused."""
        if answer not in (
            InvitationStatus.ACCEPTED,
            InvitationStatus.TENTATIVE,
            InvitationStatus.DECLINED,
        ):
            raise Invalid("Answer with accepted, tentative or declined.")
        meeting, actor = self.own_meeting(id), self._tx.actor
        if meeting.organizer == actor:
            raise Refused(f"Meeting {id} is your own; cancel it with calendar_cancel.")
        _check_alive(meeting)
        if meeting.ends <= self._tx.now:
            raise Refused(f"Meeting {id} ended at {meeting.ends:%H:%M}; no answer is needed now.")
        self._ledger.record_answer(id, actor, answer)
        text = f"{actor} answered {answer} to meeting {id} {meeting.title!r}."
        self._tx.notify(meeting.organizer, NoticeKind.MEETING, text)
        return self.meeting(id)

    def attend(self, id: int) -> tuple[MeetingAttendance, MeetingContent]:
        """Go to a meeting and stay until it ends; the action lasts until then.

        This is possible from five minutes before the start until the end. Late attendees still hear
        what is announced, and the lateness is recorded. Raises NotFound. Raises Refused if it is
        too early, or if the meeting is over, cancelled or already attended.
        """
        meeting, actor, now = self.own_meeting(id), self._tx.actor, self._tx.now
        _check_alive(meeting)
        if self.attendance(actor, id) is not None:
            raise Refused(
                f"You already attended meeting {id}; read the minutes with calendar_read_meeting."
            )
        if now < meeting.starts - ON_TIME_GRACE:
            opens = meeting.starts - ON_TIME_GRACE
            raise Refused(
                f"Meeting {id} begins on {meeting.starts:%Y-%m-%d} at {meeting.starts:%H:%M}, and "
                f"it is {now:%H:%M}. Come from {opens:%H:%M} on; you can wait with desk_wait."
            )
        if now >= meeting.ends:
            raise Refused(
                f"Meeting {id} ended at {meeting.ends:%H:%M}, and it is {now:%H:%M}; "
                f"ask {meeting.organizer} what was said."
            )
        self._ledger.record_arrival(id, actor)
        heard = self._ledger.meeting_content(id)
        for announcement in heard.announcements:
            if announcement.clue is not None:
                Knowledge(self._tx).record_disclosure(announcement.clue, actor, "meeting")
            if announcement.task is not None:
                Desk(self._tx).assign(announcement.task, announcement.text)
        self._tx.extend_until(meeting.ends)
        return MeetingAttendance.from_arrival(meeting, now), heard

    # staged actions of colleagues -----------------------------------------------------------

    def book_staged(self, booking: Booking, key: str) -> Meeting:
        """Enter a colleague's meeting as *key* and invite its attendees.

        If the employee has booked its room then, their meeting moves to another room, since nobody
        could know that the room would be needed. If another colleague has the room, this meeting
        gets the smallest other room that is large enough. Raises NotFound for unknown people,
        ValueError if no room is left.
        """
        directory = Directory(self._tx)
        people = [directory.person(who).id for who in (booking.organizer, *booking.attendees)]
        self._clear_room(booking.room, booking.starts, booking.ends)
        room = self._room_for(booking.room, booking.starts, booking.ends, len(people))
        return self._enter(booking.model_copy(update={"room": room}), key)

    def cancel_staged(self, key: str) -> Meeting:
        """Cancel a staged meeting and tell everyone invited. Raises NotFound."""
        return self._call_off(self.meeting_by_key(key))

    def move_staged(self, key: str, room: str, starts: datetime, ends: datetime) -> Meeting:
        """Move a staged meeting to another time or room, and tell everyone invited. Answers stay
        valid. Raises NotFound, and ValueError if no room is left."""
        meeting = self.meeting_by_key(key)
        self._clear_room(room, starts, ends)
        room = self._room_for(room, starts, ends, len(meeting.invitations), meeting.id)
        self._ledger.move(meeting.id, room, starts, ends)
        moved = self.meeting(meeting.id)
        self._tell(moved, f"Meeting {moved.id} {moved.title!r} was moved to {moved.when}.")
        enqueue_reminder(self._tx, moved)
        return moved

    # helpers --------------------------------------------------------------------------------

    def _room_for(
        self, room: str, starts: datetime, ends: datetime, people: int, besides: int = 0
    ) -> str:
        """Return *room* if it is free and large enough, else the smallest such room."""
        rooms = self._ledger.fitting_rooms(people, starts, ends, besides)
        if room in rooms:
            return room
        if not rooms:
            raise ValueError(f"no room for {people} people is free at {starts:%Y-%m-%d %H:%M}")
        return rooms[0]

    def _clear_room(self, room: str, starts: datetime, ends: datetime) -> None:
        """Move the employee's meetings in *room* at that time to the smallest other room that is
        large enough, or cancel those for which there is none."""
        for meeting in self._ledger.booked_by(self._tx.employee):
            overlaps = meeting.starts < ends and starts < meeting.ends
            if meeting.room != room or not overlaps:
                continue
            people, hours = len(meeting.invitations), (meeting.starts, meeting.ends)
            fitting = self._ledger.fitting_rooms(people, *hours, meeting.id)
            rooms = [other for other in fitting if other != room]
            what = f"meeting {meeting.id} {meeting.title!r}"
            if rooms:
                self._ledger.move(meeting.id, rooms[0], meeting.starts, meeting.ends)
                when = self.meeting(meeting.id).when
                text = f"Your {what} was moved to {when}: {room} is needed for something else."
            else:
                self._ledger.cancel(meeting.id)
                text = f"Cancelled: {what}. {room} is needed for something else, and no other room"
                text += " is free."
            for person in meeting.expected:
                self._tx.notify(person, NoticeKind.MEETING, text)

    def _check_people(self, starts: datetime, ends: datetime, people: Sequence[str]) -> None:
        """Raise Refused, naming them all, if any of *people* are busy then."""
        elsewhere = self._ledger.busy_people(starts, ends)
        busy = [
            "yours" if person == self._tx.actor else person
            for person in people
            if person in elsewhere
        ]
        if busy:
            raise Refused(
                f"These calendars are busy between {starts:%H:%M} and {ends:%H:%M}: "
                f"{', '.join(busy)}. Choose another time (calendar_find_busy) or leave them out."
            )

    def _enter(self, booking: Booking, key: str | None = None) -> Meeting:
        meeting = self._ledger.add_meeting(booking, key)
        invites = f"{meeting.organizer} invites you to meeting {meeting.id}"
        self._tell(meeting, f"{invites} {meeting.title!r}, {meeting.when}.")
        enqueue_reminder(self._tx, meeting)
        return meeting

    def _await_answers(self, meeting: Meeting) -> None:
        """Enqueue the answers of colleagues. The employee under test answers or not."""
        for person in meeting.attendees:
            answers = answer_time(self._tx, Directory(self._tx).person(person), meeting)
            if answers is not None and person != self._tx.employee:
                self._tx.enqueue(answers, InvitationAnswered(meeting=meeting.id, person=person))

    def _call_off(self, meeting: Meeting) -> Meeting:
        self._ledger.cancel(meeting.id)
        self._tell(meeting, f"Cancelled: meeting {meeting.id} {meeting.title!r}, {meeting.when}.")
        return self.meeting(meeting.id)

    def _tell(self, meeting: Meeting, text: str) -> None:
        """Notify everyone expected at the meeting, except the actor."""
        doer = self._tx.actor or meeting.organizer
        for person in meeting.expected:
            if person != doer:
                self._tx.notify(person, NoticeKind.MEETING, text)


def _check_alive(meeting: Meeting) -> None:
    if meeting.cancelled:
        raise Refused(f"Meeting {meeting.id} was cancelled; calendar_list shows the others.")


class MeetingBooked(Event, Booking):
    """A colleague books a meeting; *key* is its name in the scenario."""

    key: str

    def fire(self, tx: Transaction) -> None:
        """Enter the meeting and tell everyone invited."""
        Calendar(tx).book_staged(self, self.key)


class MeetingMoved(Event):
    """The staged meeting *key* moves to another time or room."""

    key: str
    room: str
    starts: NaiveDatetime
    ends: NaiveDatetime

    def fire(self, tx: Transaction) -> None:
        """Move the meeting and tell everyone invited."""
        Calendar(tx).move_staged(self.key, self.room, self.starts, self.ends)


class MeetingCancelled(Event):
    """The staged meeting *key* will not be held."""

    key: str

    def fire(self, tx: Transaction) -> None:
        """Cancel the meeting and tell everyone invited."""
        Calendar(tx).cancel_staged(self.key)


class InvitationAnswered(Event):
    """A colleague answers the invitation to a meeting."""

    meeting: int
    person: str

    def fire(self, tx: Transaction) -> None:
        """Accept, or decline and write why, unless the meeting was cancelled or has begun. An
        acceptance only shows in the calendar."""
        store = MeetingStore(tx)
        meeting, person = store.meeting(self.meeting), Directory(tx).person(self.person)
        if meeting.cancelled or meeting.starts <= tx.now:
            return
        why = obstacle(tx, person.id, meeting)
        answer = InvitationStatus.ACCEPTED if why is None else InvitationStatus.DECLINED
        store.record_answer(meeting.id, person.id, answer)
        if why is not None:
            Chat(tx).deliver(person.id, meeting.organizer, excuse(why, person, meeting))
