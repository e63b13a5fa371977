"""Work that an employee has done on a day so far, as a basis for continuing it.

A question whose answer still holds need not be asked again. A group that was made can be written
to, and a meeting that was attended has been heard.
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
    """Work done before somebody continues the day.

    ``questions`` are the questions whose answers still hold or are still to come. The key is the
    addressee (an id or a full name) and the text, the value what sending it showed. If a fact was
    told, all ways to ask for it are included. ``groups`` are the results of creating groups, by the
    ids of all members.

    ``acts`` are successful calls of tools for which `is_done_once` is true, by tool and the thing
    they named. ``bookings`` are the employee's own meetings that have not begun, ``booked`` the
    results of booking them, by their ids. ``seen`` are today's latest results of calls that only
    look, by `looked_at`. ``readings`` are the values of the website's instruments before
    maintenance began: afterwards they no longer show the cause.
    """

    questions: Mapping[tuple[str, str], ToolResponse] = field(default_factory=dict)
    groups: Mapping[frozenset[str], ToolResponse] = field(default_factory=dict)
    acts: Mapping[tuple[str, str], ToolResponse] = field(default_factory=dict)
    bookings: tuple[Meeting, ...] = ()
    booked: Mapping[int, ToolResponse] = field(default_factory=dict)
    seen: Mapping[str, JsonValue] = field(default_factory=dict)
    readings: Mapping[str, ToolResponse] = field(default_factory=dict)


def is_done_once(tool: str) -> bool:
    """Whether a tool refuses a call whose effect exists already."""
    known = discover_tools().get(tool)
    return known is not None and known.once != ""


def named_by(tool: str, arguments: Mapping[str, JsonValue]) -> tuple[str, str]:
    """Return the key of a call that `is_done_once`: its tool and the thing it names."""
    return tool, str(arguments.get(discover_tools()[tool].once)).strip().casefold()


def looked_at(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """Return the key of a call that only looks: its tool and arguments.

    An empty argument, or 0, is the same as none.
    """
    return f"{tool} {sorted((name, value) for name, value in arguments.items() if value)}"


async def read_work_done(world: World) -> WorkDone:
    """Return what the employee has done in *world* so far."""
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
    """Return the number of the message that *entry* sent, 0 if it sent none."""
    message = entry.data.get("message") if entry.data and entry.tool == _ASKING else None
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int) else 0


def _booking(entry: LogEntry) -> int:
    """Return the number of the meeting that *entry* booked, 0 if it booked none."""
    number = entry.data.get("id") if entry.data and entry.tool == _BOOKING else None
    return number if isinstance(number, int) else 0


def _readings(log: Sequence[LogEntry]) -> Iterator[tuple[str, ToolResponse]]:
    """Yield the readings of `WorkDone`; nothing if no maintenance was begun."""
    begun = next((e.seq for e in log if e.tool == _MAINTENANCE), 0)
    for entry in log:
        if entry.seq < begun and entry.tool.startswith(_INSTRUMENTS):
            yield looked_at(entry.tool, entry.arguments), _response(entry)


def _groups(log: Sequence[LogEntry]) -> Iterator[tuple[str, tuple[frozenset[str], ToolResponse]]]:
    """Yield for each group that was made, by id, its members and the result of creating it."""
    for entry in log:
        if entry.tool == _GROUPING:
            made = _response(entry)
            (group,) = made.data["groups"]
            yield str(group["id"]), (frozenset(map(str, group["members"])), made)


def _questions(
    tx: Transaction, sent: Mapping[int, LogEntry], groups: Container[str]
) -> Iterator[tuple[tuple[str, str], ToolResponse]]:
    """Yield the questions of `WorkDone`; in *groups* only the very same question counts."""
    clues = Knowledge(tx).clues()
    answers: dict[int, list[ChatMessage]] = {}
    for message in Chat(tx).history():
        if not message.automatic:
            answers.setdefault(message.answers, []).append(message)
    for number, entry in sent.items():
        told = [
            [clue for clue in clues if _tells(message, clue)] for message in answers.get(number, [])
        ]
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
