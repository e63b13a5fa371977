"""What each step was worth in the episodes of a run, computed in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path

import anyio

from trainee_bench.harness.records.own_files import LinkOut, refuse_link_out
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.harness.worth.curve import Progress, unheard
from trainee_bench.harness.worth.episode_worth import episode_worth
from trainee_bench.world.errors import WorldFileError


def recorded_results(folder: RunFolder, episode: str | None) -> list[EpisodeResult]:
    """The results of the run in *folder* that have a world; only that of *episode*, if given.

    Raises PlanError if there is none, ResultFileError for a damaged result file.
    """
    results = {one.episode: one for one in folder.ledger.read() if one.world is not None}
    if not results:
        raise PlanError(f"{folder.path} has no finished episode; continue it with run --resume.")
    if episode is None:
        return [results[id] for id in sorted(results)]
    if episode not in results:
        near = suggest_names(episode, results, sorted(results)[:5])
        raise PlanError(f"--episode {episode}: there is no such id; try {near}.")
    return [results[episode]]


def compute_worths(
    folder: RunFolder,
    results: Sequence[EpisodeResult],
    jobs: int,
    progress: Progress = unheard,
) -> Iterator[tuple[EpisodeResult, EpisodeWorth | str]]:
    """What each step of each of *results* was worth, as they come, or why that cannot be computed;
    in at most *jobs* processes. A single episode, or with one job each, is computed in this process
    and tells *progress*."""
    if len(results) == 1 or jobs == 1:
        for one in results:
            yield one, _compute(one, folder.path, progress)
        return
    with worker_processes(min(jobs, len(results))) as pool:
        tasks = {pool.submit(_compute, one, folder.path): one for one in results}
        for task in as_completed(tasks):
            yield tasks[task], task.result()


def _compute(
    result: EpisodeResult, folder: Path, progress: Progress = unheard
) -> EpisodeWorth | str:
    world = folder / str(result.world)
    try:
        refuse_link_out(folder, world)
        return anyio.run(episode_worth, result, world, progress)
    except (LinkOut, WorldFileError) as error:
        return str(error)
