"""The moments of a recorded day: its world after every action, as compressed bytes, what it had
earned then, and its value: the best score that was still possible.

    moments ──some are finished honestly──► outcomes ──best of all later ones──► values

An outcome is what an honest worker reaches from a moment: a score that is possible there. It is
possible at every earlier moment, too, since whoever stands there can go on as the agent did. So the
value of a moment is the best outcome of it and all later moments, and the values never rise.
Between two moments with the same outcome nothing is tried: the values there can hardly differ.
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
    state = day.state()
    world = World.deserialize_inline(state.world)
    try:
        return complete(finish_day(world, day.composition, state.settled))
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


Progress = Callable[[float], None]
"""Is told again and again for which share of the steps the value is known, from 0 to 1. What it
raises ends the computation."""


def unheard(share: float) -> None:
    """The progress that nobody waits for."""


@dataclass(frozen=True)
class ValueCurve:
    """The best outcome after each step, the first of them before any; what the day came to; and
    how many moments were tried."""

    best: tuple[DayGrade, ...]
    end: DayGrade
    tried: int


async def value_curve(
    composition: ComposedDay, recorded: RecordedMoments, progress: Progress = unheard
) -> ValueCurve:
    """The values of all moments of a day; *progress* is told after each copy."""
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
    """The best of the outcomes of each moment and all later ones, the day's own end included. Of
    equal ones the last counts, so that what the agent did is a way to it. A moment that is as the
    one before has its outcome: to look without taking time costs nothing."""
    outcomes = list[DayGrade | None]()
    for number, moment in enumerate(recorded.moments):
        outcomes.append(outcomes[-1] if number and moment.as_before else known.get(number))
    best, found = recorded.grade, list[DayGrade]()
    for outcome in reversed(outcomes):
        if outcome is not None and rank(outcome) > rank(best):
            best = outcome
        found.append(best)
    return tuple(reversed(found))
