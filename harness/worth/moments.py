"""The moments of a recorded day: its world after every action, as compressed bytes; and what it
had earned and could still earn then."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day, highest_score
from trainee_bench.harness.worth.decisions import VerdictHistory
from trainee_bench.mcp_servers import looking_tools
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade
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


_FAST = 1
"""The level of compression: a state shrinks to a tenth, and a higher level saves little more."""


@dataclass(frozen=True)
class Moment:
    """The world after an action.

    ``settled`` are the grades of the tasks that were due by then, ``at_most`` the highest score
    that they leave possible. ``as_before`` says that as much is possible as the moment before: the
    action only looked, and took no time.
    """

    now: datetime
    packed: bytes
    settled: Mapping[str, TaskGrade]
    at_most: float
    as_before: bool

    @property
    def state(self) -> bytes:
        """The world as `World.deserialize_inline` takes it."""
        return zlib.decompress(self.packed)

    async def finish(self, composition: ComposedDay) -> FinishedDay:
        """What comes of it if an honest worker goes on from here."""
        world = World.deserialize_inline(self.state)
        async with world:
            return await finish_day(world, composition, self.settled)


@dataclass(frozen=True)
class RecordedMoments:
    """The moments of a day from before its first action to after its last, its grade, and since
    when each checkpoint was as it is in it."""

    moments: tuple[Moment, ...]
    grade: DayGrade
    verdicts: VerdictHistory = field(default_factory=VerdictHistory)


async def read_moments(recorded: RecordedDay) -> RecordedMoments:
    """Stage the day anew and repeat its actions one by one. Raises ReplayDiverged if one of them
    gives another result than recorded."""
    composition, looking = recorded.composition, looking_tools()
    moments, verdicts, graded = list[Moment](), VerdictHistory(), list[DayGrade]()

    async def note(entry: LogEntry | None, world: World, grades: RunningGrade) -> None:
        only_looked = entry is not None and (entry.until == entry.at and entry.tool in looking)
        moments.append(await _moment(world, composition, grades.settled, only_looked))
        graded[:] = [grades.of(world)]
        verdicts.note(entry.seq if entry is not None else 0, graded[0].tasks)

    await replay_graded(recorded, note)
    return RecordedMoments(tuple(moments), graded[0], verdicts)


async def _moment(
    world: World, composition: ComposedDay, settled: Mapping[str, TaskGrade], as_before: bool
) -> Moment:
    packed = zlib.compress(await world.serialize(), _FAST)
    at_most = highest_score(composition, settled) or 0.0
    return Moment(await world.now(), packed, settled, at_most, as_before)


def moment_numbers(moments: Sequence[Moment]) -> list[int]:
    """The numbers of the moments that may differ from the one before."""
    return [number for number, one in enumerate(moments) if not (number and one.as_before)]
