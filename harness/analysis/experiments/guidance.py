"""Figure 4: how much each tier of hints helps with hard tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import Comparison, compare_runs
from trainee_bench.harness.analysis.comparison.presentation import COMPARISON_NOTE, pairs_grid
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.agent_charts import agent_grids, score_line_chart
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
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
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import Block, Document, Paragraph, Section
from trainee_bench.harness.records.plan import PlanError, RunPlan

GUIDANCE_TIERS = ("none", "strategy", "+ where", "+ how")
_LEGEND = (
    "Tiers of hints given with each task: none; the strategy; also where to look; also how to do "
    "it. Every tier has the same scenarios. CS: mean over scenarios of the mean score of their "
    "tasks. SR: share of tasks with every checkpoint passed and no harm done."
)


class GuidanceExperiment(Experiment):
    """The same hard scenarios with each tier of hints."""

    name = "guidance"
    config = "guidance-20"

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """A run for each tier. Raises PlanError."""
        if options.guidance is not None:
            raise PlanError("The guidance experiment runs every tier of hints: omit --guidance.")
        return {
            f"tier-{tier}": self.plan(replace(options, guidance=tier))
            for tier in range(len(GUIDANCE_TIERS))
        }

    def page(self, results: ExperimentResults) -> Document:
        """Figure 4 with its table, and each tier compared with the run without hints."""
        names = agents_by_score(results.all)
        cells = {
            name: [measure_tasks(results_of_agent(run, name)) for run in results.results.values()]
            for name in names
        }
        titles = [f"{place}: {tier}" for place, tier in enumerate(GUIDANCE_TIERS)]
        return experiment_document(
            "Guidance (the paper's Figure 4)",
            result_section(
                agent_grids("hints", titles, cells),
                _LEGEND,
                score_line_chart("CS by tier of hints", titles, cells),
            ),
            Section("Effect of hints", _effects(results, names)),
            conditions_section(results),
            paper_section("Figure 4", paper.GUIDANCE_HEADINGS, paper.GUIDANCE),
        )


def _effects(results: ExperimentResults, names: Sequence[str]) -> tuple[Block, ...]:
    """For each agent the difference of every tier to none, in pairs by scenario."""
    first, *tiers = results.results
    comparisons: list[Comparison] = []
    refusals: list[Block] = []
    for name in names:
        for tier in tiers:
            runs = [
                ComparedRun(
                    f"{name} {run}", name, tuple(results_of_agent(results.results[run], name))
                )
                for run in (tier, first)
            ]
            if not all(one.results for one in runs):
                continue
            try:
                comparisons.append(compare_runs(runs, apart_from={"guidance"}))
            except IncomparableRuns as error:
                refusals.append(Paragraph(str(error)))
    shown = (pairs_grid(comparisons), COMPARISON_NOTE) if comparisons else ()
    return (*shown, *refusals) or (Paragraph("No pair of runs could be compared."),)
