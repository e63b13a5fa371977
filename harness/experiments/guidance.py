"""Figure 4: how much hints help with hard tasks, tier by tier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.comparison.entrant import Entrant, Incomparable
from harness.comparison.paired import compare
from harness.comparison.wording import NOTE, pairs_cells
from harness.configuration import Asked
from harness.experiments import paper
from harness.experiments.conditions import conditions
from harness.experiments.experiment import Experiment, Found, history
from harness.experiments.figures import agents, measured, of
from harness.experiments.page import Figure, Page, Section
from harness.experiments.side_by_side import grids, score_lines
from harness.plan import Plan, PlanError
from harness.report.table import Grid

TIERS = ("none", "strategy", "+ where", "+ how")
_LEGEND = (
    "Tiers of hints under each task: none; the strategy; also where to look; also how to do it. "
    "The same scenarios each time. CS: mean over scenarios of the mean over their tasks; SR: share "
    "of tasks with every checkpoint and no harm."
)


class Guidance(Experiment):
    """The same hard scenarios with more and more hints."""

    name = "guidance"
    config = "guidance-20"

    def plans(self, asked: Asked) -> dict[str, Plan]:
        """A run for each tier. Raises PlanError."""
        if asked.guidance is not None:
            raise PlanError("guidance runs every tier of hints; leave --guidance out.")
        return {
            f"tier-{tier}": self.plan(replace(asked, guidance=tier)) for tier in range(len(TIERS))
        }

    def page(self, found: Found) -> Page:
        """Figure 4 with its table, and each tier set against that without hints."""
        names = agents(found.all)
        cells = {
            name: [measured(of(results, name)) for results in found.results.values()]
            for name in names
        }
        titles = [f"{place}: {tier}" for place, tier in enumerate(TIERS)]
        chart = score_lines("CS by tier of hints", titles, cells)
        here = Section(
            "Here",
            (
                *grids("hints", titles, cells),
                _LEGEND,
                Figure("figure", "CS by tier of hints", chart),
            ),
        )
        effect = Section("What the hints did", _effects(found, names))
        past = history("Figure 4", paper.GUIDANCE_HEADINGS, paper.GUIDANCE)
        title = "Guidance (the paper's Figure 4)"
        return Page(title, (here, effect, conditions(found), past))


def _effects(found: Found, names: Sequence[str]) -> tuple[str | Grid, ...]:
    """For each agent every tier's difference to none, in pairs by scenario."""
    first = next(iter(found.results))
    rows: list[list[str]] = []
    refused: list[str] = []
    headings: list[str] = []
    for name in names:
        for tier in found.results:
            both = [
                Entrant(f"{name} {run}", name, tuple(of(found.results[run], name)))
                for run in (tier, first)
            ]
            if tier == first or not all(one.results for one in both):
                continue
            try:
                headings, told = pairs_cells(compare(both, apart_from={"guidance"}))
            except Incomparable as error:
                refused.append(str(error))
                continue
            rows += told
    pieces: list[str | Grid] = [Grid(headings, rows), NOTE] if rows else []
    return (*pieces, *refused) or ("Nothing could be compared.",)
