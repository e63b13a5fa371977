"""``trainee-bench office``: make, check and describe an own office.

trainee-bench office new nordlicht              write a folder with a task of each kind
trainee-bench office check nordlicht            read it, ask its questions, list flaws
trainee-bench office guide                      everything that an author needs, on one page
"""

from __future__ import annotations

import typer

from trainee_bench.harness.commands.office.check import check
from trainee_bench.harness.commands.office.guide import guide
from trainee_bench.harness.commands.office.new import new

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make, check and describe your own office: its people, files and tasks.",
)
command.command("new")(new)
command.command("check")(check)
command.command("guide")(guide)
