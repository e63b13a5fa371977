"""``python -m harness.compare A B …``: runs set against each other, instance by instance.

    python -m harness.compare runs/core-50-001 runs/core-50-002
    python -m harness.compare runs/core-50-001 --agent some-model --agent another

Exit 0 when they were compared, whoever is better; 2 on wrong use, and where runs of different
identity or of different work would be compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trainee_bench.harness.analysis.comparison.compared_run import (
    IncomparableRuns,
    load_compared_runs,
)
from trainee_bench.harness.analysis.comparison.paired import Comparison, compare_runs
from trainee_bench.harness.analysis.comparison.presentation import (
    COMPARISON_NOTE,
    pairs_cells,
    standings_cells,
)
from trainee_bench.harness.analysis.report.table import terminal_table
from trainee_bench.harness.support.console import output_console


def command(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or their results.jsonl.", metavar="RUN…")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Whom to compare, where a run has several agents. Repeatable."),
    ] = None,
) -> None:
    """Compare runs, or the agents of one run: who is better, and whether that can be said."""
    try:
        comparison = compare_runs(load_compared_runs(runs, agent or ()))
    except IncomparableRuns as error:
        typer.echo(f"trainee-bench compare: {error}", err=True)
        raise typer.Exit(2) from None
    _show(output_console(), comparison)


def _show(console: Console, comparison: Comparison) -> None:
    for cells in (standings_cells(comparison), pairs_cells(comparison)):
        console.print(terminal_table(*cells))
    console.print(COMPARISON_NOTE, markup=False)


if __name__ == "__main__":
    typer.run(command)
