"""What an employee has done of a day so far, as far as whoever goes on can build on it.

A question that was answered with what somebody still knows need not be asked again, a group that
was made can be written to, and a meeting that was attended has been heard.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from trainee_bench.mcp_servers import discover_tools
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.chat import Chat, ChatMessage
from trainee_bench.world.colleagues.knowledge import Clue, Knowledge
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

_INSTRUMENTS, _MAINTENANCE = "monitor_", "monitor_start_maintenance"
_ASKING, _GROUPING, _BOOKING = "chat_send_message", "chat_create_group", "calendar_book"


@dataclass(frozen=True)
class WorkDone:
    """What was done before somebody goes on.

    ``questions`` are those that were answered with what still holds, or were not answered yet, by
    addressee (an id or a full name) and text: what sending each of them showed. If a fact was told,
    all ways to ask for it are among them. ``groups`` are what making them showed, by the ids of all
    members. ``acts`` are successful calls of tools of which `is_done_once` holds, by tool and what
    they named. ``bookings`` are the employee's own meetings that have not begun, ``booked`` what
    booking them showed, by their ids. ``seen`` is what calls that only look have shown today, the
    latest, by `looked_at`; ``readings`` what the website's instruments showed before maintenance
    was begun: afterwards they no longer show why.
    """

    questions: Mapping[tuple[str, str], ToolResponse] = field(default_factory=dict)
    groups: Mapping[frozenset[str], ToolResponse] = field(default_factory=dict)
    acts: Mapping[tuple[str, str], ToolResponse] = field(default_factory=dict)
    bookings: tuple[Meeting, ...] = ()
    booked: Mapping[int, ToolResponse] = field(default_factory=dict)
    seen: Mapping[str, JsonValue] = field(default_factory=dict)
    readings: Mapping[str, ToolResponse] = field(default_factory=dict)


def is_done_once(tool: str) -> bool:
    """Whether a call of the tool is refused once what it does is done."""
    known = discover_tools().get(tool)
    return known is not None and known.once != ""


def named_by(tool: str, arguments: Mapping[str, JsonValue]) -> tuple[str, str]:
    """A call that `is_done_once`, by its tool and what it is about."""
    return tool, str(arguments.get(discover_tools()[tool].once)).strip().casefold()


def looked_at(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """A call by its tool and arguments; an empty argument, or 0, is the same as none."""
    return f"{tool} {sorted((name, value) for name, value in arguments.items() if value)}"


async def read_work_done(world: World) -> WorkDone:
    """What the employee has done in *world* so far."""
    log = [entry for entry in await world.log() if entry.actor and entry.ok]
    return await world.read(lambda tx: _read(tx, log))


def _read(tx: Transaction, log: Sequence[LogEntry]) -> WorkDone:
    sent = {number: entry for entry in log if (number := _message(entry))}
    groups = dict(_groups(log))
    booked = Calendar(tx).booked_by(tx.employee)
    return WorkDone(
        questions=dict(_questions(tx, sent, groups.keys())),
        groups=dict(groups.values()),
        acts={named_by(e.tool, e.arguments): _response(e) for e in log if is_done_once(e.tool)},
        bookings=tuple(meeting for meeting in booked if meeting.starts > tx.now),
        booked={number: _response(e) for e in log if (number := _booking(e))},
        seen={
            looked_at(e.tool, e.arguments): dict(e.data or {})
            for e in log
            if e.at.date() == tx.now.date()
        },
        readings=dict(_readings(log)),
    )


def _response(entry: LogEntry) -> ToolResponse:
    return ToolResponse(entry.text, dict(entry.data or {}), entry.until)


def _message(entry: LogEntry) -> int:
    """The number of the message that *entry* sent, 0 if it sent none."""
    message = entry.data.get("message") if entry.data and entry.tool == _ASKING else None
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int) else 0


def _booking(entry: LogEntry) -> int:
    """The number of the meeting that *entry* booked, 0 if it booked none."""
    number = entry.data.get("id") if entry.data and entry.tool == _BOOKING else None
    return number if isinstance(number, int) else 0


def _readings(log: Sequence[LogEntry]) -> Iterator[tuple[str, ToolResponse]]:
    """See `WorkDone`; nothing if no maintenance was begun."""
    begun = next((e.seq for e in log if e.tool == _MAINTENANCE), 0)
    for entry in log:
        if entry.seq < begun and entry.tool.startswith(_INSTRUMENTS):
            yield looked_at(entry.tool, entry.arguments), _response(entry)


def _groups(log: Sequence[LogEntry]) -> Iterator[tuple[str, tuple[frozenset[str], ToolResponse]]]:
    """By id the members of each group that was made, and what making it showed."""
    for entry in log:
        if entry.tool == _GROUPING:
            made = _response(entry)
            (group,) = made.data["groups"]
            yield str(group["id"]), (frozenset(map(str, group["members"])), made)


def _questions(
    tx: Transaction, sent: Mapping[int, LogEntry], groups: Container[str]
) -> Iterator[tuple[tuple[str, str], ToolResponse]]:
    """See `WorkDone`; of what was told in *groups* only the same question is known."""
    clues = Knowledge(tx).clues()
    answers: dict[int, list[ChatMessage]] = {}
    for message in Chat(tx).history():
        if not message.automatic:
            answers.setdefault(message.answers, []).append(message)
    for number, entry in sent.items():
        told = [[clue for clue in clues if _tells(one, clue)] for one in answers.get(number, [])]
        if not all(told):
            continue
        to = str(entry.arguments["to"])
        yield (to, str(entry.arguments["text"])), _response(entry)
        if to not in groups:
            for clue in (clue for known in told for clue in known):
                for asked in clue.asks:
                    yield (clue.holder, asked), _response(entry)
                    yield (_name(tx, clue.holder), asked), _response(entry)


def _tells(message: ChatMessage, clue: Clue) -> bool:
    return message.sender == clue.holder and clue.payload in message.text


def _name(tx: Transaction, person: str) -> str:
    try:
        return Directory(tx).person(person).name
    except NotFound:
        return person
