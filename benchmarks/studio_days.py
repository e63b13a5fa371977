"""The days that `studio.py` shows: finished days, and eight running ones.

    python benchmarks/studio_days.py WORLD…

works the given worlds until it is stopped. It writes a note in each in turn, whose text is the time
in milliseconds since 1970.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import JsonValue

from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

LIVE_DAYS = 8
EVERY_SECONDS = 0.5
"""The interval between calls of each live day."""
TABLE = "workspace:/rows.xlsx"
ROWS, COLUMNS, MAILS = 5_000, 8, 50
STEPS, HEAVY_CALLS, HEAVY_BYTES, HEAVY_FILES = 500, 700, 140_000, 20
FURTHER_DAYS = 6
"""The further days, up to ten in all."""
Call = tuple[str, dict[str, JsonValue]]


@dataclass(frozen=True)
class WorkedDays:
    """The worlds by their size.

    They have 300 calls, 150 steps, 500 steps, or 700 calls with files of 140 kB; some are live, and
    further ones have 300 calls.
    """

    long: Path
    short: Path
    live: tuple[Path, ...]
    steps: Path
    heavy: Path
    further: tuple[Path, ...]

    @property
    def ten(self) -> tuple[Path, ...]:
        """Ten finished days; the heaviest is not the last."""
        return (self.long, self.short, self.heavy, self.steps, *self.further)


def free_day() -> Scenario:
    """A day on which no call takes time, so that it has room for any number of calls."""
    tools = [tool.name for toolbox in default_toolboxes().values() for tool in toolbox]
    return find_scenario().model_copy(update={"minutes": dict.fromkeys(tools, 0)})


def long_calls() -> list[Call]:
    """300 calls: a table of 5,000 rows, 50 mails, then calls of all kinds."""
    rows = [",".join(f"c{column}" for column in range(COLUMNS))]
    rows += [",".join(str(row * column % 997) for column in range(COLUMNS)) for row in range(ROWS)]
    calls: list[Call] = [
        ("files_write", {"path": "workspace:/rows.csv", "text": "\n".join(rows)}),
        ("sheets_convert", {"source": "workspace:/rows.csv", "target": TABLE}),
    ]
    text = "The figures of this week, as far as we know them. " * 12
    calls += [
        ("mail_send", {"to": ["{me}"], "subject": f"Figures {n}", "body": text})
        for n in range(MAILS)
    ]
    return [*calls, *mixed_calls(300 - len(calls))]


def mixed_calls(count: int) -> list[Call]:
    """*count* calls of several apps that change something, and some that read."""
    kinds: list[Call] = [
        ("desk_write_note", {"text": "Looked at the figures again."}),
        ("files_write", {"path": "workspace:/notes.md", "text": "{n} lines\n" * 40}),
        ("sheets_write", {"path": "workspace:/small.csv", "start": "A2", "rows": [["{n}", 2, 3]]}),
        ("mail_send", {"to": ["{me}"], "subject": "Note {n}", "body": "See the desk."}),
        ("desk_tasks", {}),
        ("mail_list", {}),
    ]
    begin: Call = ("sheets_create", {"path": "workspace:/small.csv", "rows": [["a", "b", "c"]]})
    return [begin, *(kinds[number % len(kinds)] for number in range(count - 1))]


def heavy_calls() -> list[Call]:
    """700 calls: every second one writes a text of 140 kB, the others read it or note something."""
    line = "{n} The figures of this week, as far as we know them, and what follows from them.\n"
    text = line * (HEAVY_BYTES // len(line))
    calls: list[Call] = []
    for number in range(0, HEAVY_CALLS, 2):
        path = f"workspace:/report_{number // 2 % HEAVY_FILES}.md"
        read: Call = ("files_read", {"path": path})
        noted: Call = ("desk_write_note", {"text": "Read the report once more."})
        calls += [("files_write", {"path": path, "text": text}), read if number % 4 else noted]
    return calls


async def work(path: Path, calls: Iterable[Call]) -> None:
    """Work a new day at *path* by *calls*."""
    async with await create_world(path, free_day()) as world:
        dispatcher, me = await seat(world)
        for number, (tool, arguments) in enumerate(calls):
            text = {name: filled(value, me, number) for name, value in arguments.items()}
            done = await dispatcher.call(tool, text)
            assert done.error is None, (tool, done.error)


async def seat(world: World) -> tuple[ToolDispatcher, str]:
    """The employee's calls in *world*, and the employee."""
    me = await world.read(lambda tx: tx.employee)
    return ToolDispatcher(world, me, default_toolboxes().values()), me


def filled(value: JsonValue, me: str, number: int) -> JsonValue:
    """*value* with ``{me}`` and ``{n}`` replaced in its texts."""
    if isinstance(value, str):
        return value.replace("{me}", me).replace("{n}", str(number))
    return [filled(item, me, number) for item in value] if isinstance(value, list) else value


async def work_days(folder: Path) -> WorkedDays:
    """All days, in *folder*."""
    days = WorkedDays(
        long=folder / "long.world",
        short=folder / "short.world",
        live=tuple(folder / f"live_{number}.world" for number in range(LIVE_DAYS)),
        steps=folder / "steps.world",
        heavy=folder / "heavy.world",
        further=tuple(folder / f"further_{number}.world" for number in range(FURTHER_DAYS)),
    )
    await work(days.long, long_calls())
    await work(days.short, mixed_calls(150))
    await work(days.steps, mixed_calls(STEPS))
    await work(days.heavy, heavy_calls())
    for path in days.further:
        await work(path, long_calls())
    for path in days.live:
        await work(path, mixed_calls(20))
    return days


async def go_on(paths: Iterable[str]) -> None:
    """Write notes in the worlds at *paths* until this process is ended."""
    async with AsyncExitStack() as stack:
        worlds = [await stack.enter_async_context(await World.open(Path(path))) for path in paths]
        seats = [(await seat(world))[0] for world in worlds]
        while True:
            for calls in seats:
                now = str(round(time.time() * 1000))
                await calls.call("desk_write_note", {"text": now})
                await anyio.sleep(EVERY_SECONDS / len(seats))


if __name__ == "__main__":
    anyio.run(go_on, sys.argv[1:])
