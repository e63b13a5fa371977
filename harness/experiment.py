"""``python -m harness.experiment NAME``: run one of the paper's experiments and write its page.

    python -m harness.experiment main --model scripted
    python -m harness.experiment workload --from runs/main-001

Exit 0 when every episode ran, 1 when one broke or is missing, 2 on wrong use, 130 when interrupted.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import Annotated

import typer

from trainee_bench.harness.analysis.experiments.running import (
    EXPERIMENTS,
    ExperimentOptions,
    open_experiment,
    run_experiment,
    show_forecasts,
)
from trainee_bench.harness.batch.command_errors import exit_on_errors
from trainee_bench.harness.batch.options import make_command
from trainee_bench.harness.support.console import output_console

ExperimentName = StrEnum("Name", {name.upper(): name for name in EXPERIMENTS})  # type: ignore[misc]


def run(experiment: ExperimentName, options: ExperimentOptions) -> None:
    """Run one of the paper's experiments and write its table and figure."""
    chosen, console = EXPERIMENTS[experiment.value], output_console()
    with exit_on_errors(
        "experiment", "Interrupted; continue with --resume and the experiment's folder."
    ):
        if options.dry_run:
            show_forecasts(chosen, options, console)
            return
        complete = run_experiment(chosen, open_experiment(chosen, options), options, console)
    raise typer.Exit(0 if complete else 1)


command = make_command(
    run,
    ExperimentOptions,
    inspect.Parameter(
        "experiment",
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[
            ExperimentName,
            typer.Argument(help="Which experiment; the paper's Tables 2-5, Figure 4."),
        ],
    ),
    without={"guidance"},
)

if __name__ == "__main__":
    typer.run(command)
