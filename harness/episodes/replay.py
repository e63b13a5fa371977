"""Replaying recorded days: stage the world again, repeat every action, compare every result.

The world's log numbers the actions from 1.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import refuse_link_out
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.mcp_servers.verifier import recompose_day, stored_scenario_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry, count_actions
from trainee_bench.world.connection import damaged
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.layout import unknown_tables
from trainee_bench.world.world import World

_MOST_ACTIONS = 20_000
"""More actions than any agent makes in 25 days, and few enough to be read and repeated."""


class OtherDay(WorldFileError):
    """A world was staged from another day than expected."""


@dataclass(frozen=True)
class RecordedDay:
    """A recorded day: its composition, its log, and the digest at its end.

    ``more`` are tables of its file that no app of this program makes.
    """

    composition: ComposedDay
    log: tuple[LogEntry, ...]
    digest: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayDifference:
    """The first difference between a replay and its record.

    ``results_agree`` says that only the world differs.
    """

    text: str
    results_agree: bool


async def replay_day(
    recorded: RecordedDay, world: World, to: int | None = None
) -> ReplayDifference | None:
    """Repeat the first *to* recorded actions (all if None) in *world*, which is newly staged.

    Returns the first difference, None if there is none. After the last action the digests are
    compared, too.
    """
    log = recorded.log if to is None else recorded.log[:to]
    try:
        await replay_log(world, log)
    except ReplayDiverged as difference:
        return ReplayDifference(str(difference), False)
    digest = await world.digest()
    if len(log) == len(recorded.log) and digest != recorded.digest:
        return ReplayDifference(
            f"every result is the same, but after action {len(log)} the world's digest is {digest} "
            f"instead of {recorded.digest}",
            True,
        )
    return None


async def read_recorded_day(path: Path, due: ComposedDay | None = None) -> RecordedDay:
    """Return the day recorded in the world file at *path*.

    With *due*, the world must be of that day, and the scenario in the file is not composed: a
    forged one may take forever. Raises OtherDay then. Raises WorldFileError for a file that is not
    a world, is damaged, or was made by another generator.
    """
    async with await World.open(path) as world:
        try:
            count = await world.read(count_actions)
            if count > _MOST_ACTIONS:
                raise WorldFileError(
                    f"{path.name} has a log of {count:,} actions; at most {_MOST_ACTIONS:,} are "
                    "repeated."
                )
            if due is not None and await stored_scenario_day(world) != due.scenario_day:
                raise OtherDay(f"{path.name} is the world of another day.")
            composition = due or await recompose_day(world)
            log, digest = tuple(await world.log()), await world.digest()
            return RecordedDay(composition, log, digest, tuple(await world.read(unknown_tables)))
        except (ValueError, LookupError, TypeError, RecursionError, OverflowError) as error:
            # Written data is always readable, so errors of pydantic and json mean damage.
            raise damaged(path.name, f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class ReplayedDay:
    """The outcome of one replay: the first difference, if any, and the saved world, if any."""

    episode: str
    actions: int
    difference: str | None
    fork: Path | None = None


async def replay_worlds(
    worlds: Mapping[str, Path], to: int | None, fork: Path | None
) -> AsyncIterator[ReplayedDay]:
    """Replay the world files *worlds*, given by episode, each up to action *to* (None: all).

    With *to* or *fork*, and if nothing differs, the world is saved at *fork*, by default beside the
    world file. Among several worlds, an unreadable one is yielded as a difference. Raises PlanError
    if *to* is past the last action, and WorldFileError if a single file is not a world of this
    version.
    """
    for name, path in worlds.items():
        try:
            recorded = await read_recorded_day(path)
        except WorldFileError as error:
            if len(worlds) == 1:
                raise
            yield ReplayedDay(name, 0, f"not replayed: {error}")
            continue
        if to is not None and to > len(recorded.log):
            raise PlanError(f"--to {to}: {name} has {pluralize(len(recorded.log), 'action')}")
        actions = len(recorded.log) if to is None else to
        composition = recorded.composition
        async with await World.create(
            None, composition.world_config(), composition.populate
        ) as world:
            difference = await replay_day(recorded, world, to)
            target = None
            if difference is None and (to is not None or fork is not None):
                target = fork or path.with_name(f"{path.stem}.action-{actions}.world")
                await (await world.fork(target)).close()
        yield ReplayedDay(name, actions, difference.text if difference else None, target)


def recorded_worlds(run: Path, episode: str | None) -> dict[str, Path]:
    """Return the world files in the run's folder *run* by episode; *run* may also be a world file.

    *episode* selects one of a run. Raises PlanError if there is none, and ResultFileError for a
    damaged result file.
    """
    if run.is_file():
        return {run.stem: run}
    folder = RunFolder.open(run)
    worlds = {r.episode: r.world for r in folder.ledger.read() if r.world is not None}
    if not worlds:
        raise PlanError(f"{run} has no finished episode; continue it with run --resume.")
    if episode is not None and episode not in worlds:
        near = suggest_names(episode, worlds, sorted(worlds)[:5])
        raise PlanError(f"--episode {episode}: there is no such episode; try {near}.")
    wanted = worlds if episode is None else {episode: worlds[episode]}
    for world in wanted.values():
        refuse_link_out(run, run / world)
    return {id: run / world for id, world in sorted(wanted.items())}
