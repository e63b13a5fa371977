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

from trainee_bench.harness.analysis.report.day_record import read_day
from trainee_bench.harness.analysis.report.faults import fault_lists
from trainee_bench.harness.analysis.report.npc_section import build_npc_section
from trainee_bench.harness.analysis.report.page_views import (
    MAX_EMBEDDED_EPISODES,
    DayDrawing,
    GroupView,
    group_views,
    is_drawable,
)
from trainee_bench.harness.analysis.report.run_charts import omitted_note, run_charts
from trainee_bench.harness.analysis.report.table import (
    Grid,
    breakdown_cells,
    interval_note,
    summary_cells,
)
from trainee_bench.harness.analysis.report.terms import (
    REPORT_TERMS,
    agent_config_facts,
    identity_facts,
    run_extent,
)
from trainee_bench.harness.analysis.report.usage import incident_grid, usage_grid
from trainee_bench.harness.analysis.statistics.summary import agent_summaries, breakdowns
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.text import printable
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


async def write_pages(folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]) -> None:
    """Write report.html into *folder*, and ``days/`` where there are many episodes.

    Days whose world is missing or of another make are not drawn, and the page says so.
    """
    made = render_pages(plan, results, await _days(folder, plan, results))
    for old in (folder.path / "days").glob("*.html"):
        if f"days/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def render_pages(
    plan: RunPlan, results: Sequence[EpisodeResult], days: Mapping[str, DayDrawing]
) -> dict[str, str]:
    """The pages by name: report.html, and those of the days where there are too many for it."""
    ranked = agent_summaries(results)
    agents = [line.agent for line in ranked]
    found, kinds = group_views(plan, results, agents, days), breakdowns(results)
    apart = len(results) > MAX_EMBEDDED_EPISODES
    facts = [*identity_facts(plan, results), *agent_config_facts(plan)]
    if plan.backing.npc_model:
        facts.append(("Colleagues' model", plan.backing.npc_model))
    page = {
        "title": plan.benchmark,
        "lead": run_extent(plan, results),
        "facts": facts,
        "main": Grid(*summary_cells(ranked)),
        "interval": interval_note(ranked),
        "terms": REPORT_TERMS,
        "charts": [Markup(chart) for chart in run_charts(ranked, kinds)],  # noqa: S704 - escaped there
        "omitted": omitted_note(ranked),
        "breakdowns": [Grid(*breakdown_cells(kind)) for kind in kinds],
        "running": usage_grid(plan, results, agents),
        "incidents": incident_grid(results, agents),
        "colleagues": build_npc_section(results),
        "faults": fault_lists(results),
        "groups": found,
        "drawn": any(one.timeline for group in found for one in group.episodes) and not apart,
        "days_note": (
            "Each row leads to the page of a day." if apart else "Open a row to see the day."
        ),
    }
    template = template_environment().get_template("report.html")
    made = {"report.html": template.render(page=page, style=page_style())}
    return made | (_day_pages(page["title"], found) if apart else {})


def _day_pages(title: object, found: Sequence[GroupView]) -> dict[str, str]:
    template = template_environment().get_template("day.html")
    return {
        f"days/{one.file}": template.render(
            page={"title": title},
            group=group,
            one=one,
            others=[other for other in group.episodes if other is not one],
            style=page_style(),
        )
        for group in found
        for one in group.episodes
    }


async def _days(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]
) -> dict[str, DayDrawing]:
    """Each episode's day by its id, or why it cannot be drawn."""
    finished = {result.episode: result for result in results}
    composed: dict[tuple[str, int], ComposedDay | str] = {}
    days: dict[str, DayDrawing] = {}
    for order in plan.episode_specs():
        result = finished.get(order.id)
        if result is None:
            continue
        if not is_drawable(order, result):
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


def _composed(order: EpisodeSpec) -> ComposedDay | str:
    try:
        return compose_day(order.scenario, order.day)
    except (CompositionError, UnknownRuleError) as error:
        return str(error)


@cache
def template_environment() -> Environment:
    """Where the templates of all pages come from."""
    return Environment(
        loader=PackageLoader("trainee_bench.harness.analysis.report", "templates"),
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
def page_style() -> Markup:
    """The style of all pages."""
    source = template_environment().loader
    assert source is not None
    return Markup(source.get_source(template_environment(), "style.css")[0])  # noqa: S704 - our own file
