"""``trainee-bench parity [DOOR …]``: play the same calls through many doors, and compare.

A door is a way for an agent to connect; the seat is a door without a server or a client. Exit code
0 if every installed door agrees with the seat, 1 if one differs, 2 for a usage error, 3 if a named
door is not installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.parity.check import check_doors, parity_document
from trainee_bench.harness.parity.door import UnknownDoor, find_doors
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)

_DIFFERS, _NOT_RUN = 1, 3


def command(
    doors: Annotated[
        list[str] | None,
        typer.Argument(help="Doors, by name or file (default: all).", metavar="[DOOR …]"),
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", help="Also write the table to FILE.", metavar="FILE")
    ] = None,
    environments: Annotated[
        Path | None,
        typer.Option(
            help="Folder of virtual environments, one for each door that cannot share this one, "
            "named after the door's file.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
) -> None:
    """Make the same calls through every framework and client, and compare scores.

    Each way for an agent to connect is called a door.
    """
    console = Console()
    with exit_on_error("parity", CannotWriteOutput, UnknownDoor):
        if as_json is not None:
            check_output(as_json, "--json")
        chosen = find_doors(doors or (), environments)
        reports = []
        for report in check_doors(chosen, parity_scripts()):
            typer.echo(f"{report.door}: {_verdict(report.not_run, report.same)}", err=True)
            reports.append(report)
        print_document(parity_document(reports), console)
        if as_json is not None:
            lines = json.dumps([report.model_dump(mode="json") for report in reports], indent=1)
            write_output(as_json, f"{lines}\n", "--json")
    if any(not report.same for report in reports if not report.not_run):
        raise typer.Exit(_DIFFERS)
    if doors and any(report.not_run for report in reports):
        raise typer.Exit(_NOT_RUN)


def _verdict(not_run: str, same: bool) -> str:
    if not_run:
        return f"not run, {not_run}"
    return "same" if same else "differs"
