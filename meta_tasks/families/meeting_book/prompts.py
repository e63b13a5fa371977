"""What the trainee is told about the meeting."""

from __future__ import annotations

from trainee_bench.meta_tasks.families.meeting_book.participants import MeetingKind, Participants
from trainee_bench.meta_tasks.families.meeting_book.rooms import ROOM_LIST_PATH
from trainee_bench.meta_tasks.families.meeting_book.scheduling import LAST_SHIFT, MeetingSlot


def objective_text(kind: MeetingKind, party: Participants, slot: MeetingSlot, also: str) -> str:
    """The objective; *also* says whom else to invite, if anybody."""
    code, leader = slot.code, party.leader
    opening = (
        f"Please set up meeting {code}, the {slot.subject}, on {slot.starts:%Y-%m-%d} from "
        f"{slot.starts:%H:%M} to {slot.ends:%H:%M}."
    )
    ask = (
        f"1. Ask each of them in the chat, before you book, whether they come to {code}, and whom "
        "else to invite: those who come bring a colleague along, and some who do not come send "
        "one. Each knows that only for themselves. If some say that another person decides about "
        "them, ask that person about them, by name."
    )
    book = (
        f"2. Book {_room(kind)} in the calendar for exactly {_time(kind)}. Invite those of them "
        "who come and the colleagues they have named to you, and nobody else. Colleagues who "
        "were named have agreed and need not be asked. You are in it anyway."
    )
    attend = "3. Be there on time: at most five minutes before or after the start."
    lines = [opening, f"To ask: {party.words}.", ask, f"{book} {also}".rstrip(), attend]
    if leader is not None:
        lines[1] = f"To ask: {party.words}, {leader.name} included."
    if kind is MeetingKind.MOVED:
        lines.append(
            "The start may change. If somebody says that it cannot be held without them and has to "
            f"begin at another time, then that time holds for all. {party.host.name} may also "
            f"write to you, until {LAST_SHIFT:%H:%M} at the latest, that it has to be put off by "
            "so many minutes; each of these shifts counts on top of the start that those you ask "
            "need, and of shifts before. The length never changes. In the end the calendar must "
            "have the meeting at its last time only."
        )
    lines.append("We look at the calendar; what the meeting is called there does not matter.")
    return "\n".join(lines)


def _room(kind: MeetingKind) -> str:
    if kind is not MeetingKind.CAPACITY:
        return "any free room"
    return (
        "the smallest free room that has a seat for everybody (those invited, their visitors, and "
        f"you) and everything that those you ask must have in it ({ROOM_LIST_PATH} says what stands where; "
        "visitors are not invited in the calendar)"
    )


def _time(kind: MeetingKind) -> str:
    return "the time that holds in the end" if kind is MeetingKind.MOVED else "this time"
