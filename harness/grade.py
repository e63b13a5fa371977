"""``python -m harness.grade WORLD``: grade a world that was worked without a harness.

Exit 0 when every task was graded, 1 when a check of ours broke, 2 for a file that is no world.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.episodes.grading import verifier_feedback, verifier_grades
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


def command(
    world: Annotated[Path, typer.Argument(help="The world file.")],
    tier: Annotated[
        int, typer.Option(min=1, max=3, help="1 what was missed, 2 and where to look, 3 and how.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="All grades as JSON.")] = False,
) -> None:
    """Grade the tasks of a world and say what was missed."""
    try:
        day, said = anyio.run(_grade, world, tier)
    except WorldFileError as error:
        typer.echo(f"trainee-bench grade: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(day.model_dump_json(indent=1))
    else:
        typer.echo("\n".join(said.values()))
        typer.echo(_summary(day))
    raise typer.Exit(int(any(task.error for task in day.tasks)))


async def _grade(path: Path, tier: int) -> tuple[DayGrade, dict[str, str]]:
    async with await World.open(path) as world:
        return await verifier_grades(world), await verifier_feedback(world, tier)


def _summary(day: DayGrade) -> str:
    if day.score is None:
        return "No task could be graded."
    graded = [task for task in day.tasks if task.score is not None]
    complete = sum(task.success for task in graded)
    return f"Score {day.score:.2f} over {len(graded)} tasks, {complete} of them complete."


if __name__ == "__main__":
    typer.run(command)
