"""Repeats a recorded day action by action, and grades it after each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import World

Note = Callable[[LogEntry | None, World, RunningGrade], Awaitable[None]]
"""Takes an action, None for the morning; the world after it; and the grades, those of tasks that
were due settled."""


async def replay_graded(recorded: RecordedDay, note: Note) -> None:
    """Stage the day anew, and call *note* before its first action and after each. Raises
    ReplayDiverged if an action gives another result than recorded, and whatever *note* raises."""
    composition = recorded.composition
    world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        grades = RunningGrade(composition)
        for entry in (None, *recorded.log):
            if entry is not None:
                await replay_log(world, [entry])
            grades.settle(world, await world.now())
            await note(entry, world, grades)
