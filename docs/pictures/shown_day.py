"""The day of the README: worked, valued, and taken over by another agent, all by the product.

run ──► worth of its steps ──► fork at the last step at which all was possible ──► run
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from rich.console import Console

from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.analysis.scheduling.schedule_picture import SchedulePanel, optimal_panel
from trainee_bench.harness.analysis.worth.takeover_picture import Takeover
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import Run, create_run, execute
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.episodes.replay import read_recorded_day
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.worth import EpisodeWorth, StepLoss
from trainee_bench.harness.scheduling.measure import MeasuredDay, measure_day
from trainee_bench.harness.scheduling.reference import ReferenceDay, reference_days
from trainee_bench.harness.studio.forks import ForkRequest, create_fork
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.worth.moments import EarnedScore, earned_scores
from trainee_bench.world.world import World

BENCHMARK, SCENARIO = "core-50", "core-50-48"
AGENT, OTHER = "in_order", "oracle"
ABOUT_AGENT = (
    "works honestly but does not plan: it finishes each task before the next, even if it waits for "
    "hours"
)


@dataclass(frozen=True)
class ShownDay:
    """The day: its run, its result, the worth of its steps, and the agent that took it over."""

    run: Path
    result: EpisodeResult
    worth: EpisodeWorth
    own: MeasuredDay
    best: ReferenceDay
    takeover: Takeover

    @property
    def panels(self) -> tuple[SchedulePanel, SchedulePanel]:
        """The agent's schedule with its scores, and the optimal one."""
        scores = {task.task: task.score or 0.0 for task in self.result.tasks}
        figures = self.result.schedule or self.own.figures
        own = SchedulePanel(self.result.agent, self.own, figures, scores)
        return own, optimal_panel(self.best.day, self.best.figures)


def work_shown_day(folder: Path) -> ShownDay:
    """Work the day in a new run in *folder*, and let the other agent take it over."""
    options = RunOptions(config=Path(BENCHMARK), scenario=[SCENARIO], agent=[AGENT])
    run = create_run(build_plan(options), folder / "in-order")
    result = _finish(run)
    ((_, worth),) = store_worths(run.folder, result.episode, 1)
    assert isinstance(worth, EpisodeWorth), worth
    step = last_whole_step(worth)
    fork = anyio.run(_fork, run.folder.path, step, folder)
    other = _finish(fork)
    own, best, ours, others = anyio.run(_read, _world(run, result), _world(fork, other))
    takeover = Takeover(AGENT, OTHER, step, first_loss(worth).did, ours, others)
    return ShownDay(run.folder.path, result, worth, own, best, takeover)


def last_whole_step(worth: EpisodeWorth) -> int:
    """The last step after which as much was possible as in the morning."""
    most = worth.points[0].value
    return max(point.step for point in worth.points if point.value >= most)


def first_loss(worth: EpisodeWorth) -> StepLoss:
    """The first step that cost points: the one after the `last_whole_step`."""
    return next(loss for loss in worth.losses if loss.lost > 0)


def _finish(run: Run) -> EpisodeResult:
    (result,) = execute(run, Console(quiet=True)).results
    assert result.error is None and result.agent_error is None, result
    return result


def _world(run: Run, result: EpisodeResult) -> Path:
    return run.folder.path / str(result.world)


async def _fork(run: Path, step: int, home: Path) -> Run:
    """A run in *home* in which the other agent goes on after *step*."""
    (shown,) = ShownRuns((run,)).refresh()
    (episode,) = shown.episodes()
    history = await EpisodeHistory.open(episode)
    try:
        return await create_fork(history, ForkRequest(step=step, agents=(OTHER,)), home)
    finally:
        history.close()


async def _read(
    own: Path, other: Path
) -> tuple[MeasuredDay, ReferenceDay, Sequence[EarnedScore], Sequence[EarnedScore]]:
    recorded, taken_over = await read_recorded_day(own), await read_recorded_day(other)
    (best,) = await reference_days(recorded.composition)
    async with await World.open(own) as world:
        measured = await measure_day(world, recorded.composition)
    return measured, best, await earned_scores(recorded), await earned_scores(taken_over)
