"""``python -m harness.replay RUN``: stage again, repeat every action, compare every result.

RUN is a run's folder, or one world file. Exit 0 if nothing differs, 1 with the first step
that does, 2 on wrong use. Steps are the numbers of actions in the world's log, from 1.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.mcp_servers.verifier import recompose_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


@dataclass(frozen=True)
class RecordedDay:
    """A recorded day: its composition, what was done, and the digest at its end."""

    composition: ComposedDay
    log: tuple[LogEntry, ...]
    digest: str


def command(
    run: Annotated[Path, typer.Argument(help="A run's folder, or one world file.")],
    episode: Annotated[str | None, typer.Option(help="Only this episode.")] = None,
    to: Annotated[
        int | None, typer.Option(min=0, help="Stop after this step and leave a world there.")
    ] = None,
    fork: Annotated[
        Path | None, typer.Option(help="Where that world is left; the last step without --to.")
    ] = None,
) -> None:
    """Repeat recorded actions in a world staged again, and compare every result."""
    try:
        paths = _worlds(run, episode)
        if (to is not None or fork is not None) and len(paths) != 1:
            raise PlanError(
                f"--to and --fork need one --episode of: {', '.join(sorted(paths)[:10])}"
            )
        same = anyio.run(_replay_all, paths, to, fork)
    except (PlanError, ResultFileError, WorldFileError) as error:
        typer.echo(f"trainee-bench replay: {error}", err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(0 if same else 1)


async def replay_day(recorded: RecordedDay, world: World, to: int | None = None) -> str | None:
    """Repeat the first *to* recorded actions (all if None) in *world*, freshly staged.

    Where it first differs, in words; None if nowhere. At the end the digests are compared, too.
    """
    log = recorded.log if to is None else recorded.log[:to]
    try:
        await replay_log(world, log)
    except ReplayDiverged as difference:
        return f"differs first at step {difference.seq}: {difference}"
    digest = await world.digest()
    if len(log) == len(recorded.log) and digest != recorded.digest:
        return (
            f"every result is the same, but after step {len(log)} the world is not: its digest "
            f"was {recorded.digest}, is {digest}"
        )
    return None


async def read_recorded_day(path: Path) -> RecordedDay:
    """The day recorded in the world file at *path*.

    Raises WorldFileError for a file that is none or that another generator made.
    """
    async with await World.open(path) as world:
        composition = await recompose_day(world)
        return RecordedDay(composition, tuple(await world.log()), await world.digest())


async def _replay_all(paths: dict[str, Path], to: int | None, fork: Path | None) -> bool:
    same = True
    for name, path in paths.items():
        recorded = await read_recorded_day(path)
        if to is not None and to > len(recorded.log):
            raise PlanError(f"--to {to}: {name} has {len(recorded.log)} steps")
        composition = recorded.composition
        async with await World.create(
            None, composition.world_config(), composition.populate
        ) as world:
            difference = await replay_day(recorded, world, to)
            same = same and difference is None
            steps = len(recorded.log) if to is None else to
            typer.echo(f"{name}: {difference or f'{steps} steps, all the same'}")
            if difference is None and (to is not None or fork is not None):
                target = fork or path.with_name(f"{path.stem}.step-{steps}.world")
                await (await world.fork(target)).close()
                typer.echo(f"The world after step {steps}: {target}")
    return same


def _worlds(run: Path, episode: str | None) -> dict[str, Path]:
    """The world files of the run's episodes, or the one *run* is, by name. Raises PlanError."""
    if run.is_file():
        return {run.stem: run}
    folder = RunFolder.open(run)
    results = {r.episode: r.world for r in folder.ledger.read() if r.world is not None}
    if not results:
        raise PlanError(f"{run} has no episode that was worked to its end; go on with run --resume")
    if episode is not None and episode not in results:
        near = difflib.get_close_matches(episode, results, n=3, cutoff=0.3) or sorted(results)[:5]
        raise PlanError(f"--episode {episode}: there is none of that id; try {' or '.join(near)}")
    wanted = results if episode is None else {episode: results[episode]}
    return {id: run / world for id, world in sorted(wanted.items())}


if __name__ == "__main__":
    typer.run(command)
