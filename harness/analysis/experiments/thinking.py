"""The experiment ``thinking``: what is left of a model's score when its thinking takes time.

The same days are worked at several paces, in output tokens per simulated minute. A model that
needs many tokens loses at a slow pace, because deadlines pass while it thinks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import Comparison, compare_runs
from trainee_bench.harness.analysis.comparison.presentation import COMPARISON_NOTE, pairs_grid
from trainee_bench.harness.analysis.experiments.conditions import (
    conditions_section,
    scheduling_sections,
)
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
    result_section,
)
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate, format_estimate
from trainee_bench.harness.analysis.statistics.summary import AgentSummary, agent_summaries
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.thinking import reports_tokens
from trainee_bench.harness.documents.document import (
    Block,
    Chart,
    Document,
    Grid,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.schedule_figures import total_schedule

OFF = "off"
"""Name of the run in which thinking takes no time."""
PACES = (1_000, 300, 100)
"""Output tokens per simulated minute, from a fast mind to a slow one."""
_PACE_FIELD = "limits.tokens_per_minute"
_LEGEND = (
    "Columns: output tokens that take one simulated minute; off: thinking takes no time. Every "
    "column has the same days. Complete: share of days on which every task succeeded. Score: mean "
    "over days. In brackets: 95 % bootstrap confidence interval over scenarios."
)


class ThinkingExperiment(Experiment):
    """The same days with thinking off, and at each of `PACES`."""

    name = "thinking"
    config = "core-50"

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """Return a run for each pace. Raises PlanError, also if an agent reports no tokens."""
        if options.thinking is not None:
            raise PlanError("The thinking experiment runs several paces: omit --thinking.")
        plans = {OFF: self.plan(options)}
        silent = [agent.name for agent in plans[OFF].agents if not reports_tokens(agent)]
        if silent:
            raise PlanError(
                f"{', '.join(silent)}: nobody reports the tokens of its replies, so its thinking "
                "cannot take time. Choose models of api_config.json with --model ALIAS."
            )
        paces = {f"tokens-{pace}": self.plan(replace(options, thinking=pace)) for pace in PACES}
        return plans | paces

    def page(self, results: ExperimentResults) -> Document:
        """Return the table and the charts, and each pace compared with thinking off."""
        paces = [_pace(plan) for plan in results.plans.values()]
        names = agents_by_score(results.all)
        summaries = {name: _summaries(results, name) for name in names}
        complete = _estimates(summaries, lambda summary: summary.complete)
        score = _estimates(summaries, lambda summary: summary.score)
        return experiment_document(
            "When thinking takes time",
            result_section(
                (
                    _grid("complete by tokens per minute", paces, complete),
                    _grid("score by tokens per minute", paces, score),
                    _amounts(results, paces, names),
                ),
                _LEGEND,
                _chart("figure", "Score by tokens per minute", paces, score),
                _chart("figure-complete", "Complete by tokens per minute", paces, complete),
            ),
            Section("Cost of thinking", _effects(results, names)),
            *scheduling_sections(results),
            conditions_section(results),
        )


def _pace(plan: RunPlan) -> str:
    pace = plan.limits.tokens_per_minute
    return OFF if pace is None else f"{pace:,}"


Summaries = Mapping[str, Sequence[AgentSummary | None]]
"""The summaries of each agent, one for each run; None for a run without its results."""
Estimates = Mapping[str, Sequence[Estimate | None]]


def _summaries(results: ExperimentResults, name: str) -> list[AgentSummary | None]:
    found = (agent_summaries(results_of_agent(run, name)) for run in results.results.values())
    return [summaries[0] if summaries else None for summaries in found]


def _estimates(
    summaries: Summaries, measure: Callable[[AgentSummary], Estimate | None]
) -> Estimates:
    return {
        name: [None if summary is None else measure(summary) for summary in row]
        for name, row in summaries.items()
    }


def _grid(title: str, paces: Sequence[str], estimates: Estimates) -> Grid:
    rows = [[name, *map(format_estimate, row)] for name, row in estimates.items()]
    return Grid.from_rows([title, *paces], rows)


def _chart(name: str, title: str, paces: Sequence[str], estimates: Estimates) -> Chart:
    series = [Series(agent, tuple(row)) for agent, row in estimates.items()]
    return Chart(name, title, line_chart(title, paces, series))


def _amounts(results: ExperimentResults, paces: Sequence[str], names: Sequence[str]) -> Grid:
    """Return the output tokens and the minutes of thinking, as means per day."""
    rows = []
    for name in names:
        runs = [results_of_agent(run, name) for run in results.results.values()]
        rows.append([f"{name}: output tokens a day", *map(_tokens_a_day, runs)])
        rows.append([f"{name}: minutes of thinking a day", *map(_minutes_a_day, runs)])
    return Grid.from_rows(["thinking by tokens per minute", *paces], rows)


def _tokens_a_day(results: Sequence[EpisodeResult]) -> str:
    known = [(r.completion_tokens, len(r.schedules)) for r in results if r.schedules]
    told = [(tokens, days) for tokens, days in known if tokens is not None]
    if not told:
        return NO_VALUE
    return format_number(sum(tokens for tokens, _ in told) / sum(days for _, days in told), 0)


def _minutes_a_day(results: Sequence[EpisodeResult]) -> str:
    days = [figures for result in results for _, figures in result.schedules]
    if not days:
        return NO_VALUE
    return format_number(total_schedule(days).thinking_minutes / len(days), 0)


def _effects(results: ExperimentResults, names: Sequence[str]) -> tuple[Block, ...]:
    """Return for each agent the difference between every pace and thinking off, paired by
    scenario."""
    comparisons: list[Comparison] = []
    refusals: list[Block] = []
    for name in names:
        runs = {
            run: ComparedRun(f"{name} {run}", name, tuple(results_of_agent(found, name)))
            for run, found in results.results.items()
        }
        for run in (run for run in runs if run != OFF):
            if not (runs[run].results and runs[OFF].results):
                continue
            try:
                pair = [runs[run], runs[OFF]]
                comparisons.append(compare_runs(pair, apart_from={_PACE_FIELD}))
            except IncomparableRuns as error:
                refusals.append(Paragraph(str(error)))
    shown = (pairs_grid(comparisons), COMPARISON_NOTE) if comparisons else ()
    return (*shown, *refusals) or (Paragraph("No pair of runs could be compared."),)
