"""report.html: the run as one self-contained page, and its days.

    plan, results, worlds ──► page ──Jinja2──► report.html (and days/ID.html of a large run)

Everything an agent wrote is escaped by the templates; nothing is fetched and nothing runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import anyio
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.plan import Order, Plan
from harness.printable import printable
from harness.report.day_record import read_day
from harness.report.faults import faults
from harness.report.fidelity import section
from harness.report.figures import figures, omitted
from harness.report.page import MOST_FOLDED, Drawn, GroupView, drawable, groups
from harness.report.spending import incidents, running
from harness.report.summary import breakdowns, lines
from harness.report.table import Grid, brackets, breakdown_cells, cells
from harness.report.terms import TERMS, candidates, extent, identity
from harness.results import EpisodeResult
from harness.run_folder import RunFolder
from meta_tasks.catalog import UnknownRule
from meta_tasks.composition import Composition, compose
from meta_tasks.stage import CompositionError
from world.errors import WorldFileError
from world.world import World


async def write_pages(folder: RunFolder, plan: Plan, results: Sequence[EpisodeResult]) -> None:
    """Write report.html into *folder*, and ``days/`` where there are many episodes.

    Days whose world is missing or of another make are not drawn, and the page says so.
    """
    made = pages(plan, results, await _days(folder, plan, results))
    for old in (folder.path / "days").glob("*.html"):
        if f"days/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def pages(
    plan: Plan, results: Sequence[EpisodeResult], days: Mapping[str, Drawn]
) -> dict[str, str]:
    """The pages by name: report.html, and those of the days where there are too many for it."""
    ranked = lines(results)
    agents = [line.agent for line in ranked]
    found, kinds = groups(plan, results, agents, days), breakdowns(results)
    apart = len(results) > MOST_FOLDED
    facts = [*identity(plan, results), *candidates(plan)]
    if plan.backing.npc_model:
        facts.append(("Colleagues' model", plan.backing.npc_model))
    page = {
        "title": plan.benchmark,
        "lead": extent(plan, results),
        "facts": facts,
        "main": Grid(*cells(ranked)),
        "interval": brackets(ranked),
        "terms": TERMS,
        "charts": [Markup(chart) for chart in figures(ranked, kinds)],  # noqa: S704 - escaped there
        "omitted": omitted(ranked),
        "breakdowns": [Grid(*breakdown_cells(kind)) for kind in kinds],
        "running": running(plan, results, agents),
        "incidents": incidents(results, agents),
        "colleagues": section(results),
        "faults": faults(results),
        "groups": found,
        "drawn": any(one.timeline for group in found for one in group.episodes) and not apart,
        "days_note": (
            "Each row leads to the page of a day." if apart else "Open a row to see the day."
        ),
    }
    template = environment().get_template("report.html")
    made = {"report.html": template.render(page=page, style=style())}
    return made | (_day_pages(page["title"], found) if apart else {})


def _day_pages(title: object, found: Sequence[GroupView]) -> dict[str, str]:
    template = environment().get_template("day.html")
    return {
        f"days/{one.file}": template.render(
            page={"title": title},
            group=group,
            one=one,
            others=[other for other in group.episodes if other is not one],
            style=style(),
        )
        for group in found
        for one in group.episodes
    }


async def _days(
    folder: RunFolder, plan: Plan, results: Sequence[EpisodeResult]
) -> dict[str, Drawn]:
    """Each episode's day by its id, or why it cannot be drawn."""
    finished = {result.episode: result for result in results}
    composed: dict[tuple[str, int], Composition | str] = {}
    days: dict[str, Drawn] = {}
    for order in plan.orders():
        result = finished.get(order.id)
        if result is None:
            continue
        if not drawable(order, result):
            days[order.id] = "the episode left no world."
            continue
        key = (order.scenario.name, order.day)
        if key not in composed:
            composed[key] = _composed(order)
            await anyio.lowlevel.checkpoint()
        composition = composed[key]
        if isinstance(composition, str):
            days[order.id] = composition
            continue
        try:
            async with await World.open(folder.world(order)) as world:
                days[order.id] = await read_day(world, composition)
        except WorldFileError as error:
            days[order.id] = str(error)
    return days


def _composed(order: Order) -> Composition | str:
    try:
        return compose(order.scenario, order.day)
    except (CompositionError, UnknownRule) as error:
        return str(error)


@cache
def environment() -> Environment:
    """Where the templates of all pages come from."""
    return Environment(
        loader=PackageLoader("harness.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: object) -> object:
    """What a template shows of *value*: of plain text only what can be seen."""
    return printable(value) if type(value) is str else value


@cache
def style() -> Markup:
    """The style of all pages."""
    source = environment().loader
    assert source is not None
    return Markup(source.get_source(environment(), "style.css")[0])  # noqa: S704 - our own file
