"""Compute what each step of one recorded episode was worth.

world file ──replay──► moments ──forks──► values ──► losses in words
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path

import anyio

from trainee_bench.harness.episodes.replay import RecordedDay, read_recorded_day
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import LinkOut, refuse_link_out
from trainee_bench.harness.records.worth import EpisodeWorth, WorthPoint
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.harness.worth.decisions import DecisionFinder
from trainee_bench.harness.worth.loss_words import END_OF_WORK, step_in_words
from trainee_bench.harness.worth.losses import LossFinder, read_task_facts
from trainee_bench.harness.worth.moments import (
    Moment,
    Progress,
    RecordedMoments,
    ValueCurve,
    read_moments,
    unheard,
    value_curve,
)
from trainee_bench.mcp_servers import read_only_tools
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

_BEGINNING = "the work began"
_IN_A_WEEK = (
    "After a night an agent knows only its notes, and an honest worker cannot read another agent's "
    "notes. From the second morning on, a higher score may have been possible."
)
_TOO_MUCH_WORK = (
    "There was more work than hours, and the honest worker that goes on does not search for the "
    "best choice of tasks. A higher score may have been possible."
)
_PLAYED = (
    "A language model phrased what colleagues said. The honest worker that goes on gets their "
    "scripted answers."
)


async def episode_worth(
    result: EpisodeResult, world: Path, progress: Progress = unheard
) -> EpisodeWorth:
    """Compute what each step of an episode was worth, from its *world* file.

    Raises WorldFileError if the file is no world of this version or its log cannot be repeated.
    Also raises whatever *progress* raises.
    """
    recorded = await read_recorded_day(world)
    composition = recorded.composition
    try:
        moments = await read_moments(recorded)
    except ReplayDiverged as difference:
        raise WorldFileError(f"{world.name} cannot be repeated: {difference}") from None
    curve = await value_curve(composition, moments, progress)
    last = World.deserialize_inline(moments.moments[-1].state)
    async with last:
        facts = await read_task_facts(last, composition)
    finder = LossFinder(composition, recorded.log, facts)
    decided = DecisionFinder(composition, recorded.log, read_only_tools(), moments.verdicts)
    points = tuple(_points(recorded, moments, curve))
    cautions = () if all(point.is_exact for point in points) else _cautions(composition, result)
    return EpisodeWorth(
        episode=result.episode,
        scenario=result.scenario,
        day=result.day,
        agent=result.agent,
        digest=recorded.digest,
        points=points,
        end=_point(
            len(recorded.log), END_OF_WORK, moments.moments[-1], curve.end, curve.end.score or 0.0
        ),
        losses=tuple(finder.losses(curve.best, curve.end)),
        decisions=tuple(decided.decisions(curve.end)),
        cautions=tuple(cautions),
        forks=curve.tried,
    )


def _points(
    recorded: RecordedDay, moments: RecordedMoments, curve: ValueCurve
) -> Iterator[WorthPoint]:
    people = len(recorded.composition.company.people)
    done = [_BEGINNING, *(step_in_words(entry, people) for entry in recorded.log)]
    steps = zip(done, moments.moments, curve.best, strict=True)
    for step, (did, moment, best) in enumerate(steps):
        yield _point(step, did, moment, best, moment.at_most)


def _point(step: int, did: str, moment: Moment, grade: DayGrade, at_most: float) -> WorthPoint:
    return WorthPoint(
        step=step,
        did=did,
        at=moment.now,
        value=grade.score or 0.0,
        at_most=at_most,
        tasks={task.task: task.score or 0.0 for task in grade.tasks},
        successes=tuple(task.task for task in grade.tasks if task.success),
        harm={task.task: task.harm for task in grade.tasks if task.harm},
    )


def _cautions(composition: ComposedDay, result: EpisodeResult) -> Iterator[str]:
    if len(composition.days) > 1:
        yield _IN_A_WEEK
    if composition.spec.best:
        yield _TOO_MUCH_WORK
    if result.identity is not None and result.identity.npc_brain.startswith("model:"):
        yield _PLAYED


def recorded_results(folder: RunFolder, episode: str | None) -> list[EpisodeResult]:
    """Return the results in *folder* that have a world, or only the one of *episode*.

    Raises PlanError if there is none, and ResultFileError for a damaged result file.
    """
    results = {
        result.episode: result for result in folder.ledger.read() if result.world is not None
    }
    if not results:
        raise PlanError(
            f"{folder.path} has no finished episode; continue the run with run --resume."
        )
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
    """Compute the worth of the steps of each result in at most *jobs* processes.

    Yields each result as soon as it is done, with its worth or the reason why there is none. A
    single episode, or one job, runs in this process and reports to *progress*.
    """
    if len(results) == 1 or jobs == 1:
        for result in results:
            yield result, _compute(result, folder.path, progress)
        return
    with worker_processes(min(jobs, len(results))) as pool:
        tasks = {pool.submit(_compute, result, folder.path): result for result in results}
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
