"""The moments of a recorded day: its world after every action, as compressed bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day, highest_score
from trainee_bench.harness.worth.decisions import VerdictHistory
from trainee_bench.harness.worth.earned import replay_graded
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import World

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
        only_looked = entry is not None and _only_looks(entry, looking)
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


def looking_tools() -> frozenset[str]:
    """The tools that change nothing."""
    tools = (tool for box in discover_toolboxes().values() for tool in box)
    return frozenset(tool.name for tool in tools if tool.read_only)


def _only_looks(entry: LogEntry, looking: frozenset[str]) -> bool:
    return entry.until == entry.at and entry.tool in looking


def moment_numbers(moments: Sequence[Moment]) -> list[int]:
    """The numbers of the moments that may differ from the one before."""
    return [number for number, one in enumerate(moments) if not (number and one.as_before)]
