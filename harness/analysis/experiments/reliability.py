"""How reliable agents are, and how small a difference a benchmark of this size can tell.

Every agent attempts each day several times. The variance is split by day and by attempt, which says
what more days or more attempts would give.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from trainee_bench.harness.analysis.experiments.attempt_values import (
    MEASURES,
    AttemptMeasure,
    Values,
    values_by_day,
    values_of_all_by_day,
)
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
)
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.experiments.smallest_differences import (
    difference_blocks,
    difference_pairs,
    told_in_words,
)
from trainee_bench.harness.analysis.report.attempts_section import attempts_sections
from trainee_bench.harness.analysis.report.confidence_section import confidence_sections
from trainee_bench.harness.analysis.statistics.bootstrap import (
    bootstrap_statistic,
    format_estimate,
)
from trainee_bench.harness.analysis.statistics.summary import BROKEN_AS_0
from trainee_bench.harness.analysis.statistics.variance import (
    DaySummary,
    VarianceComponents,
    split_variance,
    variance_components,
)
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import (
    Column,
    Document,
    Grid,
    Paragraph,
    Row,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import (
    format_count,
    format_number,
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
        pairs = difference_pairs(results.all, names)
        grid = Grid.from_rows(_SPLIT_COLUMNS, split, left_columns=2)
        blocks = (grid, Paragraph(_SPLIT_NOTE, "note"), meanings_of(grid))
        document = experiment_document(
            _TITLE,
            Section("Variance by day and by attempt", blocks),
            Section("Smallest difference that can be told", difference_blocks(pairs, names)),
            *attempts_sections(results.all),
            *confidence_sections(results.all),
            conditions_section(results),
        )
        return replace(document, lead=told_in_words(pairs))


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
    Column(
        "day's share",
        "intraclass correlation, with its 95 % interval over scenarios; without brackets, this run "
        "does not tell an interval",
    ),
    Column("standard error", "standard error of the mean of this run"),
)


def _split_rows(results: Sequence[EpisodeResult], names: Sequence[str]) -> list[Row]:
    """Return a row for each agent and measure; those that cannot be split have dashes."""
    rows: list[Row] = []
    for agent in names:
        own = results_of_agent(results, agent)
        for measure in MEASURES:
            values = values_by_day(results, agent, measure)
            components = variance_components(values.values())
            rows.append(
                [
                    agent,
                    measure.title,
                    str(len(values)),
                    str(sum(map(len, values.values()))),
                    format_count(sum(result.broken for result in own)),
                    format_number(_mean_by_day(values), 3),
                    format_number(_mean_by_day(values_of_all_by_day(results, agent, measure)), 3),
                    *_component_cells(components, values, agent, measure),
                ]
            )
    return rows


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
