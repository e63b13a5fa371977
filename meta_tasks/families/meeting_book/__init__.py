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

from trainee_bench.meta_tasks.families.meeting_book.answers import ColleagueAnswer, draw_answers
from trainee_bench.meta_tasks.families.meeting_book.hints import hints
from trainee_bench.meta_tasks.families.meeting_book.oracle import set_up_meeting
from trainee_bench.meta_tasks.families.meeting_book.participants import (
    MeetingKind,
    Participants,
    available_people,
    draw_participants,
)
from trainee_bench.meta_tasks.families.meeting_book.prompts import objective_text
from trainee_bench.meta_tasks.families.meeting_book.rooms import (
    OFTEN_TAKEN,
    room_list,
    room_list_path,
    smallest_rooms,
)
from trainee_bench.meta_tasks.families.meeting_book.scheduling import (
    NOTICE_BEFORE_START,
    MeetingSlot,
    StartShift,
    draw_meeting_slot,
    draw_shifts,
)
from trainee_bench.meta_tasks.families.meeting_book.upstream_guest import (
    find_upstream_guest,
    guest_phrase,
)
from trainee_bench.meta_tasks.families.meeting_book.variants import SOLVER_VARIANTS
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    MetaTask,
    PlannedEvent,
    Rule,
    SolverVariant,
    TaskInstance,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.task_context import OutputType, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.meetings.meeting import Meeting


@dataclass(frozen=True)
class MeetingBookTruth:
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

    def candidates(self, grading: GradingContext[MeetingBookTruth]) -> list[Meeting]:
        """What the employee has booked, and not cancelled, within the window."""
        first, last = self.window
        own = Calendar(grading.tx).booked_by(grading.employee)
        return [meeting for meeting in own if meeting.starts < last and first < meeting.ends]

    def booking(self, grading: GradingContext[MeetingBookTruth]) -> Meeting | None:
        """Of these the one at the right time."""
        when = (self.starts, self.ends)
        found = (m for m in self.candidates(grading) if (m.starts, m.ends) == when)
        return next(found, None)

    def has_right_guests(self, meeting: Meeting) -> bool:
        """Whether exactly those are invited who should be."""
        return set(meeting.attendees) == self.comes | self.named


class PublishedMeetingBook(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_type: Literal["manager", "department"]
    start_time: datetime
    last_time: float
    conflict_nums: Literal[1, 2, 3]


class MeetingBook(MetaTask[MeetingBookTruth]):
    """A meeting that the trainee sets up.

    ``tally_day`` is how many do not come (manager, department), how many need something in the
    room (capacity), how often the start changes (moved). ``starts``, ``hours`` and
    ``department`` may be fixed by a scenario.
    """

    family: ClassVar[str] = "meeting_book"
    domain: ClassVar[Domain] = Domain.TIME
    input_type: ClassVar[OutputType | None] = OutputType.PERSON
    published_name: ClassVar[str] = "Meeting Book"

    kind: MeetingKind
    count: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)
    department: Literal["Marketing", "Product"] | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Four kinds by three counts; asking the managers is easy."""
        counts: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = [cls(kind=kind, count=count) for kind in MeetingKind for count in counts]
        easy = MeetingKind.MANAGER
        return tuple(
            Rule(one.rule_id, Difficulty.EASY if one.kind is easy else Difficulty.HARD, one)
            for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``meeting_book.department.c2``."""
        return f"{self.family}.{self.kind}.c{self.count}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> MeetingBook:
        """The meeting an entry of the original's files means, at its time. Raises ValueError."""
        entry = PublishedMeetingBook.model_validate(arguments)
        department = MeetingKind.DEPARTMENT.value == entry.task_type
        return cls(
            kind=MeetingKind(entry.task_type),
            count=entry.conflict_nums,
            starts=entry.start_time.time(),
            hours=entry.last_time,
            department="Marketing" if department else None,
        )

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[MeetingBookTruth]:
        """People with an answer each, and perhaps messages that come by themselves."""
        moves = self.count - 1 if self.kind is MeetingKind.MOVED else None
        slot = draw_meeting_slot(context, self.starts, self.hours, moves)
        party = draw_participants(context, self.kind, self.count, self.department)
        shifts = draw_shifts(context, moves or 0)
        events = [_shifted(context, party, slot, shift) for shift in shifts]
        other = None
        if self.kind is MeetingKind.CAPACITY:
            other = _other_meeting(context, party, slot)
            events += [PlannedEvent(other), *_list_of_rooms(context)]
        busy = (other.organizer, *other.attendees) if other else ()
        answers = draw_answers(context, self.kind, party, slot, self.count, busy)
        return TaskInstance(
            title=f"Meeting {slot.code}, {slot.subject}, {slot.starts:%H:%M}",
            objective=objective_text(self.kind, party, slot, guest_phrase(context)),
            truth=compute_truth(context, party, slot, answers, shifts, other),
            hints=hints(self.kind),
            clues=tuple(answer.clue for answer in answers),
            events=tuple(events),
            requester=party.host.id,
            must_know_by=slot.starts - NOTICE_BEFORE_START,
        )

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Ask, book, attend."""
        await set_up_meeting(client)

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Other ways to book the meeting."""
        return SOLVER_VARIANTS

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
    def coming_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Precision and recall over those asked."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        if meeting is None:
            return _missing(grading)
        return _compared(set(meeting.attendees) & truth.asked, truth.comes, "of those to ask")

    @checkpoint(
        "Beside them, exactly the colleagues they have named are invited",
        weight=2,
        where="In the same answers: each may name somebody to come along or in their place.",
        how="Go through the answers once more and take each colleague who is named.",
    )
    def named_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Precision and recall over all others."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        if meeting is None:
            return _missing(grading)
        return _compared(set(meeting.attendees) - truth.asked, truth.named, "others")

    @checkpoint(
        "Exactly those who were asked and the colleagues they have named are invited",
        weight=2,
        where="In the answers of those you were to ask.",
        how="Ask each of them, and invite them and whom they name, nobody else.",
    )
    def guests_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Precision and recall over all; of a meeting that moves, at whatever time, in each
        booking there is: who books one for every guess has guessed."""
        truth = grading.truth
        found = truth.candidates(grading)
        if self.kind is not MeetingKind.MOVED:
            found = [meeting for meeting in found if meeting == truth.booking(grading)]
        if not found:
            return _missing(grading)
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
    def room_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """A room among the smallest that fit, asked together with the guests."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        if meeting is None:
            return _missing(grading)
        right = meeting.room in truth.rooms and truth.has_right_guests(meeting)
        return Verdict(right, f"it is in {meeting.room}, with {len(meeting.attendees)} invited")

    @checkpoint(
        "With exactly these guests, the meeting is booked for its last time, and for no other",
        weight=2,
        where="In the answers (one of them may need another start) and in later messages.",
        how="Begin with the start that those you asked need, add every shift that was written to "
        "you, keep the length, and cancel what you booked before.",
    )
    def time_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Start and end to the minute, asked together with the guests."""
        truth, found = grading.truth, grading.truth.candidates(grading)
        meeting = truth.booking(grading)
        right = meeting is not None and len(found) == 1 and truth.has_right_guests(meeting)
        said = ", ".join(f"{m.starts:%H:%M}-{m.ends:%H:%M}" for m in found) or "nothing"
        return Verdict(right, f"booked: {said}")

    @checkpoint(
        "Everybody had answered before the meeting was booked",
        weight=0.5,
        where="In the chat: your questions, and when they were answered.",
        how="Send all questions early, wait for every answer, and book only then.",
    )
    def asked_first(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Every answer was given before the booking that counts."""
        meeting = grading.truth.booking(grading)
        if meeting is None:
            return _missing(grading)
        given = [grading.clue_released_at(clue) for clue in grading.truth.clues]
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
    def punctual(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """By the calendar's record, within five minutes of the start on both sides."""
        meeting = grading.truth.booking(grading)
        if meeting is None:
            return _missing(grading)
        came = Calendar(grading.tx).attendance(grading.employee, meeting.id)
        if came is None:
            return Verdict(False, "you were not in the meeting")
        return Verdict(
            came.on_time, f"you came at {came.arrived:%H:%M}; it began at {meeting.starts:%H:%M}"
        )


_OUTCOMES: Mapping[MeetingKind, tuple[str, str]] = {
    MeetingKind.MANAGER: ("coming_right", "named_right"),
    MeetingKind.DEPARTMENT: ("coming_right", "named_right"),
    MeetingKind.CAPACITY: ("guests_right", "room_right"),
    MeetingKind.MOVED: ("guests_right", "time_right"),
}


def _missing(grading: GradingContext[MeetingBookTruth]) -> Verdict:
    booked = Calendar(grading.tx).booked_by(grading.employee)
    said = ", ".join(f"{meeting.starts:%H:%M}-{meeting.ends:%H:%M}" for meeting in booked)
    return Verdict(False, f"no meeting of yours is at the right time; booked: {said or 'nothing'}")


def _compared(invited: set[str], right: frozenset[str], what: str) -> Verdict:
    """Whether exactly the right ones are invited; how they differ is said without names."""
    seen = [f"{len(invited)} {what} are invited"]
    seen += ["somebody should not be"] if invited - right else []
    seen += ["somebody is missing"] if right - invited else []
    return Verdict(invited == right, "; ".join(seen))


# how it is made -------------------------------------------------------------------------


def compute_truth(
    context: TaskContext,
    party: Participants,
    slot: MeetingSlot,
    answers: tuple[ColleagueAnswer, ...],
    shifts: tuple[StartShift, ...],
    other: MeetingBooked | None,
) -> MeetingBookTruth:
    """What follows from all answers and messages."""
    said = [answer.said for answer in answers]
    later = timedelta(minutes=sum(s.later for s in said) + sum(s.minutes for s in shifts))
    comes = frozenset(answer.about.id for answer in answers if answer.said.comes)
    comes |= {person.id for one in said for person in one.others}
    named = frozenset(context.company.person(name).id for one in said for name in one.named)
    named |= find_upstream_guest(context, party, other, named)
    rooms: tuple[str, ...] = ()
    if other is not None:
        seats = 1 + len(comes) + len(named) + sum(one.visitors for one in said)
        rooms = smallest_rooms(seats, {one.need for one in said if one.need}, (other.room,))
    return MeetingBookTruth(
        starts=slot.starts + later,
        ends=slot.ends + later,
        window=slot.window,
        asked=frozenset(person.id for person in party.asked),
        comes=comes,
        named=named,
        clues=tuple(answer.name for answer in answers),
        rooms=rooms,
    )


def _shifted(
    context: TaskContext, party: Participants, slot: MeetingSlot, shift: StartShift
) -> PlannedEvent:
    """The message that the start is put off."""
    text = (
        f"About meeting {slot.code}: please put it off by {shift.minutes} minutes. Everything else "
        "stays as it is."
    )
    message = MessageArrives(sender=party.host.id, to=context.employee.id, text=text)
    return PlannedEvent(message, shift.at)


def _other_meeting(context: TaskContext, party: Participants, slot: MeetingSlot) -> MeetingBooked:
    """Somebody else's meeting, which takes one of the rooms."""
    involved = {person.id for person in (*party.asked, party.host)}
    others = [person for person in available_people(context) if person.id not in involved]
    organizer, *guests = context.pick("others", others, 3)
    return MeetingBooked(
        key=context.clue_id("others"),
        organizer=organizer.id,
        attendees=tuple(guest.id for guest in guests),
        room=context.stream("taken room").choice(OFTEN_TAKEN),
        starts=slot.starts,
        ends=slot.ends,
        title="Weekly talk",
    )


def _list_of_rooms(context: TaskContext) -> tuple[PlannedEvent, ...]:
    path = room_list_path(context)
    return (PlannedEvent(FileAppears(path=path, text=room_list())),) if path else ()
