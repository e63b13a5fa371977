"""The journal of a running episode's turns: one line for each, written as they happen.

    AgentSession ──turn begins, turn ends──► ID.turns.jsonl ──► watchers, or a later continuation

A day does not depend on its journal, because the world itself is durable. When the episode is over,
its trajectory is written and the journal removed. The journal has the thought of a turn before
its calls are made.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import Thought, ToolCall, ToolResult, TurnRecord
from trainee_bench.mcp_servers.serving.server import told_text
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.transaction import Notice, Picture


class JournalThought(BaseModel):
    """The words and thoughts of an agent in a turn."""

    model_config = ConfigDict(extra="ignore")
    message: str = ""
    reasoning: str | None = None
    model: str | None = None


class JournalCall(BaseModel):
    """A call in a turn."""

    id: str
    name: str
    arguments: dict[str, JsonValue]


class JournalAnswer(BaseModel):
    """The answer to a call; pictures are (media type, base64)."""

    text: str
    data: dict[str, JsonValue] | None
    time: datetime | None
    failed: bool
    notices: tuple[Notice, ...]
    pictures: tuple[tuple[str, str], ...]


class _DayBegins(BaseModel):
    kind: Literal["day"]
    place: int
    prompt: str


class JournalTurn(BaseModel):
    """A turn as it begins."""

    kind: Literal["turn"]
    began: datetime
    thought: JournalThought
    calls: tuple[JournalCall, ...]


class _TurnEnds(BaseModel):
    kind: Literal["answers"]
    answers: tuple[JournalAnswer, ...]


class _DayEnds(BaseModel):
    kind: Literal["end"]
    ended: EndReason


_Line = _DayBegins | JournalTurn | _TurnEnds | _DayEnds
_LINE: TypeAdapter[_Line] = TypeAdapter(Annotated[_Line, Field(discriminator="kind")])


_TURN = b'{"kind": "turn"'
"""The beginning of a line that records a turn."""


class TurnJournal:
    """Writer of the journal at *path*, as a `TurnListener`.

    Every method raises OSError if the file cannot be written.
    """

    def __init__(self, path: Path):
        self._path = path

    def day_begins(self, place: int, prompt: str) -> None:
        """Record that day number *place* of the episode begins, with this prompt."""
        self._write({"kind": "day", "place": place, "prompt": prompt})

    def turn_begins(self, began: datetime, thought: Thought, calls: Sequence[ToolCall]) -> None:
        """See `TurnListener`."""
        self._write(
            {
                "kind": "turn",
                "began": began.isoformat(),
                "thought": {
                    "message": thought.message,
                    "reasoning": thought.reasoning,
                    "model": thought.model,
                },
                "calls": [
                    {"id": call.id, "name": call.name, "arguments": dict(call.arguments)}
                    for call in calls
                ],
            }
        )

    def turn_ends(self, answers: Sequence[ToolResult]) -> None:
        """See `TurnListener`."""
        self._write({"kind": "answers", "answers": [_answer(answer) for answer in answers]})

    def day_ends(self, ended: EndReason) -> None:
        """Record that the latest day is over."""
        self._write({"kind": "end", "ended": ended.value})

    def repair(self) -> None:
        """Cut off a last line that was not written to its end."""
        text = self._path.read_bytes()
        with self._path.open("rb+") as file:
            file.truncate(text.rfind(b"\n") + 1)

    def remove(self) -> None:
        """Remove the file: the trajectory has all of it."""
        self._path.unlink(missing_ok=True)

    def write(self, turns: Iterable[TurnRecord]) -> None:
        """Write complete *turns*."""
        for turn in turns:
            self.turn_begins(turn.began, turn.thought, turn.calls)
            self.turn_ends(turn.answers)

    def _write(self, line: JsonValue) -> None:
        # A model's text may contain lone surrogates.
        text = json.dumps(line, ensure_ascii=False).encode("utf-8", errors="replace")
        with self._path.open("ab") as file:
            file.write(text + b"\n")


def _answer(answer: ToolResult) -> JsonValue:
    pictures: list[JsonValue] = [
        [p.mime_type, base64.b64encode(p.data).decode("ascii")] for p in answer.pictures
    ]
    return {
        "text": answer.text,
        "data": answer.data,
        "time": answer.time.isoformat() if answer.time is not None else None,
        "failed": answer.failed,
        "notices": [notice.model_dump(mode="json") for notice in answer.notices],
        "pictures": pictures,
    }


@dataclass
class JournalDay:
    """A day of a journal: its prompt, its complete turns, and how it ended (None: it has not).

    ``begun`` is a turn without answers so far.
    """

    place: int
    prompt: str
    turns: list[TurnRecord] = field(default_factory=list)
    begun: TurnRecord | None = None
    ended: EndReason | None = None


def settle_last_turn(
    day: JournalDay, earlier: Sequence[TurnRecord], own: Sequence[LogEntry]
) -> TurnRecord | None:
    """Complete the turn that *day* had begun from *own*, all calls in the log since the journal
    begins.

    The process lost the answers, but the log has the calls. *earlier* are the turns of the days
    before. Returns the turn; None if there is none, or if none of its calls had been made.
    """
    begun, day.begun = day.begun, None
    for call in [call for turn in (*earlier, *day.turns) for call in turn.calls]:
        place = next((n for n, entry in enumerate(own) if is_call(entry, call)), None)
        own = own if place is None else own[place + 1 :]
    if begun is None or not own:
        return None
    pairs = zip(begun.calls, own, strict=False)
    answers = tuple(answer_of(entry) for call, entry in pairs if is_call(entry, call))
    if not answers:
        return None
    done = replace(begun, calls=begun.calls[: len(answers)], answers=answers)
    day.turns.append(done)
    return done


def is_call(entry: LogEntry, call: ToolCall) -> bool:
    """Whether *entry* records *call*."""
    same = entry.arguments == dict(call.arguments) or "unspeakable" in entry.arguments
    return entry.tool == call.name and same


def answer_of(entry: LogEntry, pictures: tuple[Picture, ...] = ()) -> ToolResult:
    """Return the answer that the agent got to *entry*; *pictures* are not in the log."""
    return ToolResult(
        text=told_text(entry.text, entry.until, entry.notices),
        data=entry.data if entry.ok else None,
        time=entry.until,
        failed=not entry.ok,
        notices=entry.notices,
        pictures=pictures,
    )


def read_journal(path: Path) -> list[JournalDay]:
    """Return the days of the journal at *path*, none if there is no journal.

    A last line that was not written to its end is ignored.
    """
    try:
        text = path.read_bytes()
    except OSError:
        return []
    days: list[JournalDay] = []
    for line in _lines(text):
        if isinstance(line, _DayBegins):
            days.append(JournalDay(line.place, line.prompt))
        elif days:
            _take(days[-1], line)
    return days


def journal_turns(text: bytes) -> Iterator[JournalTurn]:
    """Yield the turns that begin in the complete lines of *text*, without reading answers."""
    for line in text.splitlines():
        if line.startswith(_TURN):
            with suppress(ValidationError):
                yield JournalTurn.model_validate_json(line)


def _lines(text: bytes) -> Iterator[_Line]:
    """Yield the complete lines of *text*; lines that are not ours are left out."""
    for line in text[: text.rfind(b"\n") + 1].splitlines():
        with suppress(ValidationError):
            yield _LINE.validate_json(line)


def _take(day: JournalDay, line: _Line) -> None:
    if isinstance(line, JournalTurn):
        calls = tuple(ToolCall(call.name, call.arguments, call.id) for call in line.calls)
        thought = Thought(line.thought.message, line.thought.reasoning, line.thought.model)
        day.begun = TurnRecord(line.began, thought, calls, ())
    elif isinstance(line, _TurnEnds) and day.begun is not None:
        answers = tuple(map(_result, line.answers))
        calls = day.begun.calls[: len(answers)]
        day.turns.append(replace(day.begun, calls=calls, answers=answers))
        day.begun = None
    elif isinstance(line, _DayEnds):
        day.ended = line.ended


def _result(answer: JournalAnswer) -> ToolResult:
    return ToolResult(
        text=answer.text,
        data=answer.data,
        time=answer.time,
        failed=answer.failed,
        notices=answer.notices,
        pictures=tuple(Picture(base64.b64decode(data), kind) for kind, data in answer.pictures),
    )
