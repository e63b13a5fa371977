"""``trainee-bench worth RUN``: what each step of an episode was worth, and which steps cost points.

The command stores the values beside the run and writes its report again with them. Exit code 0 if
all were computed, 1 if an episode cannot be repeated, 2 for a usage error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.analysis.report.worth_section import points_lost_grid
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Document, Grid
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth, WorthPoint
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.harness.worth.loss_words import how_certain, loss_in_words
from trainee_bench.world.week import span_weeks


def command(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    episode: Annotated[
        str | None, typer.Option(help="Show only this episode, with the value after every step.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all values to this file, as JSON.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
) -> None:
    """Compute what each step of an episode was worth, and which steps cost points."""
    console = output_console()
    with exit_on_error(
        "worth", CannotWriteOutput, PlanError, ResultFileError, interrupted="Interrupted."
    ):
        if json_file is not None:
            check_output(json_file, "--json")
        folder = RunFolder.open(run)
        computed = store_worths(folder, episode, jobs)
        worths, failed = _print_as_they_come(computed, console, in_full=episode is not None)
        if json_file is not None:
            told = [worths[id].model_dump(mode="json") for id in sorted(worths)]
            write_output(json_file, json.dumps(told, indent=1) + "\n", "--json")
    raise typer.Exit(1 if failed else 0)


def _print_as_they_come(
    computed: Iterable[tuple[EpisodeResult, EpisodeWorth | str]], console: Console, *, in_full: bool
) -> tuple[dict[str, EpisodeWorth], int]:
    """Print each of *computed*; return the worths by episode, and the number of failures."""
    worths: dict[str, EpisodeWorth] = {}
    failed = 0
    for result, worth in computed:
        if isinstance(worth, str):
            failed += 1
            _print(console, f"{result.episode}: {worth}")
            continue
        worths[worth.episode] = worth
        _print_worth(console, worth, in_full=in_full)
    grid = points_lost_grid(worths.values())
    if grid is not None and len(worths) + failed > 1:
        print_document(Document("", (grid,)), console)
    return worths, failed


def _print_worth(console: Console, worth: EpisodeWorth, *, in_full: bool) -> None:
    start, end = worth.points[0].value, worth.end.value
    _print(console, f"{worth.episode}: {format_number(start)} to {format_number(end)}")
    if in_full:
        print_document(Document("", (_step_grid(worth),)), console)
    for loss in worth.losses:
        step = "end" if loss.step is None else str(loss.step)
        _print(console, f"  {step:>4}  {loss_in_words(worth, loss)}")
        for task in loss.tasks if in_full else ():
            for sentence in task.checkpoints:
                _print(console, f"          {task.task}: {sentence}")
    for caution in how_certain([worth]):
        _print(console, f"  {caution}")


def _step_grid(worth: EpisodeWorth) -> Grid:
    titles = ["step", "until", "what was done", "value", "harm"]
    points = [*worth.points, worth.end]
    names = [*(str(point.step) for point in worth.points), "end"]
    dated = span_weeks(points[0].at, points[-1].at)
    rows = [
        [
            name,
            f"{point.at:%a %d %b %H:%M}" if dated else f"{point.at:%a %H:%M}",
            point.did,
            _value(point),
            str(len(point.harm)) if point.harm else "",
        ]
        for name, point in zip(names, points, strict=True)
    ]
    return Grid.from_rows(titles, rows, left_columns=3)


def _value(point: WorthPoint) -> str:
    value = format_number(point.value)
    return value if point.is_exact else f"at least {value}"


def _print(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
