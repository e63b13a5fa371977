"""The score that a recorded day had earned after each step, as if the work had ended there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.episodes.replay import RecordedDay
from trainee_bench.harness.worth.graded_replay import replay_graded
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import World


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
