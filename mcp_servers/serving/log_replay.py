"""Replays a log on a freshly staged world, to restore the world at an earlier moment.

Replay, forks from an earlier moment and grading as of a deadline all use it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from pydantic import BaseModel, TypeAdapter, ValidationError

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.tool_variants import tool_variants
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.notes import ALTER_NOTES, alter_notes
from trainee_bench.world.thinking import THINK, ThinkingTime, think
from trainee_bench.world.week import END_DAY, NEXT_DAY
from trainee_bench.world.workbook import engine
from trainee_bench.world.world import ActionResult, World

_TEXTS = TypeAdapter(dict[str, str | None])


class ReplayDiverged(Exception):
    """A replayed action gave another result than recorded.

    ``seq`` is the number of the first such action in the log, ``what`` says how it differs.
    """

    def __init__(self, seq: int, what: str):
        super().__init__(f"action {seq} differs from its record: {what}")
        self.seq = seq
        self.what = what


async def replay_log(world: World, entries: Iterable[LogEntry]) -> None:
    """Apply *entries* to *world*, which must be in the state before the first of them.

    Recorded effects are used; no side effect runs again. Raises ReplayDiverged at the first
    action whose result, time or notices differ from the record.
    """
    dispatchers: dict[str, ToolDispatcher] = {}
    variants = await world.read(tool_variants)
    boxes = [box.varied(variants) for box in discover_toolboxes().values()]
    done: ActionResult[BaseModel]
    for entry in entries:
        if entry.actor:
            dispatcher = dispatchers.setdefault(
                entry.actor, ToolDispatcher(world, entry.actor, boxes)
            )
            done = await _repeat_call(dispatcher, entry)
        else:
            done = await _repeat_own_action(world, entry)
        difference = _difference(entry, done)
        if difference is not None:
            raise ReplayDiverged(entry.seq, f"{entry.tool}: {difference}")


async def _repeat_call(dispatcher: ToolDispatcher, entry: LogEntry) -> ActionResult[BaseModel]:
    """Repeat a call.

    The record decides whether the spreadsheet engine gave up, since that depends on the machine's
    speed.
    """
    if not entry.ok and entry.text == engine.GAVE_UP:
        return await dispatcher.refuse(entry.tool, entry.arguments, Invalid(entry.text))
    with engine.patient():
        return await dispatcher.call(entry.tool, entry.arguments, effects=entry.effects)


async def _repeat_own_action(world: World, entry: LogEntry) -> ActionResult[BaseModel]:
    """Repeat an action of the world itself. Raises ReplayDiverged if that is impossible now."""
    own: dict[str, Callable[[], Awaitable[ActionResult[BaseModel]]]] = {
        END_DAY: world.end_day,
        NEXT_DAY: world.begin_next_day,
        ALTER_NOTES: lambda: alter_notes(world, _TEXTS.validate_python(entry.arguments)),
        THINK: lambda: think(world, ThinkingTime.model_validate(entry.arguments)),
    }
    if entry.tool not in own:
        raise ReplayDiverged(entry.seq, f"the world has no action {entry.tool}")
    try:
        return await own[entry.tool]()
    except (Refused, Invalid, ValidationError) as error:
        raise ReplayDiverged(entry.seq, f"{entry.tool}: {error}") from None


def _difference(entry: LogEntry, done: ActionResult[BaseModel]) -> str | None:
    """Return how *done* differs from the record, None if it does not."""
    data = done.result.data.model_dump(mode="json") if done.result else None
    text = str(done.error) if done.error else done.result.text if done.result else ""
    pairs = {
        "its number": (entry.seq, done.seq or entry.seq),  # a copy that logs nothing has none
        "whether it succeeded": (entry.ok, done.error is None),
        "it began at": (entry.at, done.at),
        "it ended at": (entry.until, done.now),
        "its text": (entry.text, text),
        "its data": (entry.data, data),
        "its notices": (entry.notices, done.notices),
    }
    for what, (then, now) in pairs.items():
        if then != now:
            return f"{what} was {str(then)[:300]!r}, is {str(now)[:300]!r}"
    return None
