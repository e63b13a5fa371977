"""Table 2: how good each model is on the benchmark as a whole, and whom that ranks before whom."""

from __future__ import annotations

from collections.abc import Sequence

from harness.comparison.entrant import Entrant, Incomparable
from harness.comparison.likeness import refuse_unlike
from harness.comparison.paired import compare
from harness.comparison.wording import NOTE, pairs_cells, standings_cells
from harness.experiments import paper
from harness.experiments.conditions import conditions
from harness.experiments.experiment import Experiment, Found, history
from harness.experiments.figures import agents, measured, of
from harness.experiments.page import Figure, Page, Section
from harness.report.charts import Series, bar_chart
from harness.report.summary import pass_power
from harness.report.table import Grid, number, shown
from harness.results import EpisodeResult

_LEGEND = (
    "SR: share of tasks with every checkpoint and no harm. CS: mean over scenarios of the mean "
    "over their tasks of the weight of passed checkpoints (the paper's eq. 4). Steps and tool "
    "calls: means per episode."
)
_POWERS = "pass^k: the chance that k attempts at the same task all succeed."


class Main(Experiment):
    """All models on the 50 scenarios."""

    name = "main"
    config = "core-50"
    any_run = True

    def page(self, found: Found) -> Page:
        """Table 2, its figure, and each two set against each other."""
        results, plan = found.all, next(iter(found.plans.values()))
        names = agents(results)
        powers = list(range(2, plan.epochs + 1))
        rows = [[name, *_figures(name, of(results, name), powers)] for name in names]
        headings = ["model", "SR", "CS", "steps", "tool calls", *(f"pass^{k}" for k in powers)]
        by_agent = [measured(of(results, name), name=name) for name in names]
        chart = bar_chart(
            "Score and success",
            names,
            [
                Series("CS", tuple(one.score for one in by_agent)),
                Series("SR", tuple(one.success for one in by_agent)),
            ],
        )
        legend = f"{_LEGEND} {_POWERS}" if powers else _LEGEND
        return Page(
            "Main results (the paper's Table 2)",
            (
                Section("Here", (Grid(headings, rows), legend, Figure("figure", "Main", chart))),
                order(results),
                conditions(found),
                history("Table 2", paper.MAIN_HEADINGS, paper.MAIN),
            ),
        )


def order(results: Sequence[EpisodeResult]) -> Section:
    """Who is better than whom, as far as that can be said."""
    names = agents(results)
    entrants = [Entrant(name, name, tuple(of(results, name))) for name in names]
    heading = "In order"
    silent = [one.label for one in entrants if not one.sound()]
    entrants = [one for one in entrants if one.sound()]
    left_out = (f"Left out, for nothing was graded in full: {', '.join(silent)}.",) * bool(silent)
    if len(entrants) < 2:
        return Section(heading, (*left_out, "There is nobody to compare with."))
    pieces: list[str | Grid] = list(left_out)
    try:
        groups = [entrants]
        refuse_unlike(entrants)
    except Incomparable as error:
        pieces.append(f"No order of all: {error}")
        groups = [group for group in _alike(entrants) if len(group) > 1]
    for comparison in map(compare, groups):
        pieces += [Grid(*standings_cells(comparison)), Grid(*pairs_cells(comparison))]
    return Section(heading, (*pieces, NOTE) if groups else tuple(pieces))


def _alike(entrants: Sequence[Entrant]) -> list[list[Entrant]]:
    """*entrants* in groups within which all were measured alike."""
    groups: list[list[Entrant]] = []
    for entrant in entrants:
        for group in groups:
            try:
                refuse_unlike([*group, entrant])
            except Incomparable:
                continue
            group.append(entrant)
            break
        else:
            groups.append([entrant])
    return groups


def _figures(name: str, results: Sequence[EpisodeResult], powers: Sequence[int]) -> list[str]:
    worked = [result for result in results if result.error is None]
    found = measured(results, name=name)
    count = len(worked) or None
    return [
        shown(found.success),
        shown(found.score),
        number(sum(one.steps for one in worked) / count if count else None, 1),
        number(sum(one.tool_calls for one in worked) / count if count else None, 1),
        *(number(pass_power(results, k)) for k in powers),
    ]
