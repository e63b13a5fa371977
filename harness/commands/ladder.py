"""``trainee-bench ladder``: climb to worlds of more and more tasks until the capacity is known.

    trainee-bench ladder --model mine --max-cost 20
    trainee-bench ladder --resume runs/ladder-001 --episodes 80

Exit code 0 if the climb reached one of its limits, 1 if an episode broke, 2 for a usage error, 130
if interrupted.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from trainee_bench.harness.batch.pipeline import RunAborted
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.ladder.climb import OpenedClimb, begin, climb_of, resume, work_climb
from trainee_bench.harness.ladder.document import publish_climb
from trainee_bench.harness.ladder.options import NOT_OFFERED, LadderOptions
from trainee_bench.harness.ladder.sources import source_of
from trainee_bench.harness.ladder.state import ClimbEnd, ClimbState
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.commands import exit_on_error, make_command
from trainee_bench.harness.support.terminal import output_console, sigterm_as_interrupt

_ERRORS = (PlanError, ResultFileError, RunAborted)


def run(options: LadderOptions) -> None:
    """Find an agent's capacity: how many tasks it completes with a chance of one half."""
    console = output_console()
    folder = options.resume

    def interrupted() -> str:
        if folder is None:
            return "Interrupted before the first round; nothing was written."
        return (
            f"Interrupted; continue with: trainee-bench ladder --resume {shlex.quote(str(folder))}"
        )

    with exit_on_error("ladder", *_ERRORS, interrupted=interrupted):
        beside = {path: _read(path) for path in options.beside or ()}
        opened = (
            resume(options, source_of) if options.resume else begin(options, source_of, console)
        )
        folder = opened.folder.path
        with sigterm_as_interrupt():
            stop = work_climb(opened, console, partial(_publish, console, beside))
    raise typer.Exit(1 if stop is ClimbEnd.BROKEN else 0)


def _publish(
    console: Console,
    beside: Mapping[Path, ClimbState],
    opened: OpenedClimb,
    state: ClimbState,
    stop: ClimbEnd | None,
) -> None:
    """Write the report of a climb, and print it if the climb has ended."""
    folder = opened.folder.path
    others = _told_apart(state.agent, beside)
    try:
        document = publish_climb(opened.folder, opened.plan, state, stop, others)
    except OSError as error:
        raise PlanError(
            f"The report cannot be written ({error.strerror}); all results are in "
            f"{opened.folder.ledger.path}. Continue with --resume {shlex.quote(str(folder))}."
        ) from None
    if stop is None:
        return
    console.print()
    print_document(document, console)
    figures = f"its tables: {folder / 'ladder.md'}, its figures: {folder / 'ladder.json'}"
    report = f"Report: {folder / 'ladder.html'}, {figures}"
    for line in (report, f"Next: trainee-bench studio {shlex.quote(str(folder))}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _told_apart(agent: str, beside: Mapping[Path, ClimbState]) -> list[ClimbState]:
    """Return the climbs *beside* that of *agent*; a name that occurs twice is followed by the
    folder."""
    names = Counter([agent, *(state.agent for state in beside.values())])
    return [
        replace(state, agent=f"{state.agent} in {path.name}") if names[state.agent] > 1 else state
        for path, state in beside.items()
    ]


def _read(path: Path) -> ClimbState:
    """Return the climb in the folder *path*. Raises PlanError if it is none."""
    folder = RunFolder.open(path)
    plan = folder.plan()
    climb_of(plan)
    return ClimbState.of(plan, folder.ledger.read())


command = make_command(run, LadderOptions, without=NOT_OFFERED)
