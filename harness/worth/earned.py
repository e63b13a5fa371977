"""The score that a recorded day had earned after each step, as if the work had ended there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import day_grade
from trainee_bench.world.world import World


@dataclass(frozen=True)
class EarnedScore:
    """The score of a day as it stood at a time."""

    at: datetime
    score: float


async def earned_scores(recorded: RecordedDay) -> tuple[EarnedScore, ...]:
    """The score before the first action and after each. Raises ReplayDiverged if an action gives
    another result than recorded."""
    composition = recorded.composition
    world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        grades = RunningGrade(composition)
        earned = [await _earned(world, grades, recorded)]
        for entry in recorded.log:
            await replay_log(world, [entry])
            earned.append(await _earned(world, grades, recorded))
    return tuple(earned)


async def _earned(world: World, grades: RunningGrade, recorded: RecordedDay) -> EarnedScore:
    now = await world.now()
    grades.settle(world, now)
    grade = day_grade(recorded.composition, grades.of(world))
    return EarnedScore(now, grade.score or 0.0)
