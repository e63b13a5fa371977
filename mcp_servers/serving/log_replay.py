"""The past stays reachable: a world staged again, and its log applied once more.

Replay, forks of an earlier moment, and grading as of a deadline are this one mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import ActionResult, World


class ReplayDiverged(Exception):
    """An action applied again came out otherwise than recorded: the first that did.

    ``seq`` is its number in the log.
    """

    def __init__(self, seq: int, what: str):
        super().__init__(f"action {seq} came out otherwise: {what}")
        self.seq = seq


async def replay_log(world: World, entries: Iterable[LogEntry]) -> None:
    """Apply *entries* to *world*, which stands as it did before the first of them.

    Recorded effects are handed in, never brought anew. Raises ReplayDiverged at the first
    action whose result, time or notices differ from the record.
    """
    seats: dict[str, ToolDispatcher] = {}
    for entry in entries:
        seat = seats.setdefault(
            entry.actor, ToolDispatcher(world, entry.actor, discover_toolboxes().values())
        )
        done = await seat.call(entry.tool, entry.arguments, effects=entry.effects)
        difference = _difference(entry, done)
        if difference is not None:
            raise ReplayDiverged(entry.seq, f"{entry.tool}: {difference}")


def _difference(entry: LogEntry, done: ActionResult[BaseModel]) -> str | None:
    """In what *done* differs from the record, if in anything."""
    data = done.result.data.model_dump(mode="json") if done.result else None
    text = str(done.error) if done.error else done.result.text if done.result else ""
    pairs = {
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
