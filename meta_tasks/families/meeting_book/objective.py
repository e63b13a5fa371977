"""What the task says about the meeting at the start, kind by kind.

Whatever it says of the answers comes true: it tells of delays only where the start is delayed, and
of somebody who decides about others only where somebody does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Converter,
    FirstOf,
    TaskOutput,
    TextTemplate,
    ValueTemplate,
)
from trainee_bench.meta_tasks.authoring.converters import optional
from trainee_bench.meta_tasks.families.meeting_book.data import (
    LAST_SHIFT,
    ROOM_LIST_PATH,
    MeetingKind,
)


@dataclass(frozen=True)
class MeetingBookBrief:
    """What the objective states; another task's result names the *guest*, and *delayed_by* puts
    the meeting off."""

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
    " Also invite {words} in {path} (your result for {task}); they have already agreed, too. "
    f"{_REBOOKING}",
    {"path": PATH, "task": WORD},
)
_DELAYS = ValueTemplate(
    " {value} will also write to you, once or more and until "
    f"{LAST_SHIFT:%H:%M} at the latest, that the start is delayed by some minutes. Delays add up, "
    "on top of that other time.",
    FULL_NAME,
)
_WHOM: Mapping[MeetingKind, str] = {
    MeetingKind.MANAGER: "Attendees bring a colleague; those who decline may send a substitute.",
    MeetingKind.DEPARTMENT: "Everybody names a colleague. If some of them leave it to another "
    "person whether they come, ask that person about them, by name.",
    MeetingKind.CAPACITY: "Attendees bring a colleague.",
    MeetingKind.MOVED: "Attendees bring a colleague.",
}
"""What each kind of meeting tells beforehand of the answers; all of it comes true."""
_ROOM = dict.fromkeys(MeetingKind, "any free room") | {
    MeetingKind.CAPACITY: "the smallest free room that has a seat for everybody (everyone invited, "
    "their visitors, and you) and everything that the people you ask need in it "
    f"({ROOM_LIST_PATH} lists what each room has; visitors are not invited in the calendar)",
}
_WHEN = dict.fromkeys(MeetingKind, "this time") | {
    MeetingKind.MOVED: "the meeting's final time",
}
_CHANGES = dict.fromkeys(MeetingKind, "") | {
    MeetingKind.MOVED: "The start may change: if somebody says that the meeting cannot be held "
    "without them and has to begin at another time, that time applies to everyone.{delayed_by} "
    "The length never changes. Finally, the calendar must contain the meeting once, at its final "
    "time.\n",
}
OBJECTIVE_RULES = (
    "People to ask:",
    "Before you book, ask each of them in the chat",
    "Each person can answer only for themselves.",
    "in the calendar for exactly",
    "Invite those of them who are coming and the colleagues they named to you, and nobody else.",
    "These colleagues have already agreed; you need not ask them.",
    "You are included automatically.",
    "at most five minutes before or after the start.",
)
"""What the objective says and honest work does."""
BACKGROUND = ("We check the calendar; the title of the meeting does not matter.",)


def rules_for(brief: MeetingBookBrief) -> tuple[str, ...]:
    """The same for a kind of meeting."""
    return (*_rules_of_kind(brief), *((_REBOOKING,) if brief.guest else ()))


def _rules_of_kind(brief: MeetingBookBrief) -> tuple[str, ...]:
    match brief.kind:
        case MeetingKind.MANAGER:
            return ("Attendees bring a colleague; those who decline may send a substitute.",)
        case MeetingKind.DEPARTMENT:
            return (
                "Everybody names a colleague.",
                "whether they come, ask that person about them, by name.",
            )
        case MeetingKind.CAPACITY:
            return (
                "Attendees bring a colleague.",
                "the smallest free room that has a seat for everybody",
                "(everyone invited, their visitors, and you) and everything that the people you",
                "visitors are not invited in the calendar",
            )
    delays = ("Delays add up, on top of that other time.",) if brief.delayed_by else ()
    return (
        "Attendees bring a colleague.",
        "for exactly the meeting's final time.",
        "has to begin at another time, that time applies to everyone.",
        *delays,
        "The length never changes.",
        "Finally, the calendar must contain the meeting once, at its final time.",
    )


def _objective(kind: MeetingKind) -> TextTemplate[MeetingBookBrief]:
    text = (
        "Please set up meeting {code}, the {subject}, on {day} from {starts} to {ends}.\n"
        "People to ask: {to_ask}.\n"
        "1. Before you book, ask each of them in the chat whether they can attend {code} and whom "
        f"else to invite. {_WHOM[kind]} Each person can answer only for themselves.\n"
        f"2. Book {_ROOM[kind]} in the calendar for exactly {_WHEN[kind]}. Invite those of them "
        "who are coming and the colleagues they named to you, and nobody else. These colleagues "
        "have already agreed; you need not ask them. You are included automatically.{guest}\n"
        "3. Be on time: at most five minutes before or after the start.\n"
        f"{_CHANGES[kind]}"
        "We check the calendar; the title of the meeting does not matter."
    )
    words: dict[str, Converter[Any]] = {
        "code": WORD,
        "guest": optional(_GUEST.converter()),
        "delayed_by": optional(_DELAYS.converter()),
    }
    return TextTemplate(MeetingBookBrief, text, words, fixed={"kind": kind})


OBJECTIVE = FirstOf([_objective(kind) for kind in MeetingKind])
