"""Reads how the days of a run were scheduled, and works the optimal day of each.

worlds/ID.world ──► MeasuredDay ─┐
plan ──► the oracle's own day ───┴──► a picture per episode, figures per day
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
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.scheduling.measure import measure_day
from trainee_bench.harness.scheduling.reference import ReferenceDay, reference_day
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


@dataclass(frozen=True)
class RunSchedules:
    """The figures of the optimal days, and the picture of each episode's day by its id."""

    references: References = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)


async def read_schedules(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]
) -> RunSchedules:
    """The schedules of all episodes in *folder* that left a world.

    Those of weeks are not measured. A day that this version cannot compose, or whose world cannot
    be read, has neither: the report says why in the place of its timeline.
    """
    finished = {result.episode: result for result in results if result.world is not None}
    composed: dict[DayKey, ComposedDay | None] = {}
    optimal: dict[DayKey, ReferenceDay] = {}
    pictures: dict[str, str] = {}
    for episode in plan.episode_specs():
        result, key = finished.get(episode.id), (episode.scenario.name, episode.day_name)
        if result is None or episode.scenario.week:
            continue
        if key not in composed:
            composed[key] = _composed(episode)
        composition = composed[key]
        own = await _own_panel(folder, episode, result, composition) if composition else None
        if composition is None or own is None:
            continue
        if key not in optimal:
            optimal[key] = await reference_day(composition)
        best = optimal[key]
        pictures[episode.id] = draw_schedule(own, optimal_panel(best.day, best.figures))
    return RunSchedules({key: best.figures for key, best in optimal.items()}, pictures)


async def _own_panel(
    folder: RunFolder, episode: EpisodeSpec, result: EpisodeResult, composition: ComposedDay
) -> SchedulePanel | None:
    """The agent's day as it is drawn; None if its world cannot be read."""
    try:
        async with await World.open(folder.world(episode)) as world:
            measured = await measure_day(world, composition)
    except (WorldFileError, ValueError, LookupError, TypeError):
        # a damaged world: what was written is always readable
        return None
    return SchedulePanel(result.agent, measured, result.schedule or measured.figures)


def _composed(episode: EpisodeSpec) -> ComposedDay | None:
    """The day as it was planned; None if it has no tasks or this version cannot compose it."""
    try:
        return compose_day(episode.scenario, episode.day)
    except (CompositionError, UnknownRuleError):
        return None
