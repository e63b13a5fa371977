"""``trainee-bench run``: run agents on a benchmark, grade them, and write a report.

Without options it runs the benchmark ``quickstart`` with the oracle, the agent ``sprayer`` and the
model ``scripted-fair``. Then it computes what each of their steps was worth. Exit code 0 if every
episode was graded, 1 if one failed, 2 for a usage error, 130 if interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import typer
from rich.console import Console

from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.analysis.report.run_facts import closing_lines
from trainee_bench.harness.analysis.report.store_worths import store_worths_of, without_worth
from trainee_bench.harness.batch.agent_configs import is_quick_start
from trainee_bench.harness.batch.forecast import show_forecast
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import Run, RunAborted, create_run, execute, resume_run
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.support.commands import exit_on_error, make_command
from trainee_bench.harness.support.terminal import output_console, sigterm_as_interrupt

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
            computed = _compute_worths(this_run, outcome.results, console)
            print_and_publish(this_run, outcome.results, console)
            for line in closing_lines(this_run.folder, outcome.results):
                console.print(line, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(0 if outcome.complete and computed else 1)


def _compute_worths(this_run: Run, results: Sequence[EpisodeResult], console: Console) -> bool:
    """Compute what each step of a quick start was worth; return False if any of it failed."""
    missing = without_worth(this_run.folder, results) if is_quick_start(this_run.plan) else []
    if not missing:
        return True
    console.print("Computing what each step was worth …")
    complete = True
    for result, worth in store_worths_of(this_run.folder, missing, os.cpu_count() or 1):
        if isinstance(worth, str):
            complete = False
            console.print(f"{result.episode}: {worth}", markup=False, soft_wrap=True)
    return complete


def _open(options: RunOptions) -> Run:
    if options.resume is None:
        return create_run(build_plan(options), options.out)
    options.check_resume()
    return resume_run(options.resume, options)


command = make_command(run, RunOptions)
