"""The option ``--office`` of all commands that stage days: it opens an own office.

The office is open before other options are read, so that benchmark files and rules may name it.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

OFFICE_COMMANDS = frozenset(
    {
        "run", "experiment", "studio", "play", "replay", "verify", "worth", "grade", "stage",
        "work", "explain", "attack", "certify", "catalog", "generate", "bound", "export", "submit",
        "connect",
    }
)  # fmt: skip
"""The commands with this option, and their subcommands."""
_LONGEST_MESSAGE = 4_000
_VARIABLE = "TRAINEE_BENCH_OFFICES"
"""`opened.VARIABLE`, whose module takes long to import."""
HELP = (
    "Open an own office: its folder, or the name under which an installed package offers it. "
    "Code in its tasks (answer.py) runs on this machine. Repeatable."
)


def add_office_option(command: Any) -> Any:
    """Return *command* with the option; a group's subcommands have it instead."""
    inner = getattr(command, "commands", None)
    if inner is not None:
        for subcommand in inner.values():
            add_office_option(subcommand)
    else:
        command.params.append(_option())
    return command


def _option() -> Any:
    """Return the option as typer makes it, taken from a command that has nothing else."""
    alone = typer.Typer(add_completion=False)

    @alone.command()
    def opens(
        office: Annotated[
            list[str] | None,
            typer.Option(
                "--office",
                callback=_open,
                expose_value=False,
                is_eager=True,
                metavar="FOLDER|PACKAGE",
                help=HELP,
            ),
        ] = None,
    ) -> None:
        """Open offices."""

    return typer.main.get_command(alone).params[0]


def _open(context: typer.Context, sources: list[str] | None) -> None:
    """Open each office, and say whose code runs. Ends the program with exit code 2 if one cannot
    be read."""
    if not sources and not os.environ.get(_VARIABLE):
        return
    from trainee_bench.harness.support.text import one_line
    from trainee_bench.meta_tasks.offices.opened import open_offices, open_source
    from trainee_bench.meta_tasks.offices.source import OfficeError

    try:
        open_offices()
    except OfficeError as error:
        flaw = one_line(f"the variable {_VARIABLE}: {error}", _LONGEST_MESSAGE)
        typer.echo(f"trainee-bench {context.info_name}: {flaw}", err=True)
        raise typer.Exit(2) from None
    for source in sources or ():
        try:
            office = open_source(source)
        except OfficeError as error:
            message = one_line(str(error), _LONGEST_MESSAGE)
            typer.echo(f"trainee-bench {context.info_name}: {message}", err=True)
            raise typer.Exit(2) from None
        if office.has_code:
            typer.echo(code_notice(office.name, office.company.name), err=True)


def code_notice(name: str, company: str) -> str:
    """Return the sentence that says whose code runs, and where."""
    from trainee_bench.harness.support.text import one_line
    from trainee_bench.meta_tasks.offices.answer_code import sandbox_command

    where = (
        "in a sandbox without network and files"
        if sandbox_command()
        else "without a sandbox (bubblewrap is not available), so open only offices that you trust"
    )
    return f"The office {name} ({one_line(company)}) brings code for its answers; it runs {where}."


def office_flaw(error: BaseException) -> str | None:
    """Return what is wrong with an own office if *error* says so, alone or in a group; None for any
    other error."""
    from trainee_bench.meta_tasks.offices.opened import OfficeUnavailable
    from trainee_bench.meta_tasks.offices.source import OfficeError

    if isinstance(error, OfficeUnavailable | OfficeError):
        return str(error)
    if isinstance(error, BaseExceptionGroup):
        flaws = [office_flaw(inner) for inner in error.exceptions]
        return flaws[0] if all(flaws) else None
    return None
