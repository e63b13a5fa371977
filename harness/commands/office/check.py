"""``trainee-bench office check``: read an office, and list all that is wrong or doubtful."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.office_check.findings import Finding, check_office
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.meta_tasks.offices.opened import open_office
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.task_context import CompositionError


def check(
    folder: Annotated[Path, typer.Argument(help="The office's folder.")],
) -> None:
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
    raise typer.Exit(1 if any(map(_is_wrong, findings)) else 0)


def _is_wrong(finding: Finding) -> bool:
    return finding.wrong
