"""The report of a run: its tables on the console, report.md, report.html and its days' pages.

plan, results ──► Document ──► report.md, report.html
the worst day ──► how it can be worked honestly, in report.html
worlds ──► DayRecord ──► timelines, in report.html or in days/ID.html of a large run
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import cache

import anyio
from jinja2 import Environment
from markupsafe import Markup
from rich.console import Console

from trainee_bench.harness.analysis.explained.work_picture import draw_work
from trainee_bench.harness.analysis.report.day_record import read_day
from trainee_bench.harness.analysis.report.day_views import (
    DayDrawing,
    GroupView,
    group_views,
    is_drawable,
)
from trainee_bench.harness.analysis.report.run_document import (
    DAYS,
    MAX_EMBEDDED_EPISODES,
    VERIFIED,
    WITHDRAWN,
    build_run_document,
)
from trainee_bench.harness.analysis.report.worst_day import WORST, worst_day
from trainee_bench.harness.analysis.report.worth_section import NO_WORTHS, Worths
from trainee_bench.harness.analysis.scheduling.schedule_days import read_schedules
from trainee_bench.harness.batch.pipeline import Run
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Document
from trainee_bench.harness.documents.html import (
    page_style,
    read_style,
    render_html,
    template_environment,
)
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.testbench.explained_day import explain_days
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.connection import damaged
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

NO_PICTURES: Mapping[str, Sequence[str]] = {}


def print_and_publish(run: Run, results: Sequence[EpisodeResult], console: Console) -> None:
    """Write ``report.md`` and ``report.html`` of *run*, and print its tables and faults.

    Raises PlanError if they cannot be written.
    """
    try:
        report = anyio.run(publish_report, run.folder, run.plan, results)
    except OSError as error:
        raise PlanError(
            f"The report cannot be written ({error.strerror}); all {len(results)} results are in "
            f"{run.folder.ledger.path}. --resume {shlex.quote(str(run.folder.path))} writes the "
            "report."
        ) from None
    console.print()
    print_document(report, console)
    files = f"Report: {run.folder.path / 'report.html'}, its tables: {run.folder.report}"
    console.print(files, markup=False, soft_wrap=True)


async def publish_report(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]
) -> Document:
    """Write the report into *folder* and return it, for the console to print.

    A day whose world is missing or was made by another version is not drawn; the page says why.
    """
    stored = {result.episode: folder.worths.read(result) for result in results}
    worths = {id: worth for id, worth in stored.items() if worth is not None}
    schedules = await read_schedules(folder, plan, results, worths)
    document = build_run_document(
        plan,
        results,
        verified=folder.verified,
        references=schedules.references,
        worths=worths,
    )
    folder.report.write_text(render_markdown(document), encoding="utf-8")
    days = await _read_days(folder, plan, results)
    honest = await _honest_worst_day(plan, results)
    pages = render_pages(document, plan, results, days, schedules.pictures, worths, honest)
    for old in (folder.path / "days").glob("*.html"):
        if f"days/{old.name}" not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")
    return document


def withdraw_verification(folder: RunFolder) -> None:
    """Remove the record that the run in *folder* was verified, and say so in its reports.

    Neither the plan nor the results are read. A report that does not call the run verified stays as
    it is.
    """
    folder.record_verified(False)
    for report in (folder.report, folder.path / "report.html"):
        if report.exists():
            text = report.read_text(encoding="utf-8")
            if VERIFIED in text:
                report.write_text(text.replace(VERIFIED, WITHDRAWN), encoding="utf-8")


def render_pages(
    document: Document,
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    days: Mapping[str, DayDrawing],
    schedules: Mapping[str, Sequence[str]] = NO_PICTURES,
    worths: Worths = NO_WORTHS,
    honest: Sequence[str] = (),
) -> dict[str, str]:
    """Return the HTML pages by name: report.html, and pages for the days if there are too many.

    *days* has each drawable day by the id of its episode, or why it cannot be drawn. *schedules*
    has the pictures of the schedules of its days, and *worths* the worth of their steps. *honest*
    has pictures of how the worst day can be worked, one for each day of a week.
    """
    apart = len(results) > MAX_EMBEDDED_EPISODES
    groups = group_views(plan, results, days, schedules, apart=apart, worths=worths)
    drawn = any(view.timelines for group in groups for view in group.episodes) and not apart
    template = _environment().get_template("days.html")
    embedded = Markup(template.render(groups=groups, drawn=drawn))  # noqa: S704 - autoescaped
    inserts = {DAYS: embedded, WORST: _worst_day(groups, results, honest)}
    pages = {"report.html": render_html(document, inserts, day_style())}
    return pages | (_day_pages(document.title, groups) if apart else {})


def _worst_day(
    groups: Sequence[GroupView], results: Sequence[EpisodeResult], honest: Sequence[str]
) -> Markup:
    """Return the pictures of the worst day, for the head of the report; empty without any."""
    worst = worst_day(results)
    views = [episode for group in groups for episode in group.episodes]
    shown = [view for view in views if worst is not None and view.episode == worst.episode]
    template = _environment().get_template("worst_day.html")
    return Markup(  # noqa: S704 - autoescaped
        "".join(template.render(episode=view, honest=honest) for view in shown)
    )


async def _honest_worst_day(plan: RunPlan, results: Sequence[EpisodeResult]) -> list[str]:
    """Return pictures of how the worst day can be worked, one for each day of a week.

    Empty if no day is the worst, or this version cannot compose it.
    """
    worst = worst_day(results)
    for episode in plan.episode_specs() if worst is not None else ():
        if worst is not None and episode.id == worst.episode:
            composition = _composed(episode)
            if not isinstance(composition, str):
                return [draw_work(day) for day in await explain_days(composition)]
    return []


def day_style() -> Markup:
    """Return the style of days, their timelines and schedules."""
    styles = ("day", "drawing", "schedule", "worth", "explained")
    return Markup("").join(read_style(_environment(), f"{name}.css") for name in styles)


def _day_pages(title: str, groups: Sequence[GroupView]) -> dict[str, str]:
    template = _environment().get_template("day.html")
    return {
        f"days/{episode.file}": template.render(
            title=title,
            group=group,
            episode=episode,
            others=[other for other in group.episodes if other is not episode],
            style=page_style() + day_style(),
        )
        for group in groups
        for episode in group.episodes
    }


async def _read_days(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]
) -> dict[str, DayDrawing]:
    """Read each finished episode's day by its id, or why it cannot be drawn."""
    finished = {result.episode: result for result in results}
    days: dict[str, DayDrawing] = {}
    for episode in plan.episode_specs():
        result = finished.get(episode.id)
        if result is None:
            continue
        if not is_drawable(episode, result):
            days[episode.id] = "the episode left no world."
            continue
        composition = _composed(episode)
        await anyio.lowlevel.checkpoint()
        if isinstance(composition, str):
            days[episode.id] = composition
            continue
        try:
            async with await World.open(folder.world(episode)) as world:
                places = range(len(composition.days))
                days[episode.id] = tuple(
                    [await read_day(world, composition.on_day(place)) for place in places]
                )
        except WorldFileError as error:
            days[episode.id] = str(error)
        except (ValueError, LookupError, TypeError) as error:
            # Written data is always readable, so errors of pydantic or json mean damage.
            days[episode.id] = str(damaged(folder.world(episode).name, repr(error)))
    return days


def _composed(episode: EpisodeSpec) -> ComposedDay | str:
    """Return the day as planned, or why this version cannot compose it."""
    try:
        return composed(episode.scenario, episode.day)
    except (CompositionError, UnknownRuleError) as error:
        return str(error)


@cache
def _environment() -> Environment:
    return template_environment("trainee_bench.harness.analysis.report")
