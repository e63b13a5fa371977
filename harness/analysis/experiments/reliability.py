"""How reliable agents are, and how small a difference a benchmark of this size can tell.

Every agent attempts each day several times. The variance is split by day and by attempt, which says
what more days or more attempts would give.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.comparison.paired import MIN_DIFFERING_SCENARIOS
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
)
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.report.attempts_section import attempts_sections
from trainee_bench.harness.analysis.report.confidence_section import confidence_sections
from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    bootstrap_statistic,
    format_estimate,
)
from trainee_bench.harness.analysis.statistics.summary import BROKEN_AS_0, score_in_mean
from trainee_bench.harness.analysis.statistics.variance import (
    FEW_DAYS,
    UNLIMITED,
    DaySummary,
    DifferenceComponents,
    VarianceComponents,
    alike_agents,
    difference_components,
    split_variance,
    variance_components,
)
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import (
    Block,
    Chart,
    Charts,
    Column,
    Document,
    Grid,
    Paragraph,
    Row,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import (
    NO_VALUE,
    format_count,
    format_number,
    pluralize,
)
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult

_TITLE = "Reliability"
_SPLIT_NOTE = (
    "One-way analysis of variance with random effects, over attempts that were graded in full. "
    "Each day counts by itself, also several days of one scenario. The day's share is the "
    "intraclass correlation: 1 if every attempt at a day gives the same value, 0 if days do not "
    "differ. The standard error is that of the mean of this run, for days drawn from many; a dash "
    "means that all attempts gave the same value, so that this run does not tell it."
)
_DIFFERENCE_NOTE = (
    "The smallest true difference between two agents that is detected with a chance of 80 %, at "
    "the two-sided 5 % level, if both work the same days: (z(0.975) + z(0.8)) times the standard "
    "error of the mean difference. The other columns have more days or attempts than this run. "
    "With unlimited attempts, only the choice of days is left to chance."
)
_LIMITS_NOTE = (
    "A dash means that this run shows no variance from which the figure could be estimated, not "
    "that any difference can be told. “Above 1” means that no difference is large enough. Where "
    "nearly all or nearly no days are complete, the figures are too small, because the variance "
    "grows with the difference. The command compare also calls a difference a tie unless at least "
    f"{MIN_DIFFERING_SCENARIOS} scenarios differ."
)
_ALIKE_NOTE = (
    "A row for one agent is about that agent and another with the same variances. If the same days "
    "are hard for both, the days cancel out; if other days are hard, they do not."
)
_TOO_FEW = (
    "The variance cannot be split: no agent has two days of which one was attempted twice. Run "
    "several days with --epochs 3."
)
DayKey = tuple[str, str]
"""A scenario and one of its days, by name."""
Values = Mapping[DayKey, Sequence[float]]
"""The values of one agent's attempts, by day."""


@dataclass(frozen=True)
class AttemptMeasure:
    """A figure of an attempt: its value, and the value that counts if it could not be graded."""

    title: str
    value: Callable[[EpisodeResult], float]
    of_all: Callable[[EpisodeResult], float]


def _complete(result: EpisodeResult) -> float:
    return float(result.success)


def _score(result: EpisodeResult) -> float:
    return score_in_mean(result, broken_as_0=False) or 0.0


def _score_of_all(result: EpisodeResult) -> float:
    return score_in_mean(result, broken_as_0=True) or 0.0


MEASURES = (
    AttemptMeasure(
        "complete", _complete, lambda result: float(result.success and not result.broken)
    ),
    AttemptMeasure("score", _score, _score_of_all),
)


class ReliabilityExperiment(Experiment):
    """Several attempts of each agent at the same days."""

    name = "reliability"
    config = "core-50"
    any_run = True

    def plan(self, options: RunOptions) -> RunPlan:
        """Return the plan. Raises PlanError, also unless each day is attempted several times."""
        if options.epochs < 2:
            raise PlanError("reliability needs several attempts at each day: add --epochs 3.")
        return super().plan(options)

    def page(self, results: ExperimentResults) -> Document:
        """Return the split of the variance, the differences that can be told, and pass^k."""
        names = agents_by_score(results.all)
        split = _split_rows(results.all, names)
        pairs = _pairs(results.all, names)
        grid = Grid.from_rows(_SPLIT_COLUMNS, split, left_columns=2)
        blocks = (grid, Paragraph(_SPLIT_NOTE, "note"), meanings_of(grid))
        return experiment_document(
            _TITLE,
            Section("Variance by day and by attempt", blocks),
            Section("Smallest difference that can be told", _difference_blocks(pairs)),
            *attempts_sections(results.all),
            *confidence_sections(results.all),
            conditions_section(results),
        )


def _values(
    results: Sequence[EpisodeResult], agent: str, measure: AttemptMeasure
) -> dict[DayKey, list[float]]:
    """Return the values of the attempts of *agent* that were graded in full, by day."""
    found: dict[DayKey, list[float]] = defaultdict(list)
    for result in results_of_agent(results, agent):
        if not result.broken:
            found[result.scenario, result.day].append(measure.value(result))
    return dict(sorted(found.items()))


# the variance ------------------------------------------------------------------------------

_SPLIT_COLUMNS = (
    Column("agent"),
    Column("measure"),
    Column("days", "days or weeks with an attempt that was graded in full"),
    Column("attempts", "attempts that were graded in full"),
    Column("broken", "attempts that could not be graded in full"),
    Column("mean", "mean over days of the mean of their attempts, without broken attempts"),
    Column(BROKEN_AS_0, "the same mean if broken attempts count as failures"),
    Column("sd of days", "standard deviation between days, without the chance of attempts"),
    Column("sd of attempts", "standard deviation between attempts at the same day"),
    Column("day's share", "intraclass correlation, with its 95 % interval over scenarios"),
    Column("standard error", "standard error of the mean of this run"),
)


def _split_rows(results: Sequence[EpisodeResult], names: Sequence[str]) -> list[Row]:
    """Return a row for each agent and measure; those that cannot be split have dashes."""
    rows: list[Row] = []
    for agent in names:
        own = results_of_agent(results, agent)
        for measure in MEASURES:
            values = _values(results, agent, measure)
            components = variance_components(values.values())
            rows.append(
                [
                    agent,
                    measure.title,
                    str(len(values)),
                    str(sum(map(len, values.values()))),
                    format_count(sum(result.broken for result in own)),
                    format_number(_mean_by_day(values), 3),
                    format_number(_mean_by_day(_values_of_all(own, measure)), 3),
                    *_component_cells(components, values, agent, measure),
                ]
            )
    return rows


def _values_of_all(own: Sequence[EpisodeResult], measure: AttemptMeasure) -> Values:
    found: dict[DayKey, list[float]] = defaultdict(list)
    for result in own:
        found[result.scenario, result.day].append(measure.of_all(result))
    return found


def _mean_by_day(values: Values) -> float | None:
    means = [sum(own) / len(own) for own in values.values()]
    return sum(means) / len(means) if means else None


def _component_cells(
    components: VarianceComponents | None, values: Values, agent: str, measure: AttemptMeasure
) -> list[str]:
    if components is None:
        return [format_number(None)] * 4
    scenarios: dict[str, list[DaySummary]] = defaultdict(list)
    for (scenario, _), own in values.items():
        scenarios[scenario].append(DaySummary.of(own))
    share = bootstrap_statistic(list(scenarios.values()), _day_share, agent, measure.title)
    error = components.standard_error(components.days, components.attempts)
    return [
        format_number(sqrt(max(components.day, 0.0)), 3),
        format_number(sqrt(components.attempt), 3),
        format_estimate(share),
        format_number(error or None, 3),
    ]


def _day_share(scenarios: Sequence[Sequence[DaySummary]]) -> float | None:
    """Return the share of all days of these *scenarios*."""
    components = split_variance([own for days in scenarios for own in days])
    return components.day_share if components is not None else None


# the differences that can be told -------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    """Two agents, or one and an equal of it, with the components of their difference."""

    name: str
    measure: str
    components: DifferenceComponents
    alone: bool = False


def _pairs(results: Sequence[EpisodeResult], names: Sequence[str]) -> list[_Pair]:
    """Return each pair of agents whose difference can be split, and each agent without such a pair
    with its equals."""
    found: list[_Pair] = []
    for measure in MEASURES:
        values = {name: _values(results, name, measure) for name in names}
        paired = set[str]()
        for one, other in combinations(names, 2):
            components = difference_components(values[one], values[other])
            if components is not None:
                found.append(_Pair(f"{one} – {other}", measure.title, components))
                paired |= {one, other}
        for name in names:
            if name not in paired:
                found += _equals(name, measure, values[name])
    return found


def _equals(agent: str, measure: AttemptMeasure, values: Values) -> list[_Pair]:
    components = variance_components(values.values())
    if components is None:
        return []
    unlike = alike_agents(components, days_in_common=False)
    alike = alike_agents(components, days_in_common=True)
    return [
        _Pair(f"{agent}, other days hard", measure.title, unlike, alone=True),
        _Pair(f"{agent}, same days hard", measure.title, alike, alone=True),
    ]


_GROWTH: tuple[tuple[str, float, float], ...] = (
    ("this run", 1, 1),
    ("2 × days", 2, 1),
    ("4 × days", 4, 1),
    ("2 × attempts", 1, 2),
    ("4 × attempts", 1, 4),
    ("unlimited attempts", 1, UNLIMITED),
)
"""Sizes of a benchmark: times as many days, and times as many attempts, as in this run."""
_CHART_ATTEMPTS = (1, 2, 4, 8, 16)
_CHART_DAYS = (1, 2, 4)


_DIFFERENCE_COLUMNS = (
    Column("pair"),
    Column("measure"),
    Column(
        "days × attempts",
        "days that both attempted; attempts of each at a day. If these differ, it is the number "
        "that would tell as much",
    ),
    Column("difference", "mean difference in this run, the first agent minus the second"),
    *(Column(name) for name, *_ in _GROWTH),
)


def _difference_blocks(pairs: Sequence[_Pair]) -> tuple[Block, ...]:
    if not pairs:
        return (Paragraph(_TOO_FEW, "warning"),)
    rows = [
        [
            pair.name,
            pair.measure,
            f"{pair.components.days} × {format_number(pair.components.attempts, 1)}",
            NO_VALUE if pair.alone else f"{pair.components.mean:+z.3f}",
            *(_smallest(value) for value in _growth(pair.components)),
        ]
        for pair in pairs
    ]
    grid = Grid.from_rows(_DIFFERENCE_COLUMNS, rows, left_columns=2)
    alone = any(pair.alone for pair in pairs)
    drawn = _first_pairs(pairs)
    named = "; ".join(dict.fromkeys(pair.name for pair in drawn))
    return (
        grid,
        *_few_days(min(pair.components.days for pair in pairs)),
        Paragraph(_DIFFERENCE_NOTE, "note"),
        Paragraph(_LIMITS_NOTE, "note"),
        *((Paragraph(_ALIKE_NOTE, "note"),) if alone else ()),
        meanings_of(grid),
        Charts(tuple(_chart(first) for first in drawn)),
        Paragraph(f"The pictures show: {named}.", "note"),
    )


def _smallest(value: float) -> str:
    """Return a smallest difference as text. No two figures from 0 to 1 differ by more than 1."""
    return "above 1" if value > 1 else format_number(value or None, 3)


def _few_days(days: int) -> tuple[Paragraph, ...]:
    """Warn of the normal approximation if the pair with the fewest has so few *days*."""
    if days >= FEW_DAYS:
        return ()
    text = (
        f"These differences are rough, because a row has only {pluralize(days, 'day')}: with fewer "
        f"than about {FEW_DAYS}, equal agents are called different too often."
    )
    return (Paragraph(text, "warning"),)


def _first_pairs(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the first pair of each measure."""
    first: dict[str, _Pair] = {}
    for pair in pairs:
        first.setdefault(pair.measure, pair)
    return list(first.values())


def _growth(components: DifferenceComponents) -> list[float]:
    return [
        components.detectable(components.days * days, components.attempts * attempts)
        for _, days, attempts in _GROWTH
    ]


def _chart(pair: _Pair) -> Chart:
    """Draw the smallest difference over the number of attempts, a line for each number of days."""
    components = pair.components
    lines = [
        Series(
            pluralize(components.days * times, "day"),
            tuple(
                Estimate(components.detectable(components.days * times, attempts), None, None)
                for attempts in _CHART_ATTEMPTS
            ),
        )
        for times in _CHART_DAYS
    ]
    top = max((value.mean for line in lines for value in line.values if value), default=0.0)
    title = f"Smallest difference ({pair.measure}), by attempts"
    labels = [str(attempts) for attempts in _CHART_ATTEMPTS]
    return Chart(f"figure-{pair.measure}", title, line_chart(title, labels, lines, top or 1.0))
