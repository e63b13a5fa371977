"""Meetings to set up: ask everybody first, book for exactly those who come, and attend.

Told: the time, the people to ask, and the meeting's code. Hidden, and known to each person alone:
whether they come, and whom to invite as well or instead. Some kinds of meeting hide more:

- department: the manager's decision about the people who refer to them
- capacity: the number of visitors, and the equipment that the room must have
- moved: the time at which an indispensable person is free; later shifts arrive as messages
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import ClassVar, Literal

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CompositionError,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    OutputType,
    PlannedEvent,
    PublishedEntry,
    Rule,
    SolverVariant,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    choose_checkpoints,
    rules_of,
    were_told,
)
from trainee_bench.meta_tasks.authoring.meetings import punctuality, was_on_time
from trainee_bench.meta_tasks.families.meeting_book import data, work
from trainee_bench.meta_tasks.families.meeting_book.brief import (
    BACKGROUND,
    HINTS,
    OBJECTIVE,
    SHIFT_MESSAGE,
    MeetingBookBrief,
)
from trainee_bench.meta_tasks.families.meeting_book.data import Answers, draw_answers
from trainee_bench.meta_tasks.families.meeting_book.deliverables import MeetingBookTruth, hours_of
from trainee_bench.meta_tasks.families.meeting_book.subject import (
    LAST_SHIFT,
    ROOM_LIST_PATH,
    MeetingKind,
    MeetingSlot,
    Participants,
    StartShift,
)
from trainee_bench.meta_tasks.families.meeting_book.work import SOLVER_VARIANTS, BookingPlan
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.meetings.rooms import ROOMS

_OUTCOMES: Mapping[MeetingKind, tuple[str, str]] = {
    MeetingKind.MANAGER: ("coming_right", "named_right"),
    MeetingKind.DEPARTMENT: ("coming_right", "named_right"),
    MeetingKind.CAPACITY: ("guests_right", "room_right"),
    MeetingKind.MOVED: ("guests_right", "time_right"),
}


class PublishedMeetingBook(PublishedEntry):
    """An entry's arguments in the original's files."""

    task_type: Literal["manager", "department"]
    start_time: datetime
    last_time: float
    conflict_nums: Literal[1, 2, 3]

    def parameters(self) -> Mapping[str, object]:
        """The parameters of this meeting, with its time."""
        return {
            "kind": self.task_type,
            "count": self.conflict_nums,
            "starts": self.start_time.time(),
            "hours": self.last_time,
            "department": "Marketing" if self.task_type == "department" else None,
        }


class MeetingBook(MetaTask[MeetingBookTruth]):
    """Set up a meeting: find a time and a room, and invite the people.

    ``count`` is the number of people who do not come (manager, department), of people who need
    something in the room (capacity), or of changes to the start (moved). A scenario may fix
    ``starts``, ``hours`` and ``department``.
    """

    family = "meeting_book"
    domain = Domain.TIME
    keeps_appointment = True
    input_type = OutputType.PERSON
    revises_input = True
    published_name = "Meeting Book"
    published_entry = PublishedMeetingBook

    # parameters ---------------------------------------------------------------------------

    kind: MeetingKind
    count: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)
    department: Literal["Marketing", "Product"] | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Four kinds by three counts; only asking the managers is easy."""
        counts: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = (cls(kind=kind, count=count) for kind in MeetingKind for count in counts)
        return rules_of(made, hard=lambda rule: rule.kind is not MeetingKind.MANAGER)

    @property
    def rule_id(self) -> str:
        """The rule's id, such as ``meeting_book.department.c2``."""
        return f"{self.family}.{self.kind}.c{self.count}"

    # objective and clues --------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[MeetingBookTruth]:
        """Create people with one answer each, and perhaps messages from the host.

        Raises CompositionError for a company with other rooms than the built-in ones, since only
        these have known equipment.
        """
        if context.rooms is not ROOMS:
            raise CompositionError(
                f"{self.rule_id} books rooms by their equipment, which only the built-in company "
                "has; leave it out of a day in your own office"
            )
        moves = self.count - 1 if self.kind is MeetingKind.MOVED else None
        slot = data.draw_meeting_slot(context, self.starts, self.hours, moves)
        party = data.draw_participants(context, self.kind, self.count, self.department)
        shifts, other = data.draw_shifts(context, slot.code, moves or 0), None
        events = [_shifted(context, party.host.id, shift) for shift in shifts]
        if self.kind is MeetingKind.CAPACITY:
            other = data.draw_other_meeting(context, party, slot)
            events.append(PlannedEvent(other))
            path = context.share_path(ROOM_LIST_PATH)
            events.append(PlannedEvent(FileAppears(path=path, text=data.room_list(), once=True)))
        busy = (other.organizer, *other.attendees) if other else ()
        answers = draw_answers(context, self.kind, party, slot, self.count, busy)
        brief = MeetingBookBrief(
            code=slot.code,
            subject=slot.subject,
            day=slot.starts.date(),
            starts=slot.starts.time(),
            ends=slot.ends.time(),
            to_ask=party.words,
            kind=self.kind,
            guest=context.task_input,
            delayed_by=party.host.name if shifts else None,
        )
        return TaskInstance(
            ToldPart(
                title=f"Set up meeting {slot.code} ({slot.subject}), {slot.starts:%H:%M}",
                objective=OBJECTIVE.render(brief),
                hints=HINTS[self.kind],
                requester=party.host.id,
                must_know_by=slot.starts - data.NOTICE_BEFORE_START,
                settled_from=datetime.combine(slot.starts, LAST_SHIFT) if shifts else None,
            ),
            HiddenPart(clues=answers.clues, events=tuple(events)),
            GradedPart(
                truth=compute_truth(context, party, slot, answers, shifts, other),
                background=BACKGROUND,
            ),
        )

    shortcut: ClassVar[Shortcut] = staticmethod(work.invite_unasked)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Other ways to book the meeting."""
        return SOLVER_VARIANTS

    # checkpoints --------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this kind, which count once everybody has answered, and the process."""
        first, last = _OUTCOMES[self.kind]
        process = {"answered": first, "asked_first": first, "punctual": last}
        return choose_checkpoints(MeetingBook, (first, last), process, only_after="answered")

    @checkpoint(
        "All of the people to ask who are coming are invited, and none of the others",
        weight=2,
        where="In their answers, and in the answer of the person who decides about them.",
        how="Ask each of them, leave out those who are not coming, and invite all others.",
    )
    def coming_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Compare the invited people among those to ask, both ways."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        return _compared(set(meeting.attendees) & truth.asked, truth.comes, "of the people to ask")

    @checkpoint(
        "Besides them, exactly the colleagues they named are invited",
        weight=2,
        where="In the same answers: each may name a colleague to bring along or to send instead.",
        how="Go through the answers again and invite every colleague who is named.",
    )
    def named_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Compare all other invited people, both ways."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        return _compared(set(meeting.attendees) - truth.asked, truth.named, "others")

    @checkpoint(
        "Exactly the people to ask and the colleagues they named are invited",
        weight=2,
        where="In the answers of the people to ask.",
        how="Ask each of them; invite them and the colleagues they name, and nobody else.",
    )
    def guests_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Compare all guests, both ways.

        If the meeting moves, every booking at any time needs the right guests, so that one booking
        per guess earns nothing.
        """
        truth = grading.truth
        found = truth.candidates(grading) if self.kind is MeetingKind.MOVED else []
        found = found or [truth.booking(grading)]
        right = all(truth.has_right_guests(meeting) for meeting in found)
        invited = ", ".join(f"{len(meeting.attendees)}" for meeting in found)
        return Verdict(
            right, f"{invited} people are invited{'' if right else ', but not exactly these'}"
        )

    @checkpoint(
        "With exactly these guests, the meeting is in the smallest free room that has enough seats "
        "and everything needed",
        weight=2,
        where="The answers say how many visitors come and what the room must have. The list of "
        "rooms on the drive says what each room has, and the calendar says which rooms are free.",
        how="Count yourself, everyone invited and all visitors. Leave out rooms that are taken or "
        "too small, or that lack something. Take the smallest room that is left.",
    )
    def room_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Check that the room is one of the smallest that fit, and that the guests are right."""
        meeting, truth = grading.truth.booking(grading), grading.truth
        right = meeting.room in truth.rooms and truth.has_right_guests(meeting)
        return Verdict(right, f"it is in {meeting.room}, with {len(meeting.attendees)} invited")

    @checkpoint(
        "With exactly these guests, the meeting is booked at its final time, and at no other",
        weight=2,
        where="In the answers (one person may need a different start) and in later messages.",
        how="Begin with the start that the people you asked need, and add every delay that "
        "somebody wrote to you. Keep the length, and cancel your earlier bookings.",
    )
    def time_right(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Check start and end to the minute, and that the guests are right."""
        truth, found = grading.truth, grading.truth.candidates(grading)
        hours = [(meeting.starts, meeting.ends) for meeting in found]
        right = hours == [(truth.starts, truth.ends)] and truth.has_right_guests(found[0])
        return Verdict(right, f"booked: {hours_of(found)}")

    @checkpoint(
        "Everybody whose answer counts has answered you",
        weight=0.25,
        where="The chat has your questions and the answers.",
        how="Write to each of the people to ask. If some of them leave it to another person, ask "
        "that person about them, too.",
    )
    def answered(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Check that every answer was given."""
        return were_told(grading, grading.truth.clues, "answers were given to you")

    @checkpoint(
        "Everybody had answered before the meeting was booked",
        weight=0.25,
        where="The chat shows your questions, and when they were answered.",
        how="Send all questions early, wait for every answer, and only then book.",
    )
    def asked_first(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Check that every answer was given before the booking that counts."""
        meeting = grading.truth.booking(grading)
        given = [grading.clue_released_at(clue) for clue in grading.truth.clues]
        early = sum(at is not None and at <= meeting.booked_at for at in given)
        seen = f"booked at {meeting.booked_at:%H:%M}, after {early} answers"
        return Verdict(early == len(given), seen)

    @punctuality(weight=0.5)
    def punctual(self, grading: GradingContext[MeetingBookTruth]) -> Verdict:
        """Check the calendar's record: at most five minutes before or after the start."""
        return was_on_time(grading, grading.truth.booking(grading))


def _compared(invited: set[str], right: frozenset[str], what: str) -> Verdict:
    """Check that exactly the right people are invited; the verdict names nobody."""
    seen = [f"{len(invited)} {what} are invited"]
    seen += ["somebody should not be"] if invited - right else []
    seen += ["somebody is missing"] if right - invited else []
    return Verdict(invited == right, "; ".join(seen))


# the truth ------------------------------------------------------------------------------------


def compute_truth(
    context: TaskContext,
    party: Participants,
    slot: MeetingSlot,
    answers: Answers,
    shifts: Sequence[StartShift],
    other: MeetingBooked | None,
) -> MeetingBookTruth:
    """Compute the right booking from all answers and messages."""
    plan = BookingPlan(slot.starts, slot.ends)
    plan.add(answers.said, answers.decided)
    plan.begin(plan.starts + timedelta(minutes=sum(shift.minutes for shift in shifts)))
    asked = frozenset(person.id for person in party.asked)
    guests = frozenset(context.company.person(guest).id for guest in plan.guests)
    if context.task_input is not None:
        guest = context.task_input.person
        if guest in asked | guests | ({other.organizer, *other.attendees} if other else set()):
            raise CompositionError(
                f"the person that {context.task_input.task} finds already has a part in "
                f"{context.task}; use another seed"
            )
        plan.guests.append(guest)
        guests |= {guest}
    return MeetingBookTruth(
        starts=plan.starts,
        ends=plan.ends,
        window=slot.window,
        asked=asked,
        comes=guests & asked,
        named=guests - asked,
        clues=tuple(clue.id.partition("/")[2] for clue in answers.clues),
        rooms=data.smallest_rooms(plan.seats, plan.needs, (other.room,)) if other else (),
    )


def _shifted(context: TaskContext, sender: str, shift: StartShift) -> PlannedEvent:
    text = SHIFT_MESSAGE.render(shift)
    return PlannedEvent(MessageArrives(sender=sender, to=context.employee.id, text=text), shift.at)
