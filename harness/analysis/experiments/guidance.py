"""Figure 4: how much each tier of hints helps with hard tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import Comparison, compare_runs
from trainee_bench.harness.analysis.comparison.presentation import COMPARISON_NOTE, pairs_grid
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.agent_charts import agent_grids, score_line_chart
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
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import Block, Document, Grid, Paragraph, Section
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.human_part import GuidanceKind
from trainee_bench.harness.records.plan import PlanError, RunPlan

GUIDANCE_TIERS = ("none", "strategy", "+ where", "+ how")
_LEGEND = (
    "Tiers of hints given with each task: none; the strategy; also where to look; also how to do "
    "it. Every tier has the same scenarios. CS: mean over scenarios of the mean score of their "
    "tasks. SR: share of tasks with every checkpoint passed and no harm done."
)

_COUNTED = (GuidanceKind.HINT, GuidanceKind.MESSAGE)
_PEOPLE = (
    "People gave these agents hints and messages, and approved or refused calls, while they worked "
    "in the studio: means per episode. Compared with the same agents and days without hints."
)


class GuidanceExperiment(Experiment):
    """The same hard scenarios with each tier of hints."""

    name = "guidance"
    config = "guidance-20"
    takes_people = True

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """Return a run for each tier. Raises PlanError."""
        if options.guidance is not None:
            raise PlanError("The guidance experiment runs every tier of hints: omit --guidance.")
        return {
            f"tier-{tier}": self.plan(replace(options, guidance=tier))
            for tier in range(len(GUIDANCE_TIERS))
        }

    def page(self, results: ExperimentResults) -> Document:
        """Return Figure 4 with its table, and each tier compared with the run without hints."""
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
            *_people_sections(results),
            *scheduling_sections(results),
            conditions_section(results),
            paper_section("Figure 4", paper.GUIDANCE_HEADINGS, paper.GUIDANCE),
        )


def _people_sections(results: ExperimentResults) -> tuple[Section, ...]:
    """Return people's guidance and its effect, next to the same agents without hints.

    Empty if there is no such run.
    """
    if not results.guided:
        return ()
    without = next(iter(results.results.values()))
    rows, comparisons, refusals = [], [], []
    for name in agents_by_score(results.guided):
        guided = results_of_agent(results.guided, name)
        measured = measure_tasks(guided)
        given = Counter(
            act.kind for result in guided if result.identity for act in result.identity.guided
        )
        amounts = [format_number(given[kind] / len(guided), 1) for kind in GuidanceKind]
        rows.append(
            [name, *amounts, format_estimate(measured.score), format_estimate(measured.success)]
        )
        alone = results_of_agent(without, name)
        pair = [
            ComparedRun(f"{name} guided by people", name, tuple(guided)),
            ComparedRun(f"{name} none", name, tuple(alone)),
        ]
        try:
            if alone:
                comparisons.append(compare_runs(pair, apart_from={"guidance", "guided", "frozen"}))
        except IncomparableRuns as error:
            refusals.append(Paragraph(str(error)))
    titles = ["agent", *(f"{kind}s" if kind in _COUNTED else str(kind) for kind in GuidanceKind)]
    grid = Grid.from_rows([*titles, "CS", "SR"], rows)
    shown = (pairs_grid(comparisons), COMPARISON_NOTE) if comparisons else ()
    return (Section("Guided by people", (grid, Paragraph(_PEOPLE, "note"), *shown, *refusals)),)


def _effects(results: ExperimentResults, names: Sequence[str]) -> tuple[Block, ...]:
    """Return for each agent the difference between every tier and none, paired by scenario."""
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
            if not all(compared.results for compared in runs):
                continue
            try:
                comparisons.append(compare_runs(runs, apart_from={"guidance", "frozen"}))
            except IncomparableRuns as error:
                refusals.append(Paragraph(str(error)))
    shown = (pairs_grid(comparisons), COMPARISON_NOTE) if comparisons else ()
    return (*shown, *refusals) or (Paragraph("No pair of runs could be compared."),)
