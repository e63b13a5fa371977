"""The objective of each kind of meeting, and the answers of the people to ask.

The objective makes no empty promises. It mentions delays only if the start is delayed, and a person
who decides about others only if there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from enum import StrEnum
from itertools import cycle
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Converter,
    FirstOf,
    HiddenFact,
    Hints,
    TaskOutput,
    TextTemplate,
    ValueTemplate,
    listed,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.authoring.converters import optional
from trainee_bench.meta_tasks.families.meeting_book.subject import (
    LAST_SHIFT,
    NEEDS,
    ROOM_LIST_PATH,
    MeetingKind,
    MeetingSlot,
    StartShift,
)


@dataclass(frozen=True)
class MeetingBookBrief:
    """The facts that the objective states.

    The result of another task names the *guest*. *delayed_by* is the person who delays the meeting.
    """

    code: str
    subject: str
    day: date
    starts: time
    ends: time
    to_ask: str
    kind: MeetingKind
    guest: TaskOutput | None
    delayed_by: str | None = None


_REBOOKING = (
    "If that result changes before the meeting begins, cancel the meeting and book it again with "
    "the right person."
)
_GUEST = TextTemplate(
    TaskOutput,
    "\n- {words} in {path} (your result for {task}). " + _REBOOKING,
    {"path": PATH, "task": WORD},
)
_DELAYS = ValueTemplate(
    " {value} will also write to you, once or more and until "
    f"{LAST_SHIFT:%H:%M} at the latest, that the start is delayed by some minutes. Add every such "
    "delay to that other time.",
    FULL_NAME,
)
_EACH_NAMES = "Each of them names a colleague to invite as well."
_WHOM: Mapping[MeetingKind, str] = {
    MeetingKind.MANAGER: "Everybody who is coming names a colleague to invite as well; somebody "
    "who is not coming may send a substitute.",
    MeetingKind.DEPARTMENT: "Each of them names a colleague to invite as well. If some of them say "
    "that another person decides whether they come, ask that person about them, by name.",
    MeetingKind.CAPACITY: _EACH_NAMES,
    MeetingKind.MOVED: _EACH_NAMES,
}
"""The announcement of the answers, by kind of meeting; all of it comes true."""
_EVEN_IF = dict.fromkeys(MeetingKind, "") | {
    MeetingKind.MANAGER: " or names as a substitute",
    MeetingKind.DEPARTMENT: ", even if the person who answered is not coming",
}
_ROOM = dict.fromkeys(MeetingKind, "any free room") | {
    MeetingKind.CAPACITY: "the smallest free room that is suitable",
}
_FITS = dict.fromkeys(MeetingKind, "") | {
    MeetingKind.CAPACITY: " A room is suitable if it has a seat for everybody (all the people whom "
    "you invite, all visitors, and you) and everything that the people you asked need in it; "
    f"{ROOM_LIST_PATH} lists what each room has. Do not invite the visitors in the calendar.",
}
_WHEN = dict.fromkeys(MeetingKind, "this time") | {
    MeetingKind.MOVED: "the meeting's final time",
}
_CHANGES = dict.fromkeys(MeetingKind, "") | {
    MeetingKind.MOVED: " The start may change: if somebody says that the meeting cannot be held "
    "without them and has to begin at another time, that time applies to everyone.{delayed_by} "
    "The length never changes. In the end, the calendar must contain the meeting once, at its "
    "final time.",
}
OBJECTIVE_RULES = (
    "People to ask:",
    "Before you book, ask each of them in the chat",
    "Each of them knows only their own answer.",
    "In the calendar, book",
    "and invite exactly these people:",
    "those of the people you asked who are coming",
    "every colleague whom an answer asks you to invite",
    "You need not ask the additional colleagues: they have already agreed.",
    "You are included automatically.",
    "Attend the meeting yourself: come at most five minutes before or after the start.",
    "After the meeting, submit this task.",
)
"""Rules that every objective states and honest work follows."""
BACKGROUND = ("One message may ask both.", "The title of the meeting does not matter.")


def rules_for(brief: MeetingBookBrief) -> tuple[str, ...]:
    """The rules that the objective of this meeting states."""
    return (*_rules_of_kind(brief), *((_REBOOKING,) if brief.guest else ()))


def _rules_of_kind(brief: MeetingBookBrief) -> tuple[str, ...]:
    match brief.kind:
        case MeetingKind.MANAGER:
            return _WHOM[brief.kind], "or names as a substitute."
        case MeetingKind.DEPARTMENT:
            return _WHOM[brief.kind], ", even if the person who answered is not coming."
        case MeetingKind.CAPACITY:
            return (
                _EACH_NAMES,
                "the smallest free room that is suitable, for exactly",
                "A room is suitable if it has a seat for everybody (all the people whom you",
                "and everything that the people you asked need in it;",
                "Do not invite the visitors in the calendar.",
            )
    delays = ("Add every such delay to that other time.",) if brief.delayed_by else ()
    return (
        _EACH_NAMES,
        "for exactly the meeting's final time, and",
        "has to begin at another time, that time applies to everyone.",
        *delays,
        "The length never changes.",
        "In the end, the calendar must contain the meeting once, at its final time.",
    )


def _objective(kind: MeetingKind) -> TextTemplate[MeetingBookBrief]:
    text = (
        "Please set up meeting {code} ({subject}) on {day} from {starts} to {ends}.\n"
        "People to ask: {to_ask}.\n"
        "1. Before you book, ask each of them in the chat whether they can attend {code} and whom "
        f"else to invite. One message may ask both. Each of them knows only their own answer. "
        f"{_WHOM[kind]}\n"
        f"2. In the calendar, book {_ROOM[kind]}, for exactly {_WHEN[kind]}, and invite exactly "
        "these people:\n"
        "- those of the people you asked who are coming;\n"
        f"- every colleague whom an answer asks you to invite{_EVEN_IF[kind]}.{{guest}}\n"
        "You need not ask the additional colleagues: they have already agreed. You are included "
        f"automatically.{_FITS[kind]}{_CHANGES[kind]} The title of the meeting does not matter.\n"
        "3. Attend the meeting yourself: come at most five minutes before or after the start. "
        "After the meeting, submit this task."
    )
    words: dict[str, Converter[Any]] = {
        "code": WORD,
        "guest": optional(_GUEST.converter()),
        "delayed_by": optional(_DELAYS.converter()),
    }
    return TextTemplate(MeetingBookBrief, text, words, fixed={"kind": kind})


OBJECTIVE = FirstOf([_objective(kind) for kind in MeetingKind])


SHIFT_MESSAGE = TextTemplate(
    StartShift,
    "About meeting {code}: please delay the start by {minutes} minutes. Everything else stays the "
    "same.",
    {"code": WORD},
)
"""The message that delays the start."""

# clues ------------------------------------------------------------------------------------


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
    """The answer of one person.

    *invite* names the colleague to invite as well or instead, *need* equipment, *begins* the
    required start, *decides* the manager who decides, and *wording* its text in `REFERRING`.
    """

    code: str
    kind: AnswerKind
    invite: str = ""
    visitors: int = 0
    need: str = ""
    begins: time | None = None
    decides: str = ""
    wording: int = 0

    @property
    def comes(self) -> bool:
        """Whether the person comes, as far as they know."""
        return self.kind not in (AnswerKind.SENDS, AnswerKind.STAYS_AWAY, AnswerKind.REFERS)


_ON_DUTY = "I have reception duty then, so please do not invite me to {code}. "
_WORDS: Mapping[str, Converter[Any]] = {
    "code": WORD,
    "invite": FULL_NAME,
    "decides": FULL_NAME,
    "visitors": one_of({1: "one visitor", 2: "2 visitors", 3: "3 visitors"}),
    "need": one_of(
        {"": ""}
        | {need: f" The room must have a {need}; we cannot do without one." for need in NEEDS}
    ),
}
REFERRING = (
    (
        "I have been given other work for that time. Please ask {decides}, who decides whether I "
        "come to {code}. Please invite {invite} in any case."
    ),
    (
        "I have other work to do then, so please ask {decides}, who decides whether I come to "
        "{code}. Either way, please invite {invite}."
    ),
    (
        "I cannot say, because I am needed for something else then. Please ask {decides}, who "
        "decides whether I come to {code}, and invite {invite} in any case."
    ),
)
"""Answers of people about whom somebody else decides, by wording."""
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
        }.items()
    ]
    + [
        TextTemplate(Answer, text, _WORDS, fixed={"kind": AnswerKind.REFERS, "wording": wording})
        for wording, text in enumerate(REFERRING)
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
"""The clue with a person's answer, by kind of meeting."""


@dataclass(frozen=True)
class Decided:
    """The manager's decision about one person, with the colleague to invite as well or instead."""

    name: str
    comes: bool
    invite: str


@dataclass(frozen=True)
class Decision:
    """The manager's decision about all people who refer to them."""

    code: str
    people: tuple[Decided, ...]


_DECIDED = FirstOf(
    [
        TextTemplate(Decided, text, {"name": FULL_NAME, "invite": FULL_NAME}, {"comes": comes})
        for comes, text in {
            True: "{name} may come, but then please invite {invite} as well",
            False: "{name} cannot be spared; please invite {invite} instead",
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
ASK_FIRST = (
    "I decide that for all my people at once. First ask each of them whether they are coming, "
    "then ask me about those who leave it to me."
)


def about(meeting: MeetingSlot | MeetingBookBrief) -> dict[str, str]:
    """The slots of questions about the meeting."""
    starts, ends = f"{meeting.starts:%H:%M}", f"{meeting.ends:%H:%M}"
    return {"code": meeting.code, "subject": meeting.subject, "starts": starts, "ends": ends}


def decision_fact(team: Sequence[str]) -> HiddenFact[Decision]:
    """The clue with the decision. Its questions name the whole team, so they give nobody away."""
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


# hints --------------------------------------------------------------------------------------

_MORE_HINTS = {
    MeetingKind.MANAGER: "",
    MeetingKind.DEPARTMENT: " When all others have answered, ask the manager in one message, by "
    "name, about those who left it to the manager.",
    MeetingKind.CAPACITY: " Count the seats: yourself, everyone you invite, and all visitors. Then "
    "go through the free rooms from the smallest up, and check each against the list of rooms.",
    MeetingKind.MOVED: " Work out the start again after every message, cancel a booking at an "
    "earlier time with calendar_cancel, and book again.",
}
HINTS = {
    kind: Hints(
        strategy="No document lists who will come or whom else to invite; each person knows only "
        "their own answer. Send all questions first, since answers take time, and book once the "
        "last answer has arrived.",
        where="Find people and write to them in the chat; their answers arrive as messages. Rooms "
        "and invitations are in the calendar. Calendars do not show who will come.",
        how="Ask with chat_send_message, quoting the meeting's code, and read with "
        "chat_read_history. Note from each answer who comes and who is named. Look for a room with "
        "calendar_find_rooms, and book it with calendar_book. Wait until a minute or two before "
        "the start with desk_wait, and call calendar_attend." + more,
    )
    for kind, more in _MORE_HINTS.items()
}
