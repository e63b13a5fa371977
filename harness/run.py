"""``python -m harness.run``: run a batch of episodes, print its table, write its report.

Without arguments: the quickstart, with the agents ``oracle`` and ``nothing``.
Exit 0 when every episode ran, 1 when one broke, 2 on wrong use, 130 when interrupted.
"""

from __future__ import annotations

import typer

from trainee_bench.harness.analysis.report.run_and_report import run_and_report
from trainee_bench.harness.batch.command_errors import exit_on_errors
from trainee_bench.harness.batch.forecast_table import show_forecast
from trainee_bench.harness.batch.options import EXECUTION_OPTIONS, RunOptions, make_command
from trainee_bench.harness.batch.pipeline import Run, create_run, resume_run
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.console import output_console


def run(options: RunOptions) -> None:
    """Run agents on the days of a benchmark, grade them, and write a report."""
    with exit_on_errors("run", "Interrupted; continue with --resume and the run's folder."):
        if options.dry_run:
            if options.out is not None or options.resume is not None:
                raise PlanError("--dry-run writes nothing: leave out --out and --resume.")
            show_forecast(output_console(), build_plan(options))
            return
        outcome = run_and_report(_open_run(options), output_console())
    raise typer.Exit(0 if outcome.complete else 1)


def _open_run(options: RunOptions) -> Run:
    """A new run, or the one to resume. Raises PlanError."""
    if options.resume is None:
        return create_run(build_plan(options), options.out)
    if options.given() - EXECUTION_OPTIONS - {"resume"}:
        raise PlanError(
            "--resume continues with the recorded options; only --max-concurrency, --executor and "
            "--workers can be given as well."
        )
    folder = RunFolder.open(options.resume)
    return resume_run(folder, options.executor, options.workers, options.max_concurrency)


command = make_command(run, RunOptions)

if __name__ == "__main__":
    typer.run(command)
