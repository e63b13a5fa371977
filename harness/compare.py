"""``python -m harness.compare A B …``: compare runs, or the agents of one run, in pairs.

    python -m harness.compare runs/core-50-001 runs/core-50-002
    python -m harness.compare runs/core-50-001 --agent some-model --agent another

Exit 0 after a comparison, whichever is better; 2 on wrong use, and for runs whose conditions or
instances differ.
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
from trainee_bench.harness.analysis.comparison.presentation import comparison_document
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.support.console import output_console


def command(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders, or their results.jsonl.", metavar="RUN…")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Compare only these agents. Repeatable."),
    ] = None,
) -> None:
    """Compare runs, or the agents of one run: which is better, and is the difference real?"""
    try:
        comparison = compare_runs(load_compared_runs(runs, agent or ()))
    except IncomparableRuns as error:
        typer.echo(f"trainee-bench compare: {error}", err=True)
        raise typer.Exit(2) from None
    print_document(comparison_document(comparison), output_console())


if __name__ == "__main__":
    typer.run(command)
