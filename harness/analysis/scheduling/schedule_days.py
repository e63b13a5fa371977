"""Read how the days of a run were scheduled, and the optimal day of each.

worlds/ID.world ──► MeasuredDay ───────────────┐
optimal/, or else the oracle's own day, worked ┼──► a picture per day of an episode, figures
worth/ID.json, if it was computed ─────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trainee_bench.harness.analysis.scheduling.schedule_picture import (
    SchedulePanel,
    draw_schedule,
    optimal_panel,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import DayKey, References
from trainee_bench.harness.analysis.worth.day_picture import draw_day
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.scheduling.measure import MeasuredDay, measure_days
from trainee_bench.harness.scheduling.reference import ReferenceDay, ReferenceStore
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


@dataclass(frozen=True)
class RunSchedules:
    """The figures of the optimal days, and the pictures of each episode's days by its id."""

    references: References = field(default_factory=dict)
    pictures: Mapping[str, Sequence[str]] = field(default_factory=dict)


async def read_schedules(
    folder: RunFolder,
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    worths: Mapping[str, EpisodeWorth],
) -> RunSchedules:
    """Read the schedules of all episodes in *folder* that left a world.

    If *worths* has the worth of an episode's steps, its pictures show what was still possible. The
    optimal days are stored with the run. A day that this version cannot compose, or whose world
    cannot be read, is left out: the report says why in place of its timeline. Raises OSError if an
    optimal day cannot be written.
    """
    finished = {result.episode: result for result in results if result.world is not None}
    optimal: dict[DayKey, tuple[ReferenceDay, ...]] = {}
    pictures: dict[str, list[str]] = {}
    store = ReferenceStore(folder.optimal)
    for episode in plan.episode_specs():
        result, key = finished.get(episode.id), (episode.scenario.name, episode.day_name)
        if result is None:
            continue
        composition = _composed(episode)
        own = await _own_days(folder, episode, composition) if composition else None
        if composition is None or own is None:
            continue
        if key not in optimal:
            optimal[key] = await store.days(composition)
        pictures[episode.id] = _pictures(result, own, optimal[key], worths.get(episode.id))
    figures = {key: [best.figures for best in days] for key, days in optimal.items()}
    return RunSchedules(figures, pictures)


async def _own_days(
    folder: RunFolder, episode: EpisodeSpec, composition: ComposedDay
) -> tuple[MeasuredDay, ...] | None:
    """Measure the agent's days; None if their world cannot be read."""
    try:
        async with await World.open(folder.world(episode)) as world:
            return await measure_days(world, composition)
    except (WorldFileError, ValueError, LookupError, TypeError):
        # The world is damaged, because written data is always readable.
        return None


def _pictures(
    result: EpisodeResult,
    own: Sequence[MeasuredDay],
    optimal: Sequence[ReferenceDay],
    worth: EpisodeWorth | None,
) -> list[str]:
    """Return a picture for each day, the agent's above the optimal one.

    If the *worth* of its steps is known, the picture also shows what was still possible.
    """
    kept = [day.schedule for day in result.days] if result.days else [result.schedule]
    recorded: list[ScheduleFigures | None] = kept if len(kept) == len(own) else [None] * len(own)
    scores = {task.task: task.score for task in result.tasks if task.score is not None}
    pictures = []
    for day, figures, best in zip(own, recorded, optimal, strict=True):
        shown = figures or day.figures
        reference = optimal_panel(best.day, best.figures)
        pictures.append(
            draw_schedule(SchedulePanel(result.agent, day, shown), reference)
            if worth is None
            else draw_day(worth, SchedulePanel(result.agent, day, shown, scores), reference)
        )
    return pictures


def _composed(episode: EpisodeSpec) -> ComposedDay | None:
    """Return the day as planned; None if it has no tasks or this version cannot compose it."""
    try:
        return composed(episode.scenario, episode.day)
    except (CompositionError, UnknownRuleError):
        return None
