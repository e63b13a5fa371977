"""Table 2: how good each model is on the whole benchmark, and which differences are real."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.charts.charts import Series, bar_chart
from trainee_bench.harness.analysis.comparison.comparability import check_comparable
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.presentation import (
    COMPARISON_NOTE,
    pairs_grid,
    standings_grid,
)
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.conditions import (
    conditions_section,
    scheduling_sections,
)
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
    paper_section,
    result_section,
)
from trainee_bench.harness.analysis.experiments.measures import (
    agents_by_score,
    measure_tasks,
    results_of_agent,
)
from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.analysis.statistics.summary import agent_summaries, pass_power
from trainee_bench.harness.documents.document import (
    Block,
    Chart,
    Document,
    Grid,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.results import EpisodeResult

_LEGEND = (
    "Complete: share of days or weeks with every task a success. SR (success rate): share of tasks "
    "with every checkpoint passed and no harm done. CS (checkpoint score): weighted share of "
    "passed checkpoints, the mean over scenarios of the mean over their tasks (the paper's eq. 4). "
    "Steps and tool calls: means per episode."
)
_POWER_LEGEND = "Task pass^k: chance that k attempts at the same task all succeed."


class MainExperiment(Experiment):
    """All models on the 50 scenarios."""

    name = "main"
    config = "core-50"
    any_run = True

    def page(self, results: ExperimentResults) -> Document:
        """Return Table 2, its chart, and each pair of agents compared."""
        plan = next(iter(results.plans.values()))
        summaries = {summary.agent: summary for summary in agent_summaries(results.all)}
        names = list(summaries)
        powers = list(range(2, plan.epochs + 1))
        rows = [
            [
                name,
                format_estimate(summaries[name].complete),
                *_figures(name, results_of_agent(results.all, name), powers),
            ]
            for name in names
        ]
        titles = [
            "model",
            "complete",
            "SR",
            "CS",
            "steps",
            "tool calls",
            *(f"task pass^{k}" for k in powers),
        ]
        legend = f"{_LEGEND} {_POWER_LEGEND}" if powers else _LEGEND
        return experiment_document(
            "Main results (the paper's Table 2)",
            result_section([Grid.from_rows(titles, rows)], legend, _chart(results.all, names)),
            ranking_section(results.all),
            *scheduling_sections(results),
            conditions_section(results),
            paper_section("Table 2", paper.MAIN_HEADINGS, paper.MAIN),
        )


def ranking_section(results: Sequence[EpisodeResult]) -> Section:
    """Return which agents are better than which, among those that ran under the same conditions."""
    names = agents_by_score(results)
    runs = [ComparedRun(name, name, tuple(results_of_agent(results, name))) for name in names]
    ungraded = [run.label for run in runs if not run.graded_episodes()]
    runs = [run for run in runs if run.graded_episodes()]
    blocks: list[Block] = []
    if ungraded:
        text = f"Left out, without a fully graded episode: {', '.join(ungraded)}."
        blocks.append(Paragraph(text))
    if len(runs) < 2:
        blocks.append(Paragraph("Nothing to compare: fewer than two agents were fully graded."))
        return Section("Ranking", tuple(blocks))
    groups = [runs]
    try:
        check_comparable(runs)
    except IncomparableRuns as error:
        blocks.append(Paragraph(f"No ranking of all agents: {error}"))
        groups = [group for group in _comparable_groups(runs) if len(group) > 1]
    for comparison in map(compare_runs, groups):
        blocks += [standings_grid(comparison), pairs_grid([comparison])]
    if groups:
        blocks.append(COMPARISON_NOTE)
    return Section("Ranking", tuple(blocks))


def _comparable_groups(runs: Sequence[ComparedRun]) -> list[list[ComparedRun]]:
    """Return *runs* in groups within which all may be compared."""
    groups: list[list[ComparedRun]] = []
    for run in runs:
        for group in groups:
            try:
                check_comparable([*group, run])
            except IncomparableRuns:
                continue
            group.append(run)
            break
        else:
            groups.append([run])
    return groups


def _chart(results: Sequence[EpisodeResult], names: Sequence[str]) -> Chart:
    measures = [measure_tasks(results_of_agent(results, name), name=name) for name in names]
    series = [
        Series("CS", tuple(measured.score for measured in measures)),
        Series("SR", tuple(measured.success for measured in measures)),
    ]
    title = "Score and success"
    return Chart("figure", title, bar_chart(title, names, series))


def _figures(name: str, results: Sequence[EpisodeResult], powers: Sequence[int]) -> list[str]:
    worked = [result for result in results if result.error is None]
    measures = measure_tasks(results, name=name)
    count = len(worked) or None
    return [
        format_estimate(measures.success),
        format_estimate(measures.score),
        format_number(sum(result.steps for result in worked) / count if count else None, 1),
        format_number(sum(result.tool_calls for result in worked) / count if count else None, 1),
        *(format_number(pass_power(results, k)) for k in powers),
    ]
