"""``trainee-bench new``: write a new family or app, a working skeleton to change.

    trainee-bench new family NAME    meta_tasks/families/NAME.py and its test
    trainee-bench new app NAME       world/apps/NAME.py, mcp_servers/NAME.py, a test

Exit code 0 if it was written, 2 for a usage error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.scaffolding.skeletons import (
    APP,
    FAMILY,
    CannotWrite,
    NameRefused,
    clone_root,
    new_app,
    new_family,
)
from trainee_bench.harness.support.terminal import output_console

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Write a working family of tasks, or an app, for you to change.",
)
FamilyName = Annotated[
    str, typer.Argument(help="Name of the family, such as stock_take.", metavar="NAME")
]
AppName = Annotated[
    str, typer.Argument(help="Name of the app: one word, such as tickets.", metavar="NAME")
]


@command.command("family")
def family(name: FamilyName) -> None:
    """Write a new family: one file with its task, grading and oracle, and a test."""
    try:
        written = new_family(name, clone_root())
    except (NameRefused, CannotWrite) as error:
        raise typer.BadParameter(str(error)) from None
    _tell(written, FAMILY.commands(name), "docs/tutorials/your_family.md")


@command.command("app")
def an_app(name: AppName) -> None:
    """Write a new app: one file with its table and verbs, one with its tools, and a test."""
    try:
        written = new_app(name, clone_root())
    except (NameRefused, CannotWrite) as error:
        raise typer.BadParameter(str(error)) from None
    _tell(written, APP.commands(name), "docs/tutorials/your_app.md")


def _tell(written: Sequence[Path], commands: Sequence[str], tutorial: str) -> None:
    console = output_console()
    for path in written:
        console.print(f"wrote {path.relative_to(clone_root())}", highlight=False, soft_wrap=True)
    console.print(f"It already works. Change it step by step ({tutorial}), and check it with:")
    for command in commands:
        console.print(f"  {command}", highlight=False, soft_wrap=True)
