"""The program ``trainee-bench``. Each command is a module of ``harness/commands``.

This module imports none of them. A command's module is imported when the command is called, so that
nobody waits for imports of another command.
"""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperCommand

from trainee_bench.harness.support.office_option import OFFICE_COMMANDS, add_office_option
from trainee_bench.harness.support.start_up import importing
from trainee_bench.harness.support.terminal import guarded_output

COMMANDS = {
    "run": "Run agents on the days of a benchmark, grade them, and write a report.",
    "experiment": "Run one of the experiments and write its tables and figures.",
    "ladder": "Find an agent's capacity: how many tasks it completes with a chance of one half.",
    "merge": "Merge runs of one benchmark, worked on several machines, into one run.",
    "compare": "Compare runs, or the agents of one run: which is better, and how certain that is.",
    "studio": "Show runs, recorded days step by step, and running episodes; start and guide runs.",
    "play": "Work a day yourself in this terminal, one line per call, under the rules for agents.",
    "replay": "Repeat recorded actions in a new world and compare every result.",
    "verify": "Repeat every episode from its log, grade it again, and compare with results.jsonl.",
    "worth": "Compute what each step of an episode was worth, and which steps cost points.",
    "grade": "Grade the tasks in a world file and print the missed points.",
    "stage": "Stage a day or a week of a benchmark as a world file.",
    "work": "Work a staged day or week by hand, through its MCP server.",
    "explain": "Show how a day can be worked honestly: each task's needs, and the calls for them.",
    "attack": "Run every attack on a benchmark, and print the best score reached without work.",
    "certify": "Test that each rule (kind of task) rewards honest work and nothing else.",
    "catalog": "List all rules (kinds of tasks) and complications, or a benchmark's days.",
    "generate": "Generate scenarios that the built-in solver, the oracle, solves with full score.",
    "bound": "Compute an upper bound for each day with more work than hours.",
    "export": "Write a run's episodes, or the days of a benchmark, for other programs.",
    "submit": "Pack a run for a leaderboard, or check a submission.",
    "snapshot": "Copy a world file as it is now, even while a client works in it.",
    "connect": "Print or write the configuration with which an MCP client works a day.",
    "bundle": "Write the .mcpb bundle for desktop clients and the registry's server.json.",
    "parity": "Make the same calls through every framework and client, and compare scores.",
    "office": "Make, import, check and describe your own office: people, files, tasks.",
    "new": "Write a working family of tasks, or an app, for you to change.",
}
"""The commands, each with the first line of its help.

The module of each has a ``command``: a function for typer, or a `typer.Typer` of several.
"""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A simulated company in which an AI agent works its first days.",
)


class _ListedCommand(TyperCommand):
    """A command of `COMMANDS`; only its name and help are known until it is called."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """Return the context of the command itself, which *args* are for."""
        return load_command(str(self.name)).make_context(info_name, args, *rest, **more)


def module_of(name: str) -> str:
    """Return the full name of the module of the command *name*."""
    return f"trainee_bench.harness.commands.{name}"


def load_command(name: str) -> Any:
    """Return the command *name* of `COMMANDS`, with its options, for typer to run."""
    with importing():
        command = importlib.import_module(module_of(name)).command
    if not isinstance(command, typer.Typer):
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(name)(command)
        command = alone
    made = typer.main.get_command(command)
    return add_office_option(made) if name in OFFICE_COMMANDS else made


def _called_by_name() -> None:
    """Do nothing: this is a placeholder for a command's function, which is in the command's
    module."""


for _name, _line in COMMANDS.items():
    app.command(_name, cls=_ListedCommand, help=_line)(_called_by_name)


@app.command(
    "serve",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)
def serve(context: typer.Context) -> None:
    """Serve all apps of a world, or one of them, to an MCP client."""
    from trainee_bench.mcp_servers.__main__ import main as serve_until_closed

    serve_until_closed(context.args, "trainee-bench serve")


def main() -> None:
    """Run the program. Exit codes: 0 success, 1 an error or a difference, 2 a usage error."""
    with guarded_output():
        app()
