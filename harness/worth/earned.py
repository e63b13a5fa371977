"""What an episode had earned and could still earn at each action, from its world's log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World


def still_reachable(day: Day) -> FinishedDay:
    """What comes of *day* if an honest worker goes on from here, in a copy; it takes 0.02 to 0.5 s.

    Its score is one outcome, not the best of all later ones as in `worth`, for these are not known
    yet: where the worker is slower than the agent, it may rise later. Raises DayNotBegun.
    """
    snapshot = day.snapshot()
    world = World.deserialize_inline(snapshot.world)
    try:
        return complete(finish_day(world, day.composition, snapshot.settled))
    finally:
        complete(world.close())


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


@dataclass(frozen=True)
class EarnedScore:
    """The score of a day as it stood at a time."""

    at: datetime
    score: float


async def earned_scores(recorded: RecordedDay) -> tuple[EarnedScore, ...]:
    """The score before the first action and after each. Raises ReplayDiverged if an action gives
    another result than recorded."""
    earned = list[EarnedScore]()

    async def note(_: LogEntry | None, world: World, grades: RunningGrade) -> None:
        earned.append(EarnedScore(await world.now(), grades.of(world).score or 0.0))

    await replay_graded(recorded, note)
    return tuple(earned)
