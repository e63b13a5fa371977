"""``trainee-bench replay RUN``: repeat recorded actions in a new world and compare every result.

RUN is a run's folder, or one world file. For a run, the command also grades each repeated day and
compares the grade with the recorded one. Exit code 0 if nothing differs, 1 if anything does,
including run.json, 2 for a usage error. The world's log numbers the actions from 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.batch.verified_run import verify_lines
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.replay import recorded_worlds, replay_worlds
from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.text import one_line
from trainee_bench.world.errors import WorldFileError

_LONGEST_LINE = 4_000
"""Characters that are printed about one episode."""


def command(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or one world file.", metavar="RUN")],
    episode: Annotated[str | None, typer.Option(help="Replay only this episode.")] = None,
    to: Annotated[
        int | None, typer.Option(min=0, help="Stop after action N and save the world.", metavar="N")
    ] = None,
    fork: Annotated[
        Path | None,
        typer.Option(
            help="Save the world to this file (default with --to: beside the recorded world)."
        ),
    ] = None,
) -> None:
    """Repeat recorded actions in a new world and compare every result."""
    with exit_on_error("replay", PlanError, ResultFileError, WorldFileError):
        worlds = recorded_worlds(run, episode)
        if (to is not None or fork is not None) and len(worlds) != 1:
            raise PlanError(
                f"--to and --fork need one --episode; there are {', '.join(sorted(worlds)[:10])}"
            )
        if to is None and fork is None and run.is_dir():
            folder = RunFolder.open(run)
            try:
                plan = folder.plan()
            except ChangedPlan as changed:
                typer.echo(one_line(f"run.json: {changed}"))
                raise typer.Exit(1) from None
            same = anyio.run(_verify, folder, plan, set(worlds))
        else:
            same = anyio.run(_replay, worlds, to, fork)
    raise typer.Exit(0 if same else 1)


async def _verify(folder: RunFolder, plan: RunPlan, episodes: set[str]) -> bool:
    """Repeat and grade each of *episodes*, and print the outcome; return True if nothing
    differs."""
    same = True
    async for day in verify_lines(folder, plan, episodes):
        same = same and not day.problems
        message = "; ".join(day.problems) or f"{pluralize(day.actions, 'action')}, all the same"
        typer.echo(one_line(f"{day.episode}: {message}", _LONGEST_LINE))
    return same


async def _replay(worlds: dict[str, Path], to: int | None, fork: Path | None) -> bool:
    """Print the outcome of each replay; return True if nothing differs."""
    same = True
    async for day in replay_worlds(worlds, to, fork):
        same = same and day.difference is None
        message = day.difference or f"{pluralize(day.actions, 'action')}, all the same"
        typer.echo(one_line(f"{day.episode}: {message}", _LONGEST_LINE))
        if day.fork is not None:
            typer.echo(f"World after action {day.actions}: {day.fork}")
    return same
