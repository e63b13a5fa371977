"""``trainee-bench run``: run agents on a benchmark, grade them, and write a report.

Without options it runs the benchmark ``quickstart`` with the agents ``oracle`` and ``nothing``.
Exit code 0 if every episode was graded, 1 if one broke, 2 for wrong options, 130 if interrupted.
"""

from __future__ import annotations

import typer

from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.batch.forecast_table import show_forecast
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import Run, RunAborted, create_run, execute, resume_run
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.support.commands import exit_on_error, make_command
from trainee_bench.harness.support.terminal import output_console, run_program, sigterm_as_interrupt

_ERRORS = (PlanError, ResultFileError, RunAborted)
_INTERRUPTED = "Interrupted; continue with --resume and the run's folder."


def run(options: RunOptions) -> None:
    """Run agents on the days of a benchmark, grade them, and write a report."""
    console = output_console()
    with exit_on_error("run", *_ERRORS, interrupted=_INTERRUPTED):
        if options.dry_run:
            options.check_dry_run()
            show_forecast(console, build_plan(options))
            return
        this_run = _open(options)
        with sigterm_as_interrupt():
            outcome = execute(this_run, console)
            print_and_publish(this_run, outcome.results, console)
    raise typer.Exit(0 if outcome.complete else 1)


def _open(options: RunOptions) -> Run:
    if options.resume is None:
        return create_run(build_plan(options), options.out)
    options.check_resume()
    return resume_run(options.resume, options)


command = make_command(run, RunOptions)

if __name__ == "__main__":
    run_program(command)
