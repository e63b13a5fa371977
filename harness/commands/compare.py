"""``trainee-bench compare RUN…``: compare runs, or the agents of one run, in pairs.

    trainee-bench compare runs/core-50-001 runs/core-50-002
    trainee-bench compare runs/core-50-001 --agent some-model --agent another

Exit code 0 if they were compared; 2 for a usage error, or if their settings or episodes differ so
that they cannot be compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.analysis.comparison.compared_run import (
    IncomparableRuns,
    load_compared_runs,
)
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.paired_schedules import compare_schedules
from trainee_bench.harness.analysis.comparison.presentation import comparison_document
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.terminal import output_console


def command(
    runs: Annotated[
        list[Path], typer.Argument(help="Folder of a run, or its results.jsonl.", metavar="RUN…")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Compare only the agent with this name. Repeatable."),
    ] = None,
) -> None:
    """Compare runs, or the agents of one run: which is better, and how certain that is."""
    with exit_on_error("compare", IncomparableRuns):
        compared = load_compared_runs(runs, agent or ())
        comparison = compare_runs(compared)
    schedules = compare_schedules(compared)
    print_document(comparison_document(comparison, schedules), output_console())
