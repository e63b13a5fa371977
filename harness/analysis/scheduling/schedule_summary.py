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
from trainee_bench.harness.records.schedule_figures import (
    ScheduleFigures,
    ValueFigures,
    total_schedule,
)

DayKey = tuple[str, str]
"""The scenario and the day by name, or ``week``."""
References = Mapping[DayKey, Sequence[ScheduleFigures]]
"""The figures of the optimal day, or of each day of the optimal week."""
NO_REFERENCES: References = {}
OPTIMAL = "optimal day"
"""Name of the oracle's own days in tables."""


@dataclass(frozen=True)
class WorkedDays:
    """The figures of one worked day of a scenario, or of each day of a week."""

    scenario: str
    days: Sequence[ScheduleFigures]


@dataclass(frozen=True)
class ScheduleSummary:
    """The schedules of one agent.

    ``lost`` and its causes are shares of the optimum: means over the days and whole weeks with a
    value. Counts and minutes are means per day. ``minutes_late`` is the mean over tasks that were
    submitted late, and ``question_delay`` the mean over facts that were told when asked; None
    without any. ``thinking`` is None if thinking took no time.
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
    thinking: float | None
    switches: Estimate | None
    question_delay: Estimate | None
    avoidable_wait: float
    facts_never_told: float
    other_calls: float


def schedule_summaries(
    results: Iterable[EpisodeResult], references: References
) -> list[ScheduleSummary]:
    """Return a summary per agent with measured days, the least lost first, then the optimal
    days."""
    worked: dict[str, list[WorkedDays]] = defaultdict(list)
    for result in results:
        worked[result.agent] += worked_days([result])
    found = [summarise_days(agent, days) for agent, days in worked.items() if days]
    found.sort(key=lambda summary: (summary.lost.mean if summary.lost else 2, summary.agent))
    optimal = [WorkedDays(scenario, days) for (scenario, _), days in references.items()]
    return [*found, *([summarise_days(OPTIMAL, optimal)] if optimal and found else [])]


def worked_days(results: Iterable[EpisodeResult]) -> list[WorkedDays]:
    """Return the measured days and weeks of *results*; none of an older version."""
    measured = (
        (result.scenario, [figures for _, figures in result.schedules]) for result in results
    )
    return [WorkedDays(scenario, days) for scenario, days in measured if days]


def summarise_days(agent: str, worked: Sequence[WorkedDays]) -> ScheduleSummary:
    """Return the summary of at least one day."""
    days = [figures for week in worked for figures in week.days]
    whole = [WorkedDays(week.scenario, [total_schedule(week.days)]) for week in worked]
    tasks = [task for day in days for task in day.tasks]
    late = [task.minutes_late for task in tasks if task.minutes_late]
    return ScheduleSummary(
        agent=agent,
        days=len(days),
        lost=_estimate(whole, lost_share, "value lost"),
        never_begun=_mean(whole, _share(lambda value: value.never_begun)),
        late=_mean(whole, _share(lambda value: value.late)),
        wrong=_mean(whole, _share(lambda value: value.wrong)),
        harmed=_mean(whole, _share(lambda value: value.harmed)),
        tasks_late=len(late) / len(days),
        minutes_late=sum(late) / len(late) if late else None,
        never_handed_in=sum(task.minutes_late is None for task in tasks) / len(days),
        idle=_estimate(worked, lambda day: [day.idle_minutes], "idle"),
        waiting=sum(day.waiting_minutes for day in days) / len(days),
        thinking=sum(day.thinking_minutes for day in days) / len(days) or None,
        switches=_estimate(worked, lambda day: [day.switches], "switches"),
        question_delay=_estimate(worked, question_delays, "questions"),
        avoidable_wait=sum(avoidable_wait(day) for day in days) / len(days),
        facts_never_told=sum(day.facts_never_told for day in days) / len(days),
        other_calls=sum(day.other_calls for day in days) / len(days),
    )


def question_delays(figures: ScheduleFigures) -> list[float]:
    """Return how late each fact that was told was asked for, in minutes."""
    return [asked.minutes_late for asked in figures.questions]


def mean_delay(figures: ScheduleFigures) -> float | None:
    """Return how late facts were asked for on average, in minutes; None if none was told when
    asked."""
    delays = question_delays(figures)
    return sum(delays) / len(delays) if delays else None


def avoidable_wait(figures: ScheduleFigures) -> int:
    """Return the minutes of waiting that earlier questions would have saved."""
    return sum(asked.minutes_waited for asked in figures.questions)


def _share(part: Callable[[ValueFigures], float]) -> Callable[[ScheduleFigures], list[float]]:
    """Return a function for a part of a day's value as a share of the optimum; empty without
    value."""

    def share(figures: ScheduleFigures) -> list[float]:
        value = figures.value
        return [part(value) / value.optimum] if value is not None and value.optimum else []

    return share


lost_share = _share(lambda value: value.lost)
"""The value lost on a day as a share of the optimum; empty without value."""


def _estimate(
    worked: Sequence[WorkedDays], values: Callable[[ScheduleFigures], Sequence[float]], *names: str
) -> Estimate | None:
    """Return the mean of all *values* with its interval over scenarios; all agents get the same
    draws."""
    by_scenario: dict[str, list[float]] = defaultdict(list)
    for week in worked:
        by_scenario[week.scenario] += [value for day in week.days for value in values(day)]
    units = [ScenarioTotal(sum(found), len(found)) for _, found in sorted(by_scenario.items())]
    return bootstrap_mean(units, "schedule", *names)


def _mean(
    worked: Sequence[WorkedDays], values: Callable[[ScheduleFigures], Sequence[float]]
) -> float | None:
    found = [value for week in worked for day in week.days for value in values(day)]
    return sum(found) / len(found) if found else None
