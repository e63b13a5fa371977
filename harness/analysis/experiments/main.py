"""Table 2: how good each model is on the benchmark as a whole, and whom that ranks before whom."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.charts.charts import Series, bar_chart
from trainee_bench.harness.analysis.comparison.comparability import check_comparable
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.presentation import (
    COMPARISON_NOTE,
    pairs_cells,
    standings_cells,
)
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    paper_section,
)
from trainee_bench.harness.analysis.experiments.measures import (
    agents_by_score,
    measure_tasks,
    results_of_agent,
)
from trainee_bench.harness.analysis.experiments.page import ExperimentPage, PageFigure, PageSection
from trainee_bench.harness.analysis.report.table import Grid, format_estimate, format_number
from trainee_bench.harness.analysis.statistics.summary import pass_power
from trainee_bench.harness.records.results import EpisodeResult

_LEGEND = (
    "SR: share of tasks with every checkpoint and no harm. CS: mean over scenarios of the mean "
    "over their tasks of the weight of passed checkpoints (the paper's eq. 4). Steps and tool "
    "calls: means per episode."
)
_POWERS = "pass^k: the chance that k attempts at the same task all succeed."


class MainExperiment(Experiment):
    """All models on the 50 scenarios."""

    name = "main"
    config = "core-50"
    any_run = True

    def page(self, found: ExperimentResults) -> ExperimentPage:
        """Table 2, its figure, and each two set against each other."""
        results, plan = found.all, next(iter(found.plans.values()))
        names = agents_by_score(results)
        powers = list(range(2, plan.epochs + 1))
        rows = [[name, *_figures(name, results_of_agent(results, name), powers)] for name in names]
        headings = ["model", "SR", "CS", "steps", "tool calls", *(f"pass^{k}" for k in powers)]
        by_agent = [measure_tasks(results_of_agent(results, name), name=name) for name in names]
        chart = bar_chart(
            "Score and success",
            names,
            [
                Series("CS", tuple(one.score for one in by_agent)),
                Series("SR", tuple(one.success for one in by_agent)),
            ],
        )
        legend = f"{_LEGEND} {_POWERS}" if powers else _LEGEND
        return ExperimentPage(
            "Main results (the paper's Table 2)",
            (
                PageSection(
                    "Here", (Grid(headings, rows), legend, PageFigure("figure", "Main", chart))
                ),
                ranking_pieces(results),
                conditions_section(found),
                paper_section("Table 2", paper.MAIN_HEADINGS, paper.MAIN),
            ),
        )


def ranking_pieces(results: Sequence[EpisodeResult]) -> PageSection:
    """Who is better than whom, as far as that can be said."""
    names = agents_by_score(results)
    entrants = [ComparedRun(name, name, tuple(results_of_agent(results, name))) for name in names]
    heading = "In order"
    silent = [one.label for one in entrants if not one.graded_episodes()]
    entrants = [one for one in entrants if one.graded_episodes()]
    left_out = (f"Left out, for nothing was graded in full: {', '.join(silent)}.",) * bool(silent)
    if len(entrants) < 2:
        return PageSection(heading, (*left_out, "There is nobody to compare with."))
    pieces: list[str | Grid] = list(left_out)
    try:
        groups = [entrants]
        check_comparable(entrants)
    except IncomparableRuns as error:
        pieces.append(f"No order of all: {error}")
        groups = [group for group in _alike(entrants) if len(group) > 1]
    for comparison in map(compare_runs, groups):
        pieces += [Grid(*standings_cells(comparison)), Grid(*pairs_cells(comparison))]
    return PageSection(heading, (*pieces, COMPARISON_NOTE) if groups else tuple(pieces))


def _alike(entrants: Sequence[ComparedRun]) -> list[list[ComparedRun]]:
    """*entrants* in groups within which all were measured alike."""
    groups: list[list[ComparedRun]] = []
    for entrant in entrants:
        for group in groups:
            try:
                check_comparable([*group, entrant])
            except IncomparableRuns:
                continue
            group.append(entrant)
            break
        else:
            groups.append([entrant])
    return groups


def _figures(name: str, results: Sequence[EpisodeResult], powers: Sequence[int]) -> list[str]:
    worked = [result for result in results if result.error is None]
    found = measure_tasks(results, name=name)
    count = len(worked) or None
    return [
        format_estimate(found.success),
        format_estimate(found.score),
        format_number(sum(one.steps for one in worked) / count if count else None, 1),
        format_number(sum(one.tool_calls for one in worked) / count if count else None, 1),
        *(format_number(pass_power(results, k)) for k in powers),
    ]
