"""``trainee-bench office``: make, check and describe an own office.

trainee-bench office new nordlicht     write a folder with a task of each kind
trainee-bench office check nordlicht   read it, ask its questions, list flaws
trainee-bench office guide             everything that an author needs, on one page
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.office_check.findings import check_office
from trainee_bench.harness.scaffolding.office_folder import FolderExists, write_office
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.meta_tasks.offices.opened import open_office
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.task_context import CompositionError

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make, check and describe your own office: its people, files and tasks.",
)


@command.command()
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


@command.command()
def check(folder: Annotated[Path, typer.Argument(help="The office's folder.")]) -> None:
    """Read an office, and list what is wrong or doubtful, with the remedy.

    Exit code 0 if nothing is wrong, 1 if something is, 2 if the folder cannot be read.
    """
    with exit_on_error("office check", OfficeError, CompositionError):
        office = open_office(folder)
        findings = list(check_office(office))
    for finding in findings:
        typer.echo(str(finding))
    typer.echo(
        f"{office.company.name}: {len(office.company.people)} people, {len(office.drive)} files, "
        f"{len(office.mails)} mails, {len(office.meetings)} meetings, {len(office.tasks)} tasks "
        f"({office.reference})"
    )
    for name, source in office.tasks.items():
        typer.echo(f"  {office.name}.{name}: {source.file.kind}")
    raise typer.Exit(1 if any(finding.wrong for finding in findings) else 0)


@command.command()
def guide() -> None:
    """Print how to write an office: every file, every entry, what is proved, and an example."""
    page = resources.files("trainee_bench.meta_tasks.offices") / "guide.md"
    typer.echo(page.read_text(encoding="utf-8"))
