"""``trainee-bench merge RUN…``: merge runs of one benchmark into one run.

    trainee-bench run --config core-50 --agent my:Agent --part 3/16 --out parts/3
    trainee-bench merge parts/* --out merged

Each machine runs another part. Exit code 0 if every episode has a result, 1 if some are missing or
broke, 2 if the runs cannot be merged.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.batch.merged_plan import CannotMerge
from trainee_bench.harness.batch.merged_run import RunMerge
from trainee_bench.harness.batch.pipeline import Run, RunOutcome
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.terminal import output_console, sigterm_as_interrupt

_INTERRUPTED = "Interrupted; the runs are unchanged. Merge them again."
_WHOLE = "Interrupted; the merged run in {0} is whole. Next: trainee-bench verify {0}"


def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", metavar="RUN…")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="New folder for the run (default: runs/NAME-NUMBER)."),
    ] = None,
) -> None:
    """Merge runs of one benchmark, worked on several machines, into one run."""
    console, merge = output_console(), RunMerge(runs, out)

    def interrupted() -> str:
        whole = merge.whole
        return _INTERRUPTED if whole is None else _WHOLE.format(shlex.quote(str(whole)))

    with (
        exit_on_error("merge", CannotMerge, PlanError, ResultFileError, interrupted=interrupted),
        sigterm_as_interrupt(),
    ):
        folder, plan = merge.run()
        results = tuple(folder.ledger.read())
        print_and_publish(Run(plan, folder, plan.max_concurrency), results, console)
        planned = sum(1 for _ in plan.episode_specs())
        outcome = RunOutcome(results, planned, len(plan.refused))
        folder_word = shlex.quote(str(folder.path))
        console.print(
            f"Merged {pluralize(len(runs), 'run')} into {folder.path}: {len(results)} of "
            f"{pluralize(planned, 'episode')}. Next: trainee-bench "
            + (f"verify {folder_word}" if outcome.complete else f"run --resume {folder_word}"),
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    raise typer.Exit(0 if outcome.complete else 1)
