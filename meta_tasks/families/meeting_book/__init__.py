"""Meetings to be set up: ask everybody first, book for exactly those who come, be there.

Told: the interval, whom to ask, how the meeting is called. Hidden, in each head: whether one
comes, and whom else to invite or in one's place; of a department, what the manager decides
about those who refer to them; of a meeting with visitors, how many seats it takes and what must
stand in the room; of a meeting that moves, when somebody indispensable is free. Later shifts
reach the trainee as messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from meta_tasks.families.meeting_book.answers import Answer, draw_answers
from meta_tasks.families.meeting_book.guest import also_invited, found_guest
from meta_tasks.families.meeting_book.hints import hints
from meta_tasks.families.meeting_book.objective import describe
from meta_tasks.families.meeting_book.oracle import ask_book_attend
from meta_tasks.families.meeting_book.party import Kind, Party, gather, present
from meta_tasks.families.meeting_book.rooms import OFTEN_TAKEN, listed_at, room_list, smallest
from meta_tasks.families.meeting_book.slot import KNOWN_BEFORE, Shift, Slot, draw_shifts, draw_slot
from meta_tasks.families.meeting_book.variants import VARIANTS
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Checkpoint,
    Domain,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Variant,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from meta_tasks.stage import Port, Stage
from world.apps.calendar import Calendar, MeetingBooked
from world.apps.chat import MessageArrives
from world.apps.files import FileAppears
from world.meetings.meeting import Meeting


@dataclass(frozen=True)
class Booked:
    """The meeting as it is graded: when, with whom, in which rooms, and which answers it needs.

    ``asked`` are those who were to be asked, ``comes`` those of them who come, ``named`` whom
    else to invite, all ids; ``rooms`` is empty where any will do. In ``window`` there may be no
    other meeting of the employee's.
    """

    starts: datetime
    ends: datetime
    window: tuple[datetime, datetime]
    asked: frozenset[str]
    comes: frozenset[str]
    named: frozenset[str]
    clues: tuple[str, ...]
    rooms: tuple[str, ...] = ()

    def candidates(self, case: Case[Booked]) -> list[Meeting]:
        """What the employee has booked, and not cancelled, within the window."""
        first, last = self.window
        own = Calendar(case.turn).booked_by(case.employee)
        return [meeting for meeting in own if meeting.starts < last and first < meeting.ends]

    def booking(self, case: Case[Booked]) -> Meeting | None:
        """Of these the one at the right time."""
        when = (self.starts, self.ends)
        found = (m for m in self.candidates(case) if (m.starts, m.ends) == when)
        return next(found, None)

    def has_right_guests(self, meeting: Meeting) -> bool:
        """Whether exactly those are invited who should be."""
        return set(meeting.attendees) == self.comes | self.named


class _Published(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_type: Literal["manager", "department"]
    start_time: datetime
    last_time: float
    conflict_nums: Literal[1, 2, 3]


class MeetingBook(MetaTask[Booked]):
    """A meeting that the trainee sets up.

    ``count`` is how many do not come (manager, department), how many need something in the
    room (capacity), how often the start changes (moved). ``starts``, ``hours`` and
    ``department`` may be fixed by a scenario.
    """

    family: ClassVar[str] = "meeting_book"
    domain: ClassVar[Domain] = Domain.TIME
    takes: ClassVar[Port | None] = Port.PERSON
    published_name: ClassVar[str] = "Meeting Book"

    kind: Kind
    count: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)
    department: Literal["Marketing", "Product"] | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Four kinds by three counts; asking the managers is easy."""
        counts: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = [cls(kind=kind, count=count) for kind in Kind for count in counts]
        easy = Kind.MANAGER
        return tuple(
            Rule(one.rule_id, Label.EASY if one.kind is easy else Label.HARD, one) for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``meeting_book.department.c2``."""
        return f"{self.family}.{self.kind}.c{self.count}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> MeetingBook:
        """The meeting an entry of the original's files means, at its time. Raises ValueError."""
        entry = _Published.model_validate(arguments)
        department = Kind.DEPARTMENT.value == entry.task_type
        return cls(
            kind=Kind(entry.task_type),
            count=entry.conflict_nums,
            starts=entry.start_time.time(),
            hours=entry.last_time,
            department="Marketing" if department else None,
        )

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Booked]:
        """People with an answer each, and perhaps messages that come by themselves."""
        moves = self.count - 1 if self.kind is Kind.MOVED else None
        slot = draw_slot(stage, self.starts, self.hours, moves)
        party = gather(stage, self.kind, self.count, self.department)
        shifts = draw_shifts(stage, moves or 0)
        events = [_shifted(stage, party, slot, shift) for shift in shifts]
        other = None
        if self.kind is Kind.CAPACITY:
            other = _other_meeting(stage, party, slot)
            events += [Planned(other), *_list_of_rooms(stage)]
        busy = (other.organizer, *other.attendees) if other else ()
        answers = draw_answers(stage, self.kind, party, slot, self.count, busy)
        return Scene(
            title=f"Meeting {slot.code}, {slot.subject}, {slot.starts:%H:%M}",
            objective=describe(self.kind, party, slot, also_invited(stage)),
            truth=what_is_right(stage, party, slot, answers, shifts, other),
            hints=hints(self.kind),
            clues=tuple(answer.clue for answer in answers),
            events=tuple(events),
            requester=party.host.id,
            known_by=slot.starts - KNOWN_BEFORE,
        )

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Ask, book, attend."""
        await ask_book_attend(hands)

    @classmethod
    def variants(cls) -> tuple[Variant, ...]:
        """Other ways to book the meeting."""
        return VARIANTS

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this kind, and the process that led to them."""
        declared = {mark.name: mark for mark in declared_checkpoints(MeetingBook)}
        first, last = _OUTCOMES[self.kind]
        process = {"asked_first": first, "punctual": last}
        return (
            declared[first],
            declared[last],
            *(replace(declared[name], only_with=with_) for name, with_ in process.items()),
        )

    @checkpoint(
        "Of those who were to be asked, exactly those who come are invited to the meeting",
        weight=2,
        where="In their answers, and in those of whoever decides about them.",
        how="Ask each of them, leave out whoever does not come, and invite all others.",
    )
    def coming_right(self, case: Case[Booked]) -> Verdict:
        """Precision and recall over those asked."""
        meeting, truth = case.truth.booking(case), case.truth
        if meeting is None:
            return _missing(case)
        return _compared(set(meeting.attendees) & truth.asked, truth.comes, "of those to ask")

    @checkpoint(
        "Beside them, exactly the colleagues they have named are invited",
        weight=2,
        where="In the same answers: each may name somebody to come along or in their place.",
        how="Go through the answers once more and take each colleague who is named.",
    )
    def named_right(self, case: Case[Booked]) -> Verdict:
        """Precision and recall over all others."""
        meeting, truth = case.truth.booking(case), case.truth
        if meeting is None:
            return _missing(case)
        return _compared(set(meeting.attendees) - truth.asked, truth.named, "others")

    @checkpoint(
        "Exactly those who were asked and the colleagues they have named are invited",
        weight=2,
        where="In the answers of those you were to ask.",
        how="Ask each of them, and invite them and whom they name, nobody else.",
    )
    def guests_right(self, case: Case[Booked]) -> Verdict:
        """Precision and recall over all; of a meeting that moves, at whatever time, in each
        booking there is: who books one for every guess has guessed."""
        truth = case.truth
        found = truth.candidates(case)
        if self.kind is not Kind.MOVED:
            found = [meeting for meeting in found if meeting == truth.booking(case)]
        if not found:
            return _missing(case)
        right = all(truth.has_right_guests(meeting) for meeting in found)
        invited = ", ".join(f"{len(meeting.attendees)}" for meeting in found)
        return Verdict(right, f"{invited} people are invited{'' if right else ', not just these'}")

    @checkpoint(
        "With exactly these guests, the meeting is in the smallest free room that has all seats "
        "and all else that is needed",
        weight=2,
        where="The answers say how many visitors come and what the room must have; the list of "
        "rooms on the drive says what stands where, the calendar which are free.",
        how="Add up yourself, all invited and all visitors; leave out rooms that are taken, too "
        "small, or lack something; take the smallest that is left.",
    )
    def room_right(self, case: Case[Booked]) -> Verdict:
        """A room among the smallest that fit, asked together with the guests."""
        meeting, truth = case.truth.booking(case), case.truth
        if meeting is None:
            return _missing(case)
        right = meeting.room in truth.rooms and truth.has_right_guests(meeting)
        return Verdict(right, f"it is in {meeting.room}, with {len(meeting.attendees)} invited")

    @checkpoint(
        "With exactly these guests, the meeting is booked for its last time, and for no other",
        weight=2,
        where="In the answers (one of them may need another start) and in later messages.",
        how="Begin with the start that those you asked need, add every shift that was written to "
        "you, keep the length, and cancel what you booked before.",
    )
    def time_right(self, case: Case[Booked]) -> Verdict:
        """Start and end to the minute, asked together with the guests."""
        truth, found = case.truth, case.truth.candidates(case)
        meeting = truth.booking(case)
        right = meeting is not None and len(found) == 1 and truth.has_right_guests(meeting)
        said = ", ".join(f"{m.starts:%H:%M}-{m.ends:%H:%M}" for m in found) or "nothing"
        return Verdict(right, f"booked: {said}")

    @checkpoint(
        "Everybody had answered before the meeting was booked",
        weight=0.5,
        where="In the chat: your questions, and when they were answered.",
        how="Send all questions early, wait for every answer, and book only then.",
    )
    def asked_first(self, case: Case[Booked]) -> Verdict:
        """Every answer was given before the booking that counts."""
        meeting = case.truth.booking(case)
        if meeting is None:
            return _missing(case)
        given = [case.released(clue) for clue in case.truth.clues]
        early = sum(at is not None and at <= meeting.booked_at for at in given)
        seen = f"booked at {meeting.booked_at:%H:%M}, after {early} answers"
        return Verdict(early == len(given), seen)

    @checkpoint(
        "You were in the meeting on time",
        weight=0.5,
        where="In the calendar: the meeting's start, and when you came.",
        how="Wait until just before the start (desk_wait), then calendar_attend. More than five "
        "minutes early is refused, more than five minutes late is too late.",
    )
    def punctual(self, case: Case[Booked]) -> Verdict:
        """By the calendar's record, within five minutes of the start on both sides."""
        meeting = case.truth.booking(case)
        if meeting is None:
            return _missing(case)
        came = Calendar(case.turn).attendance(case.employee, meeting.id)
        if came is None:
            return Verdict(False, "you were not in the meeting")
        return Verdict(
            came.on_time, f"you came at {came.arrived:%H:%M}; it began at {meeting.starts:%H:%M}"
        )


_OUTCOMES: Mapping[Kind, tuple[str, str]] = {
    Kind.MANAGER: ("coming_right", "named_right"),
    Kind.DEPARTMENT: ("coming_right", "named_right"),
    Kind.CAPACITY: ("guests_right", "room_right"),
    Kind.MOVED: ("guests_right", "time_right"),
}


def _missing(case: Case[Booked]) -> Verdict:
    booked = Calendar(case.turn).booked_by(case.employee)
    said = ", ".join(f"{meeting.starts:%H:%M}-{meeting.ends:%H:%M}" for meeting in booked)
    return Verdict(False, f"no meeting of yours is at the right time; booked: {said or 'nothing'}")


def _compared(invited: set[str], right: frozenset[str], what: str) -> Verdict:
    """Whether exactly the right ones are invited; how they differ is said without names."""
    seen = [f"{len(invited)} {what} are invited"]
    seen += ["somebody should not be"] if invited - right else []
    seen += ["somebody is missing"] if right - invited else []
    return Verdict(invited == right, "; ".join(seen))


# how it is made -------------------------------------------------------------------------


def what_is_right(
    stage: Stage,
    party: Party,
    slot: Slot,
    answers: tuple[Answer, ...],
    shifts: tuple[Shift, ...],
    other: MeetingBooked | None,
) -> Booked:
    """What follows from all answers and messages."""
    said = [answer.said for answer in answers]
    later = timedelta(minutes=sum(s.later for s in said) + sum(s.minutes for s in shifts))
    comes = frozenset(answer.about.id for answer in answers if answer.said.comes)
    comes |= {person.id for one in said for person in one.others}
    named = frozenset(stage.company.person(name).id for one in said for name in one.named)
    named |= found_guest(stage, party, other, named)
    rooms: tuple[str, ...] = ()
    if other is not None:
        seats = 1 + len(comes) + len(named) + sum(one.visitors for one in said)
        rooms = smallest(seats, {one.need for one in said if one.need}, (other.room,))
    return Booked(
        starts=slot.starts + later,
        ends=slot.ends + later,
        window=slot.window,
        asked=frozenset(person.id for person in party.asked),
        comes=comes,
        named=named,
        clues=tuple(answer.name for answer in answers),
        rooms=rooms,
    )


def _shifted(stage: Stage, party: Party, slot: Slot, shift: Shift) -> Planned:
    """The message that the start is put off."""
    text = (
        f"About meeting {slot.code}: please put it off by {shift.minutes} minutes. Everything else "
        "stays as it is."
    )
    message = MessageArrives(sender=party.host.id, to=stage.employee.id, text=text)
    return Planned(message, shift.at)


def _other_meeting(stage: Stage, party: Party, slot: Slot) -> MeetingBooked:
    """Somebody else's meeting, which takes one of the rooms."""
    involved = {person.id for person in (*party.asked, party.host)}
    others = [person for person in present(stage) if person.id not in involved]
    organizer, *guests = stage.pick("others", others, 3)
    return MeetingBooked(
        key=stage.clue_id("others"),
        organizer=organizer.id,
        attendees=tuple(guest.id for guest in guests),
        room=stage.stream("taken room").choice(OFTEN_TAKEN),
        starts=slot.starts,
        ends=slot.ends,
        title="Weekly talk",
    )


def _list_of_rooms(stage: Stage) -> tuple[Planned, ...]:
    path = listed_at(stage)
    return (Planned(FileAppears(path=path, text=room_list())),) if path else ()
