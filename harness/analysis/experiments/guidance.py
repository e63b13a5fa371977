"""Figure 4: how much hints help with hard tasks, tier by tier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.presentation import COMPARISON_NOTE, pairs_cells
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.agent_charts import agent_grids, score_line_chart
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
from trainee_bench.harness.analysis.report.table import Grid
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.records.plan import PlanError, RunPlan

GUIDANCE_TIERS = ("none", "strategy", "+ where", "+ how")
_LEGEND = (
    "Tiers of hints under each task: none; the strategy; also where to look; also how to do it. "
    "The same scenarios each time. CS: mean over scenarios of the mean over their tasks; SR: share "
    "of tasks with every checkpoint and no harm."
)


class GuidanceExperiment(Experiment):
    """The same hard scenarios with more and more hints."""

    name = "guidance"
    config = "guidance-20"

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """A run for each tier. Raises PlanError."""
        if options.guidance is not None:
            raise PlanError("guidance runs every tier of hints; leave --guidance out.")
        return {
            f"tier-{tier}": self.plan(replace(options, guidance=tier))
            for tier in range(len(GUIDANCE_TIERS))
        }

    def page(self, found: ExperimentResults) -> ExperimentPage:
        """Figure 4 with its table, and each tier set against that without hints."""
        names = agents_by_score(found.all)
        cells = {
            name: [
                measure_tasks(results_of_agent(results, name)) for results in found.results.values()
            ]
            for name in names
        }
        titles = [f"{place}: {tier}" for place, tier in enumerate(GUIDANCE_TIERS)]
        chart = score_line_chart("CS by tier of hints", titles, cells)
        here = PageSection(
            "Here",
            (
                *agent_grids("hints", titles, cells),
                _LEGEND,
                PageFigure("figure", "CS by tier of hints", chart),
            ),
        )
        effect = PageSection("What the hints did", _effects(found, names))
        past = paper_section("Figure 4", paper.GUIDANCE_HEADINGS, paper.GUIDANCE)
        title = "Guidance (the paper's Figure 4)"
        return ExperimentPage(title, (here, effect, conditions_section(found), past))


def _effects(found: ExperimentResults, names: Sequence[str]) -> tuple[str | Grid, ...]:
    """For each agent every tier's difference to none, in pairs by scenario."""
    first = next(iter(found.results))
    rows: list[list[str]] = []
    refused: list[str] = []
    headings: list[str] = []
    for name in names:
        for tier in found.results:
            both = [
                ComparedRun(
                    f"{name} {run}", name, tuple(results_of_agent(found.results[run], name))
                )
                for run in (tier, first)
            ]
            if tier == first or not all(one.results for one in both):
                continue
            try:
                headings, told = pairs_cells(compare_runs(both, apart_from={"guidance"}))
            except IncomparableRuns as error:
                refused.append(str(error))
                continue
            rows += told
    pieces: list[str | Grid] = [Grid(headings, rows), COMPARISON_NOTE] if rows else []
    return (*pieces, *refused) or ("Nothing could be compared.",)
