"""Compute the worth of the steps of a run's episodes, store it, and write the report again.

`trainee-bench worth` does this, and so does the studio on request. A quick start does it before its
report is written. If an episode is only opened in the studio, its values are stored and the report
stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import anyio

from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.worth.episode_worth import compute_worths, recorded_results
from trainee_bench.harness.worth.moments import Progress, unheard

ComputedWorths = Iterator[tuple[EpisodeResult, EpisodeWorth | str]]
"""Episodes with the worth of their steps, or the reason why it cannot be computed."""


def store_worths(
    folder: RunFolder, episode: str | None, jobs: int, progress: Progress = unheard
) -> ComputedWorths:
    """Yield the worth of each episode of the run in *folder* as it is stored, or why there is none.

    Only *episode* is computed, if given. The report is written after the last. *jobs* and
    *progress* are those of `compute_worths`. Raises PlanError if another process works on the run
    or there is no such episode, and ResultFileError for a damaged result file.
    """
    with folder.locked():
        folder.refuse_links_out()
        plan = folder.plan()
        yield from _stored(folder, recorded_results(folder, episode), jobs, progress)
        anyio.run(publish_report, folder, plan, folder.ledger.read())


def without_worth(folder: RunFolder, results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """Return the *results* that left a world in *folder* but have no stored worth."""
    return [
        result
        for result in results
        if result.world is not None and folder.worths.read(result) is None
    ]


def store_worths_of(
    folder: RunFolder, results: Sequence[EpisodeResult], jobs: int
) -> ComputedWorths:
    """Yield the worth of the steps of each of *results* as it is stored; all of them left a world.

    The report is left as it is. Raises PlanError if another process works on the run.
    """
    with folder.locked():
        yield from _stored(folder, results, jobs, unheard)


def _stored(
    folder: RunFolder, results: Sequence[EpisodeResult], jobs: int, progress: Progress
) -> ComputedWorths:
    for result, worth in compute_worths(folder, results, jobs, progress):
        if isinstance(worth, EpisodeWorth):
            folder.worths.write(worth)
        yield result, worth


def store_worth_aside(
    folder: RunFolder, episode: str, progress: Progress = unheard
) -> EpisodeWorth | str:
    """Store the worth of each step of *episode*; return it, or why it cannot be computed.

    The run is not locked, so that others can work on it, and its report is not written again.
    Raises PlanError if there is no such episode, and ResultFileError for a damaged result file.
    """
    folder.refuse_links_out()
    ((_, worth),) = compute_worths(folder, recorded_results(folder, episode), 1, progress)
    if isinstance(worth, EpisodeWorth):
        folder.worths.write(worth)
    return worth
