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
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.comparison.entrant import Incomparable, entrants
from harness.comparison.paired import Comparison, compare
from harness.comparison.wording import NOTE, Cells, pairs_cells, standings_cells
from harness.screen import screen


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
        comparison = compare(entrants(runs, agent or ()))
    except Incomparable as error:
        typer.echo(f"trainee-bench compare: {error}", err=True)
        raise typer.Exit(2) from None
    _show(screen(), comparison)


def _show(console: Console, comparison: Comparison) -> None:
    for cells in (standings_cells(comparison), pairs_cells(comparison)):
        console.print(_table(cells))
    console.print(NOTE, markup=False)


def _table(cells: Cells) -> Table:
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1))
    for place, heading in enumerate(cells[0]):
        table.add_column(heading, justify="right" if place else "left", overflow="fold")
    for row in cells[1]:
        table.add_row(*map(escape, row))
    return table


if __name__ == "__main__":
    typer.run(command)
