"""The drawn parts of a meeting: people to ask, time, shifts, rooms, and answers.

Two things are hidden. The people with a reservation (a duty, other work, a need, a later hour) are
drawn once for everybody, so that their number is fixed. The rest of an answer, above all the
colleague to invite, comes from the secret of that answer alone. No two answers could name the same
colleague, so each answer is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from random import Random

from trainee_bench.meta_tasks.absences import present_employees, prompt_people
from trainee_bench.meta_tasks.authoring import CompositionError, Precondition, TaskContext, listed
from trainee_bench.meta_tasks.authoring.meetings import reserve_hours
from trainee_bench.meta_tasks.families.meeting_book.brief import (
    ASK_FIRST,
    COMING,
    REFERRING,
    Answer,
    AnswerKind,
    Decided,
    Decision,
    about,
    decision_fact,
)
from trainee_bench.meta_tasks.families.meeting_book.subject import (
    ALL_MANAGERS,
    NEEDS,
    MeetingKind,
    MeetingSlot,
    Participants,
    StartShift,
)
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.rooms import (
    LAST_MEETING_START,
    ROOMS,
    ROOMS_CLOSE,
    ROOMS_OPEN,
    fitting_rooms,
)

UNDECIDED_PEOPLE = 3
"""The number of people of a department who refer to their manager, as in the original."""
MAX_ASKED = 10
_LARGEST_TEAM = 8
_SMALL_GROUP = (3, 4)
_FEWEST_TO_NAME = 2
"""The least number of colleagues whom each of the people to ask could name."""

STARTS: Sequence[time] = (time(13), time(14, 30), time(15))
FALLBACK_STARTS: Sequence[time] = tuple(
    time(hour, minute) for hour in range(11, 17) for minute in (0, 30)
)
"""Starts that are used if other tasks of the day have taken the usual ones."""
MEETING_HOURS: Sequence[float] = (0.5, 1.0, 1.5, 2.0)
MOVING_STARTS = tuple(time(h, m) for h in range(13, 17) for m in range(0, 60, 5))
MOVING_HOURS = (0.5, 1.0)
ROOM_BEFORE, ROOM_AFTER = time(15, 5), time(15, 25)
"""A moving meeting uses only time from ROOM_BEFORE on, or only time until ROOM_AFTER.

So a second meeting fits on the same day.
"""
NOTICE_BEFORE_START = timedelta(hours=2)
"""The least time between the task and the start, since there are up to ten people to ask."""
_TIME_AFTER = timedelta(minutes=10)
START_DELAYS = (15, 20, 30, 40, 45)
"""Minutes by which an indispensable person needs the meeting to begin later."""
SHIFT_MINUTES = (5, 10, 15, 20)
_ROUNDS = ((time(10, 45), time(11, 30)), (time(11, 50), time(12, 35)))
"""The periods in which the first and the second shift are told."""
_SUBJECTS = (
    "office move", "open day", "winter outlook", "quality review", "idea contest", "house magazine",
    "library project", "summer review",
)  # fmt: skip

_CODE_LETTERS = "BDFHJKMPRTVW"

EQUIPMENT: Mapping[str, tuple[str, ...]] = {
    "Room_01": ("whiteboard wall",),
    "Room_02": ("video system",),
    "Room_03": ("whiteboard wall", "document camera"),
    "Room_04": ("video system", "hearing loop"),
    "Room_05": ("video system", "document camera"),
    "Room_06": ("video system", "whiteboard wall", "document camera"),
    "Room_07": ("video system", "whiteboard wall", "hearing loop", "sound system"),
    "Room_08": ("whiteboard wall", "hearing loop", "document camera", "sound system"),
    "Room_09": ("video system", "hearing loop", "document camera", "sound system"),
    "Room_10": NEEDS,
}
"""The equipment of each room; the largest has everything."""
OFTEN_TAKEN = ("Room_06", "Room_07", "Room_08")
"""Somebody else has booked one of these rooms at that time, which only the calendar shows."""


# people to ask ----------------------------------------------------------------------------


def draw_participants(
    context: TaskContext, kind: MeetingKind, least: int, department: str | None
) -> Participants:
    """Draw the people to ask; if they are managers, more than *least*.

    Raises CompositionError in a company that is too small.
    """
    if kind is MeetingKind.MANAGER:
        return _managers(context, least)
    if kind is MeetingKind.DEPARTMENT:
        return _department(context, department)
    (host,) = context.pick("host", context.company.staff(manager=True))
    present = prompt_people(context, present_employees(context))
    others = [person for person in present if person is not host]
    count = context.stream("size of the group").randint(*_SMALL_GROUP)
    asked = context.pick("asked", others, count)
    return Participants(asked, _names(asked), host)


def split_nominees(
    context: TaskContext, party: Participants, count: int, besides: Sequence[str] = ()
) -> list[list[str]]:
    """Deal out the names of people who are not asked to *count* lists, one for each answer.

    Each answer names a person from its own list, so no two name the same person. Raises
    CompositionError if there are too few people.
    """
    taken = {person.id for person in (*party.asked, party.host)} | set(besides)
    others = [person.name for person in present_employees(context) if person.id not in taken]
    if len(others) < _FEWEST_TO_NAME * count:
        raise CompositionError(
            f"{context.task}: the company is too small for a meeting whose {count} guests bring "
            "colleagues along; take a larger one"
        )
    context.stream("whom they may name").shuffle(others)
    return [others[place::count] for place in range(count)]


def _managers(context: TaskContext, least: int) -> Participants:
    (host,) = context.pick("host", context.company.staff(EXECUTIVE))
    managers = context.company.staff(manager=True)
    most = max(least + 1, min(MAX_ASKED, len(present_employees(context)) // (1 + _FEWEST_TO_NAME)))
    if len(managers) <= most:
        return Participants(managers, ALL_MANAGERS, host)
    asked = context.pick("asked", prompt_people(context, managers), most)
    return Participants(asked, _names(asked), host)


def _department(context: TaskContext, department: str | None) -> Participants:
    available = prompt_people(context, present_employees(context))
    teams = {
        manager: [person for person in available if person.manager == manager.id]
        for manager in prompt_people(context, context.company.staff(manager=True))
    }
    large = [pair for pair in teams.items() if len(pair[1]) > UNDECIDED_PEOPLE]
    usual = (department,) if department else ("Marketing", "Product")
    wanted = [pair for pair in large if pair[0].department in usual] or large
    if not wanted:
        raise CompositionError(
            f"{context.task} finds no team of more than {UNDECIDED_PEOPLE} people"
        )
    leader, team = context.stream("department").choice(wanted)
    asked = (leader, *team[:_LARGEST_TEAM])
    everybody = context.company.department(leader.department).people
    words = _names(asked)
    if everybody == asked:
        words = f"everybody in {leader.department}, including {leader.name}"
    return Participants(asked, words, leader, leader)


def _names(people: Sequence[Person]) -> str:
    return listed([person.name for person in people])


# time -------------------------------------------------------------------------------------


def draw_meeting_slot(
    context: TaskContext, start: time | None, hours: float | None, shifts: int | None = None
) -> MeetingSlot:
    """Draw code, subject and hours; *start* and *hours* may be fixed.

    With *shifts* the meeting moves, that often during the day. Raises CompositionError if other
    tasks have left no such hour before the deadline.
    """
    draws, slack, first = context.stream("hours"), timedelta(), ROOMS_OPEN
    usual, fallback, usual_hours = STARTS, FALLBACK_STARTS, MEETING_HOURS
    if shifts is not None:
        slack = timedelta(minutes=START_DELAYS[-1] + shifts * SHIFT_MINUTES[-1])
        usual, fallback, usual_hours = MOVING_STARTS, (), MOVING_HOURS
        first = usual[0]
    drawn = draws.sample(usual, len(usual))
    clocks = [start] if start else [*drawn, *fallback]
    lengths = [hours] if hours else draws.sample(usual_hours, len(usual_hours))
    earliest = max(context.arrives + NOTICE_BEFORE_START, _today(context, first))

    def in_time(minutes: int) -> list[datetime]:
        ends = min(_today(context, ROOMS_CLOSE), context.deadline - _TIME_AFTER)
        opens = _today(context, LAST_MEETING_START) - slack
        latest = min(ends - timedelta(minutes=minutes), opens)
        moments = [_today(context, clock) for clock in clocks]
        found = [moment for moment in moments if earliest <= moment <= latest]
        if shifts is None or start:
            return found
        before, after = _today(context, ROOM_BEFORE), _today(context, ROOM_AFTER)
        length = timedelta(minutes=minutes)
        return [moment for moment in found if moment >= before or moment + length <= after] or found

    minutes = [round(length * 60) + slack // timedelta(minutes=1) for length in lengths]
    _, begins, ends = reserve_hours(context, minutes, in_time)
    subject = context.stream("subject").choice(_SUBJECTS)
    return MeetingSlot(_code(context), subject, begins, ends - slack, (begins, ends))


def draw_shifts(context: TaskContext, code: str, count: int) -> tuple[StartShift, ...]:
    """Draw *count* shifts in the course of the morning, each early enough to book again."""
    draws = context.stream("shifts")
    found = []
    for first, last in _ROUNDS[:count]:
        earliest, latest = _today(context, first), _today(context, last)
        minutes = draws.randrange(0, (latest - earliest) // timedelta(minutes=1))
        at = earliest + timedelta(minutes=minutes)
        found.append(StartShift(code, draws.choice(SHIFT_MINUTES), at))
    return tuple(found)


def _today(context: TaskContext, clock: time) -> datetime:
    return datetime.combine(context.day.starts, clock)


def _code(context: TaskContext) -> str:
    """Draw a code whose letter no other meeting of the day has, so that they are not confused.
    Where tasks may be alike, there are too many meetings for that, and only the code is new."""
    draws, claims = context.stream("code"), context.reservations.claims
    while context.copies:
        code = f"{draws.choice(_CODE_LETTERS)}-{draws.randrange(200, 1_000)}"
        if context.claim_if_free(f"the meeting {code}"):
            return code
    letters = [f"meetings {letter}" for letter in draws.sample(_CODE_LETTERS, len(_CODE_LETTERS))]
    free = next(name for name in letters if claims.setdefault(name, context.task) == context.task)
    return f"{free[-1]}-{draws.randrange(200, 1_000)}"


# rooms ------------------------------------------------------------------------------------


def room_list() -> str:
    """The text of the list of rooms on the drive."""
    lines = [f"{room},{'; '.join(things)}\n" for room, things in EQUIPMENT.items()]
    return "".join(["room,equipment\n", *lines])


def smallest_rooms(seats: int, needs: Collection[str], taken: Collection[str]) -> tuple[str, ...]:
    """The smallest free rooms with enough *seats* and all *needs*; all have the same size."""
    rooms = [room for room in fitting_rooms(seats, taken) if set(needs) <= set(EQUIPMENT[room])]
    return tuple(room for room in rooms if ROOMS[room] == ROOMS[rooms[0]])


def draw_other_meeting(
    context: TaskContext, party: Participants, slot: MeetingSlot
) -> MeetingBooked:
    """Draw a meeting of other people, which takes one of the rooms."""
    involved = {person.id for person in (*party.asked, party.host)}
    others = [person for person in present_employees(context) if person.id not in involved]
    organizer, *guests = context.pick("others", others, 3)
    return MeetingBooked(
        key=context.clue_id("others"),
        organizer=organizer.id,
        attendees=tuple(guest.id for guest in guests),
        room=context.stream("taken room").choice(OFTEN_TAKEN),
        starts=slot.starts,
        ends=slot.ends,
        title="Weekly catch-up",
    )


# answers -------------------------------------------------------------------------------------

RESERVATIONS = "reservations"
"""The secret that draws the people with a reservation; no single clue tells it."""


_NOBODY_INSTEAD = 0.25


@dataclass(frozen=True)
class Answers:
    """The clues, the answers by the id of the person, and the manager's decisions."""

    clues: tuple[Clue, ...]
    said: Mapping[str, Answer]
    decided: tuple[Decided, ...] = ()


def draw_answers(
    context: TaskContext,
    kind: MeetingKind,
    party: Participants,
    slot: MeetingSlot,
    count: int,
    besides: Sequence[str] = (),
) -> Answers:
    """Draw all answers; *count* is the rule's. Nobody names one of *besides* (ids)."""
    leader, moves = party.leader, kind is MeetingKind.MOVED
    team = [person for person in party.asked if person is not leader]
    many = UNDECIDED_PEOPLE if leader else 1 if moves else count
    reserved = context.secret_stream(RESERVATIONS).sample(team, many)
    extra = UNDECIDED_PEOPLE if leader else 0
    named = split_nominees(context, party, len(party.asked) + extra, besides)
    clues, said = list[Clue](), dict[str, Answer]()
    for number, person in enumerate(party.asked, start=1):
        details = {"number": str(number), **about(slot)}
        draws = context.secret_stream(COMING[kind].clue_name(details))
        answer = _draw_answer(draws, kind, slot, named[number - 1], person in reserved)
        if leader and not answer.comes:
            wording = number % len(REFERRING)
            answer = replace(answer, decides=leader.name, wording=wording)
        clues.append(COMING[kind].clue(context, person, answer, details, keys=(slot.code,)))
        said[person.id] = answer
    if leader is None:
        return Answers(tuple(clues), said)
    referring = [person for person in team if person in reserved]
    fact = decision_fact([person.name for person in team])
    decided = _draw_decisions(
        context.secret_stream(fact.name), referring, named[-UNDECIDED_PEOPLE:], count
    )
    names = [f"answer_{party.asked.index(person) + 1}" for person in referring]
    clue = fact.clue(
        context,
        leader,
        Decision(slot.code, decided),
        {"code": slot.code},
        keys=(slot.code,),
        condition=Precondition(tuple(names), ASK_FIRST),
    )
    return Answers((*clues, clue), said, decided)


def _draw_answer(
    draws: Random, kind: MeetingKind, slot: MeetingSlot, own: Sequence[str], reserved: bool
) -> Answer:
    """Draw one person's answer, which may name a colleague from their *own* list."""
    comes = Answer(slot.code, AnswerKind.COMES, draws.choice(own))
    match kind:
        case MeetingKind.CAPACITY:
            visitors = draws.randint(1, 3)
            need = draws.choice(NEEDS) if reserved else ""
            return replace(comes, kind=AnswerKind.WITH_VISITORS, visitors=visitors, need=need)
        case MeetingKind.MOVED if reserved:
            begins = slot.starts + timedelta(minutes=draws.choice(START_DELAYS))
            return replace(comes, kind=AnswerKind.LATER, begins=begins.time())
        case MeetingKind.DEPARTMENT if reserved:
            return replace(comes, kind=AnswerKind.REFERS)
        case MeetingKind.MANAGER if reserved:
            if draws.random() < _NOBODY_INSTEAD:
                return Answer(slot.code, AnswerKind.STAYS_AWAY)
            return replace(comes, kind=AnswerKind.SENDS)
    return comes


def _draw_decisions(
    draws: Random, referring: Sequence[Person], named: Sequence[Sequence[str]], count: int
) -> tuple[Decided, ...]:
    """Draw the manager's decisions about the people who refer to them: all but *count* come."""
    dropped = draws.sample(referring, count)
    return tuple(
        Decided(person.name, person not in dropped, draws.choice(own))
        for person, own in zip(referring, named, strict=True)
    )
