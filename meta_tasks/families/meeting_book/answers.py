"""What each of those asked tells, and how one asks them.

Two things are hidden. Who has a reservation (a duty, other work, a need, a later hour) is drawn
once for all, so that just so many have one; everything else an answer tells, above all whom
somebody wants to have invited, comes from the secret of that answer alone. Every answer names
somebody whom no other answer could name, so none can be done without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle
from random import Random

from trainee_bench.meta_tasks.families.meeting_book.participants import (
    UNDECIDED_PEOPLE,
    MeetingKind,
    Participants,
    split_nominees,
)
from trainee_bench.meta_tasks.families.meeting_book.rooms import NEEDS
from trainee_bench.meta_tasks.families.meeting_book.scheduling import START_DELAYS, MeetingSlot
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

RESERVATIONS_CLUE = "reservations"
"""The secret that says who has a reservation; no clue tells it by itself."""
DECISION_CLUE = "decision"
MAX_VISITORS = 3
_NOBODY_INSTEAD = 0.25


@dataclass(frozen=True)
class AnswerContent:
    """What an answer says: whether who gives it comes, or who of others, whom else to invite
    (names), visitors from outside, what the room must have, how many minutes later the start
    has to be."""

    text: str
    comes: bool = True
    others: tuple[Person, ...] = ()
    named: tuple[str, ...] = ()
    visitors: int = 0
    need: str = ""
    later: int = 0


@dataclass(frozen=True)
class ColleagueAnswer:
    """Somebody's answer: the clue, its name, whose it is, what it says."""

    name: str
    clue: Clue
    about: Person
    said: AnswerContent


def draw_answers(
    context: TaskContext,
    kind: MeetingKind,
    party: Participants,
    slot: MeetingSlot,
    count: int,
    besides: Sequence[str] = (),
) -> tuple[ColleagueAnswer, ...]:
    """What everybody tells; *count* is the rule's. *besides* (ids) are named by nobody."""
    if party.leader is not None:
        return _of_a_department(context, party, party.leader, slot, count)
    named = split_nominees(context, party, len(party.asked), besides)
    reserved = context.secret_stream(RESERVATIONS_CLUE).sample(
        party.asked, 1 if kind is MeetingKind.MOVED else count
    )
    answers = []
    for number, (person, own) in enumerate(zip(party.asked, named, strict=True), start=1):
        draws = context.secret_stream(f"answer_{number}")
        match kind:
            case MeetingKind.CAPACITY:
                said = _with_visitors(draws, slot, own, person in reserved)
            case MeetingKind.MOVED:
                said = _at_another_time(draws, slot, own, person in reserved)
            case _:
                said = _on_duty(draws, slot, own, person in reserved)
        answers.append(_answer(context, slot, number, person, said, _MORE_ASKS.get(kind, ())))
    return tuple(answers)


def _of_a_department(
    context: TaskContext, party: Participants, leader: Person, slot: MeetingSlot, count: int
) -> tuple[ColleagueAnswer, ...]:
    """Some refer to their manager, who lets all of these come but *count*."""
    team = [person for person in party.asked if person is not leader]
    doubtful = context.secret_stream(RESERVATIONS_CLUE).sample(team, UNDECIDED_PEOPLE)
    named = split_nominees(context, party, len(party.asked) + UNDECIDED_PEOPLE)
    answers = []
    for number, (person, own) in enumerate(zip(party.asked, named, strict=False), start=1):
        whom = context.secret_stream(f"answer_{number}").choice(own)
        said = _coming(slot, whom)
        if person in doubtful:
            text = (
                f"{leader.name} has given me other work for that time and decides whether I come "
                f"to {slot.code}; ask there about me. Whatever is decided, please invite {whom}."
            )
            said = AnswerContent(text, comes=False, named=(whom,))
        answers.append(_answer(context, slot, number, person, said))
    referring = [person for person in team if person in doubtful]
    said = _decided(
        context.secret_stream(DECISION_CLUE), slot, referring, named[-UNDECIDED_PEOPLE:], count
    )
    clue = Clue(
        id=context.clue_id(DECISION_CLUE),
        holder=leader.id,
        asks=_decision_asks(slot, team),
        keys=(slot.code,),
        payload=said.text,
        after=tuple(answer.clue.id for answer in answers if answer.about in doubtful),
        not_yet="I settle that for all of my people at once. First ask each of them whether they "
        "come, then ask me about those who leave it to me.",
    )
    return (*answers, ColleagueAnswer(DECISION_CLUE, clue, leader, said))


# what is said ------------------------------------------------------------------------------


def _coming(slot: MeetingSlot, whom: str, more: str = "") -> AnswerContent:
    return AnswerContent(
        f"I come to {slot.code}{more}. Please invite {whom} as well.", named=(whom,)
    )


def _on_duty(draws: Random, slot: MeetingSlot, own: Sequence[str], reserved: bool) -> AnswerContent:
    """Comes and brings somebody along; or has a duty, and may send somebody instead."""
    whom = draws.choice(own)
    if not reserved:
        return _coming(slot, whom)
    duty = f"I have reception duty then, so please do not list me for {slot.code}."
    if draws.random() < _NOBODY_INSTEAD:
        return AnswerContent(f"{duty} Nobody comes in my place.", comes=False)
    return AnswerContent(f"{duty} {whom} comes in my place.", comes=False, named=(whom,))


def _with_visitors(
    draws: Random, slot: MeetingSlot, own: Sequence[str], reserved: bool
) -> AnswerContent:
    """Comes with visitors, who need seats, and may need something in the room."""
    whom, visitors = draws.choice(own), draws.randint(1, MAX_VISITORS)
    need = draws.choice(NEEDS) if reserved else ""
    guests = "one visitor" if visitors == 1 else f"{visitors} visitors"
    text = f"I come to {slot.code} with {guests} from outside. Please invite {whom} as well."
    if need:
        text += f" The room must have a {need}; otherwise it is of no use to us."
    return AnswerContent(text, named=(whom,), visitors=visitors, need=need)


def _at_another_time(
    draws: Random, slot: MeetingSlot, own: Sequence[str], reserved: bool
) -> AnswerContent:
    """Comes, also later; or cannot come before another hour, and must not be missed."""
    whom = draws.choice(own)
    if not reserved:
        return _coming(slot, whom, ", and a later start in the afternoon suits me, too")
    later = draws.choice(START_DELAYS)
    starts = slot.starts + timedelta(minutes=later)
    text = (
        f"{slot.code} cannot be held without me, since I have the figures for it, and I am not "
        f"free before {starts:%H:%M}: it has to begin at {starts:%H:%M} and last as long as "
        f"planned. Please invite {whom} as well."
    )
    return AnswerContent(text, named=(whom,), later=later)


def _decided(
    draws: Random,
    slot: MeetingSlot,
    referring: Sequence[Person],
    named: Sequence[Sequence[str]],
    count: int,
) -> AnswerContent:
    """What the manager decides about those who refer to them: all but *count* come."""
    dropped, parts, whom = draws.sample(referring, count), [f"For {slot.code}:"], []
    for person, own in zip(referring, named, strict=True):
        whom.append(draws.choice(own))
        parts.append(
            f"{person.name} cannot be spared, invite {whom[-1]} instead."
            if person in dropped
            else f"{person.name} may come, but then {whom[-1]} has to be there as well."
        )
    others = tuple(person for person in referring if person not in dropped)
    return AnswerContent(" ".join(parts), others=others, named=tuple(whom))


# how it is asked for -----------------------------------------------------------------------


_MORE_ASKS = {
    MeetingKind.CAPACITY: (
        "How many visitors do you bring to {code}, and what must the room have for you?",
        "Do you bring guests to {code}, and do you need any equipment in the room?",
    ),
    MeetingKind.MOVED: (
        "Does the start of {code} at {starts} work for you, or do you need another time?",
        "Could {code} begin later for you, or must it be at {starts}?",
    ),
}


def _answer(
    context: TaskContext,
    slot: MeetingSlot,
    number: int,
    person: Person,
    said: AnswerContent,
    more: Sequence[str] = (),
) -> ColleagueAnswer:
    name, starts = f"answer_{number}", f"{slot.starts:%H:%M}"
    clue = Clue(
        id=context.clue_id(name),
        holder=person.id,
        asks=(*_asks(slot), *(ask.format(code=slot.code, starts=starts) for ask in more)),
        keys=(slot.code,),
        payload=said.text,
    )
    return ColleagueAnswer(name, clue, person, said)


def _asks(slot: MeetingSlot) -> tuple[str, ...]:
    code, subject = slot.code, slot.subject
    starts, ends = f"{slot.starts:%H:%M}", f"{slot.ends:%H:%M}"
    return (
        f"Can you come to meeting {code} ({subject}) today from {starts} to {ends}?",
        f"Are you free today from {starts} to {ends} for the {subject}, {code}?",
        f"Can you make it to {code} at {starts}, and whom shall I invite with you?",
        f"May I put you on the list for {code} at {starts}?",
        f"Would {starts} suit you for the meeting {code} about the {subject}?",
        f"Will you attend {code} today at {starts}, or is somebody coming in your place?",
        f"Could you join meeting {code}, and what do you need for it?",
        f"Are you able to come to {code}, and whom do you bring along?",
        f"Who else should be invited to {code} for you?",
    )


def _decision_asks(slot: MeetingSlot, team: Sequence[Person]) -> tuple[str, ...]:
    """Ways to ask for the decision: about any of the team, so that they do not show who it is."""
    code = slot.code
    named = [form.format(name=p.name, code=code) for p, form in zip(team, cycle(_ABOUT_ONE))]
    *most, last = [person.name for person in team]
    return (
        f"Which of your people stay on the list for {code}?",
        *named,
        f"Which of {', '.join(most)} and {last} may come to {code}?",
        f"Some of your people say that you decide whether they come to {code}. Who comes?",
        f"What have you decided about your people and {code}?",
    )


_ABOUT_ONE = (
    "Can you do without {name} while {code} is on?",
    "Should {name} be invited to {code}?",
    "Does {name} stay on the list for {code}?",
    "{name} said that you decide whether to attend {code}.",
    "Is {name} free for the meeting {code}, or is the other work more urgent?",
)
