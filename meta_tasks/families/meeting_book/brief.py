"""What only those asked can tell, and the message that the start is delayed.

Two things are hidden. Who has a reservation (a duty, other work, a need, a later hour) is drawn
once for everybody, so that a fixed number have one. Everything else in an answer, above all whom
else to invite, comes from the secret of that answer alone. Every answer names somebody whom no
other answer could name, so each is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time, timedelta
from enum import StrEnum
from itertools import cycle
from random import Random
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    WORD,
    Converter,
    FirstOf,
    HiddenFact,
    Precondition,
    TaskContext,
    TextTemplate,
    listed,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.families.meeting_book.data import (
    NEEDS,
    START_DELAYS,
    UNDECIDED_PEOPLE,
    MeetingKind,
    MeetingSlot,
    Participants,
    StartShift,
    split_nominees,
)
from trainee_bench.meta_tasks.families.meeting_book.objective import MeetingBookBrief
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

SHIFT_MESSAGE = TextTemplate(
    StartShift,
    "About meeting {code}: please delay the start by {minutes} minutes. Everything else stays the "
    "same.",
    {"code": WORD},
)
"""The message that the start is delayed."""

# what is hidden ---------------------------------------------------------------------------


class AnswerKind(StrEnum):
    """The kinds of answer."""

    COMES = "comes"
    WITH_VISITORS = "comes with visitors"
    LATER = "comes, but not before another hour"
    SENDS = "sends somebody instead"
    STAYS_AWAY = "does not come"
    REFERS = "refers to the manager"


@dataclass(frozen=True)
class Answer:
    """What somebody answers: whom to invite as well or instead, how many visitors they bring, what
    the room must have, when the meeting has to begin, who decides about them."""

    code: str
    kind: AnswerKind
    invite: str = ""
    visitors: int = 0
    need: str = ""
    begins: time | None = None
    decides: str = ""

    @property
    def comes(self) -> bool:
        """Whether who gives it comes, as far as they know."""
        away = (AnswerKind.SENDS, AnswerKind.STAYS_AWAY, AnswerKind.REFERS)
        return self.kind not in away


_ON_DUTY = "I have reception duty then, so please do not list me for {code}. "
_WORDS: Mapping[str, Converter[Any]] = {
    "code": WORD,
    "invite": FULL_NAME,
    "decides": FULL_NAME,
    "visitors": one_of({1: "one visitor", 2: "2 visitors", 3: "3 visitors"}),
    "need": one_of(
        {"": ""}
        | {need: f" The room must have a {need}; we cannot use it otherwise." for need in NEEDS}
    ),
}
ANSWER = FirstOf(
    [
        TextTemplate(Answer, text, _WORDS, fixed={"kind": kind})
        for kind, text in {
            AnswerKind.COMES: "I am coming to {code}. Please also invite {invite}.",
            AnswerKind.WITH_VISITORS: "I am coming to {code} with {visitors} from outside the "
            "company. Please also invite {invite}.{need}",
            AnswerKind.LATER: "{code} cannot be held without me, because I have the figures for "
            "it, and I am not free before {begins}: it has to begin at {begins} and last as long "
            "as planned. Please also invite {invite}.",
            AnswerKind.SENDS: _ON_DUTY + "{invite} is coming in my place.",
            AnswerKind.STAYS_AWAY: _ON_DUTY + "Nobody is coming in my place.",
            AnswerKind.REFERS: "{decides} has given me other work for that time and decides "
            "whether I come to {code}; ask them about me. Whatever they decide, please invite "
            "{invite}.",
        }.items()
    ]
)
_ASKED = HiddenFact(
    name="answer_{number}",
    questions=(
        "Can you come to meeting {code} ({subject}) today from {starts} to {ends}?",
        "Are you free today from {starts} to {ends} for the {subject}, {code}?",
        "Can you make it to {code} at {starts}, and whom should I invite with you?",
        "May I put you on the list for {code} at {starts}?",
        "Would {starts} suit you for the meeting {code} about the {subject}?",
        "Will you attend {code} today at {starts}, or is somebody coming in your place?",
        "Could you join meeting {code}, and what do you need for it?",
        "Are you able to come to {code}, and whom are you bringing along?",
        "Who else should be invited to {code} for you?",
        "Will you take part in {code}, and is there anybody I should add because of you?",
        "Are you in for {code} at {starts}, and who comes with you?",
        "Can I count on you for {code}, and whom else shall I invite on your behalf?",
        "Do you have time for the {subject}, {code}, at {starts}?",
    ),
    answer=ANSWER,
)
_MORE_QUESTIONS: Mapping[MeetingKind, tuple[str, ...]] = {
    MeetingKind.CAPACITY: (
        "How many visitors are you bringing to {code}, and what must the room have for you?",
        "Are you bringing guests to {code}, and do you need any equipment in the room?",
    ),
    MeetingKind.MOVED: (
        "Does the start of {code} at {starts} work for you, or do you need another time?",
        "Could {code} begin later for you, or must it be at {starts}?",
    ),
}
COMING: Mapping[MeetingKind, HiddenFact[Answer]] = {
    kind: replace(_ASKED, questions=_ASKED.questions + _MORE_QUESTIONS.get(kind, ()))
    for kind in MeetingKind
}
"""Whether somebody comes, and what they need."""


@dataclass(frozen=True)
class Decided:
    """Whether the manager lets somebody come, and whom to invite as well or instead."""

    name: str
    comes: bool
    invite: str


@dataclass(frozen=True)
class Decision:
    """What the manager decides about all who refer to them."""

    code: str
    people: tuple[Decided, ...]


_DECIDED = FirstOf(
    [
        TextTemplate(Decided, text, {"name": FULL_NAME, "invite": FULL_NAME}, {"comes": comes})
        for comes, text in {
            True: "{name} may come, but then {invite} has to come as well",
            False: "{name} cannot be spared; invite {invite} instead",
        }.items()
    ]
)
DECISION = TextTemplate(
    Decision,
    "For {code}: {people}.",
    {"code": WORD, "people": separated(_DECIDED.converter(), ". ")},
)
_ABOUT_ONE = (
    "Can you do without {name} while {{code}} is on?",
    "Should {name} be invited to {{code}}?",
    "Does {name} stay on the list for {{code}}?",
    "{name} said that you decide whether to attend {{code}}.",
    "Is {name} free for the meeting {{code}}, or is the other work more urgent?",
)
_ASK_FIRST = (
    "I decide that for all of my people at once. First ask each of them whether they are coming, "
    "then ask me about those who leave it to me."
)


def about(meeting: MeetingSlot | MeetingBookBrief) -> dict[str, str]:
    """What questions about the meeting name."""
    starts, ends = f"{meeting.starts:%H:%M}", f"{meeting.ends:%H:%M}"
    return {"code": meeting.code, "subject": meeting.subject, "starts": starts, "ends": ends}


def _decision_fact(team: Sequence[str]) -> HiddenFact[Decision]:
    """The decision. Its questions name everybody in the team, so they do not show who is meant."""
    questions = (
        "Which of your people stay on the list for {code}?",
        *(question.format(name=name) for name, question in zip(team, cycle(_ABOUT_ONE))),
        f"Which of {listed([*team])} may come to {{code}}?",
        "Some of your people say that you decide whether they come to {code}. Who comes?",
        "What have you decided about your people and {code}?",
        "Your people have other work from you during {code}. Which of them can take part?",
        "Who of them may come to {code}, and who has to stay away?",
    )
    return HiddenFact("decision", questions, DECISION)


# what is drawn ----------------------------------------------------------------------------

RESERVATIONS = "reservations"
"""The secret that says who has a reservation; no clue tells it by itself."""
_NOBODY_INSTEAD = 0.25


@dataclass(frozen=True)
class Answers:
    """The clues, the answers by the id of the person who gives them, and the decisions."""

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
    """What everybody answers; *count* is the rule's. Nobody names one of *besides* (ids)."""
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
        answer = replace(answer, decides=leader.name) if leader and not answer.comes else answer
        clues.append(COMING[kind].clue(context, person, answer, details, keys=(slot.code,)))
        said[person.id] = answer
    if leader is None:
        return Answers(tuple(clues), said)
    referring = [person for person in team if person in reserved]
    fact = _decision_fact([person.name for person in team])
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
        condition=Precondition(tuple(names), _ASK_FIRST),
    )
    return Answers((*clues, clue), said, decided)


def _draw_answer(
    draws: Random, kind: MeetingKind, slot: MeetingSlot, own: Sequence[str], reserved: bool
) -> Answer:
    """What somebody says who may name one of their *own*."""
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
    """What the manager decides about those who refer to them: all but *count* come."""
    dropped = draws.sample(referring, count)
    return tuple(
        Decided(person.name, person not in dropped, draws.choice(own))
        for person, own in zip(referring, named, strict=True)
    )
