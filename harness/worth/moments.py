"""The moments of a recorded day, and the best score that was still possible at each.

    moments ──some are finished honestly──► outcomes ──best of all later ones──► values

A moment holds the world after an action, as compressed bytes, and what it had earned by then. Its
outcome is the score that an honest worker reaches from there. That score was possible at every
earlier moment, too, because an agent there could go on as the recorded one did. So a moment's value
is the best outcome of it and all later moments, and values never rise. Between two moments with
equal outcomes nothing is tried, because the values there can hardly differ.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day, highest_score, rank
from trainee_bench.harness.worth.decisions import VerdictHistory
from trainee_bench.harness.worth.losses import harm_kind
from trainee_bench.mcp_servers import read_only_tools
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World


def still_reachable(day: Day) -> FinishedDay:
    """Let an honest worker finish a copy of *day*; this takes 0.02 to 0.5 s.

    The score is a single outcome, not the best of all later ones as in `worth`, since these are not
    known yet. It may rise later if the worker is slower than the agent. Raises DayNotBegun.
    """
    state = day.state()
    world = World.deserialize_inline(state.world)
    try:
        return complete(finish_day(world, day.composition, state.settled))
    finally:
        complete(world.close())


Note = Callable[[LogEntry | None, World, RunningGrade], Awaitable[None]]
"""Callback that takes an action (None in the morning), the world after it, and the grades.

Tasks that were due by then are settled in the grades.
"""


async def replay_graded(recorded: RecordedDay, note: Note) -> None:
    """Stage the day again, and call *note* before its first action and after each action.

    Raises ReplayDiverged if an action gives another result than recorded, and whatever *note*
    raises.
    """
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
    """The score of a day at one time."""

    at: datetime
    score: float


async def earned_scores(recorded: RecordedDay) -> tuple[EarnedScore, ...]:
    """Return the score before the first action and after each action.

    Raises ReplayDiverged if an action gives another result than recorded.
    """
    earned = list[EarnedScore]()

    async def note(_: LogEntry | None, world: World, grades: RunningGrade) -> None:
        earned.append(EarnedScore(await world.now(), grades.of(world).score or 0.0))

    await replay_graded(recorded, note)
    return tuple(earned)


_FAST = 1
"""Compression level: a state shrinks to a tenth, and higher levels save little more."""


@dataclass(frozen=True)
class Moment:
    """The world after an action.

    ``settled`` has the grades of the tasks that were due by then, and ``at_most`` the highest score
    that they leave possible. ``as_before`` means that the action only looked and took no time, so
    the value is that of the previous moment.
    """

    now: datetime
    packed: bytes
    settled: Mapping[str, TaskGrade]
    at_most: float
    as_before: bool

    @property
    def state(self) -> bytes:
        """The world in the form that `World.deserialize_inline` takes."""
        return zlib.decompress(self.packed)

    async def finish(self, composition: ComposedDay) -> FinishedDay:
        """Let an honest worker finish the day from here."""
        world = World.deserialize_inline(self.state)
        async with world:
            return await finish_day(world, composition, self.settled)


@dataclass(frozen=True)
class RecordedMoments:
    """The moments of a day from before its first action to after its last, and its grade.

    ``verdicts`` has the step since which each verdict holds.
    """

    moments: tuple[Moment, ...]
    grade: DayGrade
    verdicts: VerdictHistory = field(default_factory=VerdictHistory)


async def read_moments(recorded: RecordedDay) -> RecordedMoments:
    """Stage the day again and repeat its actions one by one.

    Raises ReplayDiverged if an action gives another result than recorded.
    """
    composition, looking = recorded.composition, read_only_tools()
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
    """Return the numbers of the moments that may differ from the previous one."""
    return [number for number, moment in enumerate(moments) if not (number and moment.as_before)]


Progress = Callable[[float], None]
"""Callback that gets the share of the steps whose value is known, from 0 to 1.

An exception from it ends the computation.
"""


def unheard(share: float) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class ValueCurve:
    """The best outcome before the first step and after each, the grade at the end, and the copies
    tried."""

    best: tuple[DayGrade, ...]
    end: DayGrade
    tried: int


async def value_curve(
    composition: ComposedDay, recorded: RecordedMoments, progress: Progress = unheard
) -> ValueCurve:
    """Compute the values of all moments of a day; *progress* is called after each copy."""
    moments = recorded.moments
    numbers = moment_numbers(moments)
    outcomes: dict[int, DayGrade] = {}
    spans = [(0, len(numbers) - 1)]
    for place in {0, len(numbers) - 1}:
        outcomes[place] = await _outcome(composition, moments[numbers[place]])
        progress(0.0)
    known_steps = 0
    while spans:
        first, last = spans.pop()
        if last - first < 2 or (_shown(outcomes[first]) == _shown(outcomes[last])):
            known_steps += last - first
            progress(known_steps / max(1, len(numbers) - 1))
            continue
        middle = (first + last) // 2
        outcomes[middle] = await _outcome(composition, moments[numbers[middle]])
        spans += [(first, middle), (middle, last)]
    progress(1.0)
    known = {numbers[place]: grade for place, grade in outcomes.items()}
    return ValueCurve(_running_best(known, recorded), recorded.grade, len(outcomes))


async def _outcome(composition: ComposedDay, moment: Moment) -> DayGrade:
    return (await moment.finish(composition)).grade


def _shown(grade: DayGrade) -> Sequence[object]:
    return [
        (task.task, task.score, task.success, [harm_kind(text) for text in task.harm])
        for task in grade.tasks
    ]


def _running_best(known: dict[int, DayGrade], recorded: RecordedMoments) -> tuple[DayGrade, ...]:
    """Return the best outcome of each moment and all later ones, including the day's own end.

    Among equal outcomes the last counts, so that the agent's own actions lead to it. A moment with
    ``as_before`` shares the previous outcome: looking without taking time costs nothing.
    """
    outcomes = list[DayGrade | None]()
    for number, moment in enumerate(recorded.moments):
        outcomes.append(outcomes[-1] if number and moment.as_before else known.get(number))
    best, found = recorded.grade, list[DayGrade]()
    for outcome in reversed(outcomes):
        if outcome is not None and rank(outcome) > rank(best):
            best = outcome
        found.append(best)
    return tuple(reversed(found))
