"""``trainee-bench experiment NAME``: one experiment, from its runs to its report.

    trainee-bench experiment main --model scripted
    trainee-bench experiment workload --from runs/main-001

Exit code 0 if every episode was graded, 1 if one failed or is missing, 2 for a usage error, 130 if
interrupted.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import Annotated

import typer

from trainee_bench.harness.analysis.experiments.execution import (
    EXPERIMENTS,
    open_experiment,
    run_experiment,
    show_experiment_forecast,
)
from trainee_bench.harness.batch.options import ExperimentOptions
from trainee_bench.harness.batch.pipeline import RunAborted
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.support.commands import exit_on_error, make_command
from trainee_bench.harness.support.terminal import output_console, sigterm_as_interrupt

_ERRORS = (PlanError, ResultFileError, RunAborted)
_INTERRUPTED = "Interrupted; continue with --resume and the experiment's folder."
ExperimentName = StrEnum("Name", {name.upper(): name for name in EXPERIMENTS})  # type: ignore[misc]
_NAME = inspect.Parameter(
    "experiment",
    inspect.Parameter.KEYWORD_ONLY,
    annotation=Annotated[
        ExperimentName,
        typer.Argument(
            help="Tables 2 to 5 and Figure 4 of the paper, in this order; learning; reliability; "
            "or thinking."
        ),
    ],
)


def run(experiment: ExperimentName, options: ExperimentOptions) -> None:
    """Run one of the experiments and write its tables and figures."""
    chosen, console = EXPERIMENTS[experiment.value], output_console()
    with exit_on_error("experiment", *_ERRORS, interrupted=_INTERRUPTED):
        if options.dry_run:
            options.check_dry_run()
            show_experiment_forecast(chosen, options, console)
            return
        opened = open_experiment(chosen, options)
        with sigterm_as_interrupt():
            complete = run_experiment(opened, console)
    raise typer.Exit(0 if complete else 1)


command = make_command(run, ExperimentOptions, _NAME, without={"guidance", "part"})
