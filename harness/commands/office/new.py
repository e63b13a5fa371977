"""``trainee-bench office new``: write the folder of an office that works, to be changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.scaffolding.office_folder import FolderExists, write_office
from trainee_bench.harness.support.commands import exit_on_error


def new(
    folder: Annotated[Path, typer.Argument(help="The new folder; its name names the office.")],
) -> None:
    """Write the folder of an office with one task of each kind, for you to change."""
    with exit_on_error("office new", FolderExists):
        for path in write_office(folder):
            typer.echo(f"wrote {path}")
    typer.echo("It already works. Change it step by step, and check it with:")
    typer.echo(f"  trainee-bench office check {folder}")
    typer.echo(f"  trainee-bench certify '{folder.name}.*' --office {folder} --seeds 3")
    typer.echo("`trainee-bench office guide` describes every file.")
