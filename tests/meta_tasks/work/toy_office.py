"""A small office for the engine: notes that change while one works, and sums that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.engine import Engine
from trainee_bench.meta_tasks.work.habits import ways_with
from trainee_bench.meta_tasks.work.need import LastDone, Need, Source, Work
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.sources import TaskRoot
from trainee_bench.world.notices import Notice, NoticeKind

STARTS, ENDS = datetime(2026, 5, 4, 8), datetime(2026, 5, 4, 17)
TASK = "T1"


@dataclass(frozen=True)
class Change:
    """A change: after so many calls a note has another value."""

    after: int
    note: int
    value: int


@dataclass
class ToyOffice:
    """Notes by number, *changes* to come, and what was written. Each call takes a minute; it tells
    what changed while it was made."""

    notes: list[int]
    changes: Sequence[Change] = ()
    calls: int = 0
    now: datetime = STARTS
    log: list[tuple[str, tuple[JsonValue, ...]]] = field(default_factory=list)
    written: list[int] = field(default_factory=list)

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Make one call."""
        data: dict[str, JsonValue] = {"day_ends": ENDS.isoformat(), "tasks": []}
        if tool == "look" and arguments["note"] not in range(len(self.notes)):
            raise ToolFailed("there is no such note", self.now)
        if tool == "look":
            data["value"] = self.notes[int(str(arguments["note"]))]
        elif tool == "write":
            self.written.append(int(str(arguments["value"])))
        self.log.append((tool, tuple(arguments.values())))
        self.now += timedelta(minutes=1)
        if tool == "desk_wait" and not self.changes:
            until = datetime.strptime(str(arguments["until"]), "%H:%M").time()
            self.now = max(self.now, datetime.combine(STARTS, until))
        self.calls += 1
        due = [change for change in self.changes if change.after <= self.calls]
        self.changes = [change for change in self.changes if change.after > self.calls]
        if tool == "desk_wait" and self.changes:  # a wait ends at the first news
            due, self.changes = [*due, self.changes[0]], self.changes[1:]
        for change in due:
            self.notes[change.note] = change.value
        told = tuple(Notice(at=self.now, kind=NoticeKind.NEWS, text="a note") for _ in due)
        return ToolResponse("", data, self.now, notices=told)


@dataclass(frozen=True)
class NoteSays(Source[int]):
    """The value of a note."""

    number: int
    told: ClassVar[frozenset[NoticeKind]] = frozenset({NoticeKind.NEWS})

    async def satisfy(self, work: Work) -> int:
        return int((await work.call("look", note=self.number)).data["value"])


@dataclass(frozen=True)
class PairSays(Source[int]):
    """The sum of a note and the next one, which are looked at one after the other."""

    number: int
    told: ClassVar[frozenset[NoticeKind]] = NoteSays.told

    async def satisfy(self, work: Work) -> int:
        first = int((await work.call("look", note=self.number)).data["value"])
        return first + int((await work.call("look", note=self.number + 1)).data["value"])


@dataclass(frozen=True)
class Checked(Need[int]):
    """A need that is done with a call of its own once another one is known."""

    checks: Need[int]

    async def satisfy(self, work: Work) -> int:
        known = await work(self.checks)
        await work.call("check", value=known)
        return known


@dataclass(frozen=True)
class Kept(Need[int]):
    """An appointment so many minutes after the day begins is kept; it comes to nothing."""

    minutes: int

    async def satisfy(self, work: Work) -> int:
        await work.keep(STARTS + timedelta(minutes=self.minutes))
        await work.call("check", value=0)
        return 0


@dataclass(frozen=True)
class Sum(Need[int]):
    """The sum of some needs, modulo a number: often unchanged though a part has changed."""

    parts: tuple[Need[int], ...]
    modulo: int

    async def satisfy(self, work: Work) -> int:
        total = 0
        for part in self.parts[: len(self.parts) // 2]:  # one after the other
            total += await work(part)
        rest = await work.all(self.parts[len(self.parts) // 2 :])  # side by side
        return (total + sum(rest)) % self.modulo


@dataclass(frozen=True)
class Choice(Need[int]):
    """One need or another: which of them is used depends on a third."""

    chooses: Need[int]
    even: Need[int]
    odd: Need[int]

    async def satisfy(self, work: Work) -> int:
        chosen = self.odd if await work(self.chooses) % 2 else self.even
        return await work(chosen)


@dataclass(frozen=True)
class Written(Need[None]):
    """A value that was written last."""

    value: int

    async def satisfy(self, work: Work) -> None:
        last = LastDone("value")
        if await work(last) != self.value:
            await work.call("write", value=self.value)
            work.note(last, self.value)


def employed(office: ToyOffice, wanted: Need[int]) -> tuple[Engine, Planner]:
    """Return a worker that writes the value of *wanted*."""

    async def root(work: Work, need: Need[object]) -> None:
        await work(Written(await work(wanted)))

    engine = Engine(office, ways_with((), {TaskRoot: root}), [TaskRoot(TASK)], {}, True)
    return engine, Planner(engine, {})


def fresh(need: Need[int], notes: Sequence[int]) -> int:
    """Return the value of *need* if nothing changes any more."""
    match need:
        case NoteSays(number):
            return notes[number]
        case PairSays(number):
            return notes[number] + notes[number + 1]
        case Checked(checks):
            return fresh(checks, notes)
        case Sum(parts, modulo):
            return sum(fresh(part, notes) for part in parts) % modulo
        case Choice(chooses, even, odd):
            return fresh(odd if fresh(chooses, notes) % 2 else even, notes)
    raise ToolFailed(f"{need} is no need of this office")
