"""Paired differences of schedules: how each figure differs between two runs on the same instances.

Days are paired one by one, including those of a week; scenarios are resampled, as for scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, InstanceKey
from trainee_bench.harness.analysis.comparison.paired import PairedDifference, paired_difference
from trainee_bench.harness.analysis.scheduling.schedule_summary import (
    ScheduleSummary,
    lost_share,
    mean_delay,
    summarise_days,
    worked_days,
)
from trainee_bench.harness.analysis.statistics.bootstrap import ScenarioTotal
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.schedule_figures import ScheduleFigures, total_schedule

_DIGITS = 12
_Values = Sequence[float | None]


@dataclass(frozen=True)
class ScheduleMeasure:
    """A figure to compare: its title, unit and decimals, and its value on a day.

    The value is None if the day has none. With ``whole``, a week has one value instead of one per
    day.
    """

    title: str
    of_day: Callable[[ScheduleFigures], float | None]
    unit: str = ""
    decimals: int = 0
    whole: bool = False

    def values(self, result: EpisodeResult) -> _Values:
        """Return the values of the result's days; none if an older version wrote it."""
        days = [figures for _, figures in result.schedules]
        shown = [total_schedule(days)] if self.whole and days else days
        return [self.of_day(day) for day in shown]


MEASURES = (
    ScheduleMeasure(
        "value lost", lambda day: next((100 * lost for lost in lost_share(day)), None), " %",
        decimals=1, whole=True,
    ),
    ScheduleMeasure(
        "tasks late", lambda day: sum(bool(task.minutes_late) for task in day.tasks), decimals=2
    ),
    ScheduleMeasure(
        "never handed in", lambda day: sum(task.minutes_late is None for task in day.tasks),
        decimals=2,
    ),
    ScheduleMeasure("idle", lambda day: day.idle_minutes, " min"),
    ScheduleMeasure("switches", lambda day: day.switches, decimals=1),
    ScheduleMeasure("questions late", mean_delay, " min"),
)  # fmt: skip
"""All figures are per day."""


@dataclass(frozen=True)
class ScheduleDifference:
    """One figure: both runs' means over the days on which both have it, and the first minus the
    second."""

    measure: ScheduleMeasure
    one: float
    other: float
    by: PairedDifference


@dataclass(frozen=True)
class SchedulePair:
    """Two runs, by their labels, and the figures that both have."""

    one: str
    other: str
    differences: tuple[ScheduleDifference, ...]


@dataclass(frozen=True)
class ScheduleComparison:
    """The runs that have schedules, in the given order, and each pair of them."""

    runs: tuple[ScheduleSummary, ...]
    pairs: tuple[SchedulePair, ...]


def compare_schedules(runs: Sequence[ComparedRun]) -> ScheduleComparison:
    """Compare how *runs* scheduled the days on which they were graded in full.

    The runs must be comparable.
    """
    summaries = []
    for run in runs:
        results = [result for graded in run.graded_episodes().values() for result in graded]
        worked = worked_days(results)
        if worked:
            summaries.append(summarise_days(run.label, worked))
    pairs = (_pair(first, second) for first, second in combinations(runs, 2))
    return ScheduleComparison(tuple(summaries), tuple(pair for pair in pairs if pair.differences))


def _pair(first: ComparedRun, second: ComparedRun) -> SchedulePair:
    first_episodes, second_episodes = first.graded_episodes(), second.graded_episodes()
    found = (_difference(first_episodes, second_episodes, measure) for measure in MEASURES)
    kept = tuple(difference for difference in found if difference is not None)
    return SchedulePair(first.label, second.label, kept)


def _difference(
    first_episodes: Mapping[InstanceKey, Sequence[EpisodeResult]],
    second_episodes: Mapping[InstanceKey, Sequence[EpisodeResult]],
    measure: ScheduleMeasure,
) -> ScheduleDifference | None:
    """Return the difference over all days that have the figure on both sides; None without such
    days."""
    by_scenario: dict[str, list[tuple[float, float]]] = {}
    for instance in sorted(set(first_episodes) & set(second_episodes)):
        first_values, second_values = (
            _attempts_mean(side[instance], measure) for side in (first_episodes, second_episodes)
        )
        if len(first_values) == len(second_values):
            by_scenario.setdefault(instance[0], []).extend(
                (left, right)
                for left, right in zip(first_values, second_values, strict=True)
                if left is not None and right is not None
            )
    pairs = [pair for days in by_scenario.values() for pair in days]
    if not pairs:
        return None
    units = [
        ScenarioTotal(round(sum(left - right for left, right in days), _DIGITS), len(days))
        for days in by_scenario.values()
        if days
    ]
    return ScheduleDifference(
        measure,
        one=sum(left for left, _ in pairs) / len(pairs),
        other=sum(right for _, right in pairs) / len(pairs),
        by=paired_difference(units, "schedule", measure.title),
    )


def _attempts_mean(attempts: Sequence[EpisodeResult], measure: ScheduleMeasure) -> _Values:
    """Return for each day the mean over the attempts that have the figure."""
    worked = [values for attempt in attempts if (values := measure.values(attempt))]
    days = zip(*worked, strict=False)
    known = [[value for value in day if value is not None] for day in days]
    return [sum(values) / len(values) if values else None for values in known]
