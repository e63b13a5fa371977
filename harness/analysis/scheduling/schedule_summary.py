"""The schedules of a run by agent: means over days, with intervals over scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.schedule_figures import ScheduleFigures

DayKey = tuple[str, str]
"""The scenario and the day by their names."""
References = Mapping[DayKey, ScheduleFigures]
"""The figures of the optimal days."""
NO_REFERENCES: References = {}
OPTIMAL = "optimal day"
"""How the oracle's own days are called in tables."""


@dataclass(frozen=True)
class DayLine:
    """One worked day of a scenario and its figures."""

    scenario: str
    figures: ScheduleFigures


@dataclass(frozen=True)
class ScheduleSummary:
    """The schedules of one agent.

    ``lost`` and its causes are shares of the optimum, means over days with a value. Counts and
    minutes are means per day, but ``minutes_late`` is the mean over tasks that were handed in late,
    ``question_delay`` the mean over facts that were told when asked; None where there is none.
    """

    agent: str
    days: int
    lost: Estimate | None
    never_begun: float | None
    late: float | None
    wrong: float | None
    harmed: float | None
    tasks_late: float
    minutes_late: float | None
    never_handed_in: float
    idle: Estimate | None
    waiting: float
    switches: Estimate | None
    question_delay: Estimate | None
    avoidable_wait: float
    facts_never_told: float
    other_calls: float


def schedule_summaries(
    results: Iterable[EpisodeResult], references: References
) -> list[ScheduleSummary]:
    """A summary per agent with measured days, the least lost first; then that of the optimal days,
    if there are any."""
    lines: dict[str, list[DayLine]] = defaultdict(list)
    for result in results:
        if result.schedule is not None:
            lines[result.agent].append(DayLine(result.scenario, result.schedule))
    found = [summarise_days(agent, days) for agent, days in lines.items()]
    found.sort(key=lambda one: (one.lost.mean if one.lost else 2, one.agent))
    optimal = [DayLine(scenario, figures) for (scenario, _), figures in references.items()]
    return [*found, *([summarise_days(OPTIMAL, optimal)] if optimal and found else [])]


def summarise_days(agent: str, days: Sequence[DayLine]) -> ScheduleSummary:
    """The summary of at least one day."""
    tasks = [task for day in days for task in day.figures.tasks]
    late = [task.minutes_late for task in tasks if task.minutes_late]
    return ScheduleSummary(
        agent=agent,
        days=len(days),
        lost=_estimate(days, _share(lambda value: value.lost), "value lost"),
        never_begun=_mean(days, _share(lambda value: value.never_begun)),
        late=_mean(days, _share(lambda value: value.late)),
        wrong=_mean(days, _share(lambda value: value.wrong)),
        harmed=_mean(days, _share(lambda value: value.harmed)),
        tasks_late=len(late) / len(days),
        minutes_late=sum(late) / len(late) if late else None,
        never_handed_in=sum(task.minutes_late is None for task in tasks) / len(days),
        idle=_estimate(days, lambda one: [one.idle_minutes], "idle"),
        waiting=sum(day.figures.waiting_minutes for day in days) / len(days),
        switches=_estimate(days, lambda one: [one.switches], "switches"),
        question_delay=_estimate(
            days, lambda one: [asked.minutes_late for asked in one.questions], "questions"
        ),
        avoidable_wait=sum(avoidable_wait(day.figures) for day in days) / len(days),
        facts_never_told=sum(day.figures.facts_never_told for day in days) / len(days),
        other_calls=sum(day.figures.other_calls for day in days) / len(days),
    )


def avoidable_wait(figures: ScheduleFigures) -> int:
    """The minutes of waiting that earlier questions would have saved."""
    return sum(asked.minutes_waited for asked in figures.questions)


def _share(part: Callable[..., float]) -> Callable[[ScheduleFigures], list[float]]:
    """That part of a day's value as a share of the optimum; nothing of a day without value."""

    def share(figures: ScheduleFigures) -> list[float]:
        value = figures.value
        return [part(value) / value.optimum] if value is not None and value.optimum else []

    return share


def _estimate(
    days: Sequence[DayLine], values: Callable[[ScheduleFigures], Sequence[float]], *names: str
) -> Estimate | None:
    """The mean of all *values*, with its interval over scenarios; all agents get the same draws."""
    by_scenario: dict[str, list[float]] = defaultdict(list)
    for day in days:
        by_scenario[day.scenario] += values(day.figures)
    units = [ScenarioTotal(sum(found), len(found)) for _, found in sorted(by_scenario.items())]
    return bootstrap_mean(units, "schedule", *names)


def _mean(
    days: Sequence[DayLine], values: Callable[[ScheduleFigures], Sequence[float]]
) -> float | None:
    found = [value for day in days for value in values(day.figures)]
    return sum(found) / len(found) if found else None
