"""``trainee-bench explain SCENARIO``: how a day can be worked honestly, need by need.

An honest worker works the day, or a part of it. The command prints what each task needs, which
calls served each need, how long they took, and what the worker still waits for. Exit code 0, or 2
for a usage error.
"""

from __future__ import annotations

import re
from datetime import datetime, time
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.analysis.explained.work_picture import draw_work
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.documents.html import page_style, read_style, template_environment
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.testbench.explained_day import explain_day
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.benchmark import Benchmark, BenchmarkError, find_scenario
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError

_ERRORS = (PlanError, BenchmarkError, CompositionError, UnknownRuleError, CannotWriteOutput)


def command(
    scenario: Annotated[
        str, typer.Argument(help="Name of a scenario or a rule.", metavar="SCENARIO")
    ],
    config: Annotated[
        Path | None,
        typer.Option(help="Benchmark that has the scenario (default: any shipped benchmark)."),
    ] = None,
    day: Annotated[int, typer.Option(min=1, help="Number of the day, from 1.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the task, if SCENARIO is a rule.")] = 0,
    task: Annotated[str | None, typer.Option(help="Show only this task, such as T2.")] = None,
    at: Annotated[
        str | None, typer.Option(help="Stop the work at this time, such as 11:30.", metavar="HH:MM")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show needs that took no calls.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw it as SVG to this file instead of printing it.")
    ] = None,
) -> None:
    """Show how a day can be worked honestly: each task's needs, and the calls for them."""
    with exit_on_error("explain", *_ERRORS):
        if svg is not None:
            check_output(svg, "--svg")
        composition, place = _composed(scenario, config, day, seed)
        clock = _clock(at)
        known = [due.id for due in composition.on_day(place).tasks]
        if task is not None and task not in known:
            raise PlanError(f"this day has no task {task!r}; it has {', '.join(known)}.")
        explained = anyio.run(explain_day, composition, place, task, clock)
        if svg is not None:
            write_output(svg, picture_file(draw_work(explained), Scheme.LIGHT), "--svg")
    typer.echo(explained.as_text(everything=everything) if svg is None else svg)


def _composed(name: str, config: Path | None, day: int, seed: int) -> tuple[ComposedDay, int]:
    """Return the day or week called *name*, and the position of *day* in it, from 0.

    Raises PlanError, CompositionError or UnknownRuleError.
    """
    if config is None and "." in name:
        alone = single_task_day(name, seed)
        return alone, _place(name, day, len(alone.days))
    found = find_scenario(name, None if config is None else _benchmark(config))
    place = _place(name, day, len(found.days))
    return (composed(found, 0), place) if found.week else (composed(found, place), 0)


def _place(name: str, day: int, days: int) -> int:
    """Return the position of day number *day* among *days* days. Raises PlanError."""
    if day > days:
        raise PlanError(f"{name} has no day {day}; its last is {days}.")
    return day - 1


def _benchmark(config: Path) -> Benchmark:
    """Return the benchmark in *config*. Raises PlanError."""
    loaded = load_benchmark(config, None)
    return Benchmark(name=loaded.name, scenarios=loaded.scenarios)


def _clock(clock: str | None) -> time | None:
    """Return *clock* as a time of day. Raises PlanError for other texts."""
    if clock is None:
        return None
    try:
        return datetime.strptime(clock, "%H:%M").time()
    except ValueError:
        raise PlanError(f"{clock!r} is not a time; write it like 11:30.") from None


_ROOT = re.compile(r":root \{(?P<colours>[^}]*--paper[^}]*)\}")
_COLOUR = re.compile(r"--([\w-]+):\s*([^;]+);")
_USED = re.compile(r"var\(--([\w-]+)\)")
_HEAD = re.compile(
    r'<svg class="day plan" role="img" viewBox="[^"]*" width="(?P<width>\d+)" '
    r'height="(?P<height>\d+)"(?P<more>[^>]*)>'
)
_MARGIN = 16
_FONT = (
    "svg{font:12px/1.2 Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums}"
)


class Scheme(StrEnum):
    """The colours of a picture."""

    LIGHT = "light"
    DARK = "dark"


def picture_file(drawing: str, scheme: Scheme) -> str:
    """Return an inline ``<svg>`` with the classes of a report as a file that ends in a newline.

    It is drawn on a card in the colour of its page.
    """
    found = _HEAD.match(drawing)
    assert found is not None, "a drawing begins with its size"
    wide, high = int(found["width"]) + 2 * _MARGIN, int(found["height"]) + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="day plan" role="img" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {wide} {high}" width="{wide}" height="{high}"'
        f"{found['more']}><style>{_style(scheme)}</style>"
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{wide}" height="{high}" rx="8" class="card"/>'
        f"{drawing[found.end() :]}\n"
    )


@cache
def _colours(scheme: Scheme) -> dict[str, str]:
    light, dark = (match["colours"] for match in _ROOT.finditer(page_style()))
    return dict(_COLOUR.findall(light if scheme is Scheme.LIGHT else dark))


@cache
def _style(scheme: Scheme) -> str:
    """Return the rules of all drawings, with colours written out: not every viewer knows
    variables."""
    colours = _colours(scheme)
    environment = template_environment("trainee_bench.harness.analysis.report")
    rules = "".join(
        read_style(environment, f"{name}.css")
        for name in ("drawing", "schedule", "worth", "explained")
    )
    written = _USED.sub(lambda used: colours.get(used[1], used[0]), rules)
    card = f".card{{fill:{colours['paper']}}}"
    return _FONT + card + re.sub(r"\s*([{};:,])\s+", r"\1", written).strip()
