"""``trainee-bench grade WORLD``: grade a world, for example one that an MCP client worked in.

Exit code 0 if every check ran, 1 if a check raised an error, 2 for a file that is not a world. A
check that raises an error counts as missed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.episodes.grading import grade_summary, grade_world_file
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.text import printable
from trainee_bench.world.errors import WorldFileError


def command(
    world: Annotated[Path, typer.Argument(help="World file.", metavar="WORLD")],
    tier: Annotated[
        int,
        typer.Option(
            min=1,
            max=3,
            help="Detail of the feedback: 1 what was missed, 2 also where to look, 3 also how to "
            "do it.",
        ),
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print grades as JSON instead.")] = False,
) -> None:
    """Grade the tasks in a world file and print the missed points."""
    with exit_on_error("grade", WorldFileError):
        graded = anyio.run(grade_world_file, world, tier)
    day = graded.day
    if graded.remark:
        typer.echo(graded.remark, err=True)
    if as_json:
        typer.echo(day.model_dump_json(indent=1))
    else:
        for line in "\n".join(graded.feedback.values()).split("\n"):
            typer.echo(printable(line))  # the message quotes what the agent wrote
        typer.echo(grade_summary(day))
    broken = [f"{task.task}: a check broke: {task.error}" for task in day.tasks if task.error]
    for line in broken:
        typer.echo(line, err=True)
    raise typer.Exit(int(bool(broken)))
