"""Verification of a whole run: its plan, every line, and the record of all episodes begun.

Each episode of the plan must have exactly one line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from dataclasses import dataclass

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.verification import VerifiedDay, verify_result
from trainee_bench.harness.records.begun_episodes import (
    BEGUN_FILE,
    BegunEpisode,
    histories,
    result_digest,
)
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder

_SHOWN_ENDS = 5
"""The number of ends of an episode that a sentence lists."""


@dataclass(frozen=True)
class VerifiedRecord:
    """Outcome of comparing the record of begun episodes: remarks, and contradictions.

    ``problems`` are what does not agree with plan and results.
    """

    told: tuple[str, ...]
    problems: tuple[str, ...]


def verify_record(folder: RunFolder, plan: RunPlan) -> VerifiedRecord:
    """Compare the record of begun episodes with *plan* and with the results in *folder*.

    Raises ResultFileError for a damaged result file.
    """
    results = folder.ledger.read()
    try:
        events = folder.begun.read()
    except ResultFileError as error:
        return VerifiedRecord((), (str(error),))
    if not events and results:
        missing = f"{BEGUN_FILE} is missing, so nobody knows which episodes were begun before"
        return VerifiedRecord((), (missing,))
    recorded = histories(events)
    specs = {spec.id: spec for spec in plan.episode_specs()}
    problems = [
        *_start_problems(specs, recorded),
        *(p for result in results for p in _end_problems(result, recorded.get(result.episode))),
    ]
    return VerifiedRecord(tuple(_told(recorded)), tuple(problems))


def _start_problems(
    specs: Mapping[str, EpisodeSpec], recorded: Mapping[str, BegunEpisode]
) -> Iterator[str]:
    """Yield the episodes in the record that the plan lacks or that have another spec there."""
    for episode, history in recorded.items():
        spec = specs.get(episode)
        if spec is None:
            yield f"{BEGUN_FILE}: {episode} is not an episode of the plan"
        elif any(start.digest != spec.digest for start in history.starts):
            yield f"{BEGUN_FILE}: {episode} was begun under another plan than run.json has now"


def _end_problems(result: EpisodeResult, history: BegunEpisode | None) -> Iterator[str]:
    """Yield how the line of *result* differs from the last recorded end of its episode."""
    if history is None or not history.ends:
        yield f"{BEGUN_FILE}: {result.episode} has a line, but never ended"
        return
    end = history.ends[-1]
    if end.digest != result_digest(result):
        yield f"{BEGUN_FILE}: {result.episode} ended last with another line than it has now"
    if (end.score, end.tries) != (result.score, result.tries):
        yield (
            f"{BEGUN_FILE}: {result.episode} ended with score {end.score} and tries {end.tries}, "
            f"its line says {result.score} and {result.tries}"
        )
    if result.world is not None:
        yield from _last_start_problems(result, history)


def _last_start_problems(result: EpisodeResult, history: BegunEpisode) -> Iterator[str]:
    """Yield how the last start of the episode of *result* differs from its line."""
    if not history.starts:
        yield f"{BEGUN_FILE}: {result.episode} has a line, but was never begun"
    elif history.starts[-1].tries != result.tries:
        yield (
            f"{BEGUN_FILE}: {result.episode} was begun "
            f"{pluralize(history.starts[-1].tries, 'time')} by the "
            f"run that ended it, its line says tries {result.tries}"
        )
    elif not history.ended_last:
        yield f"{BEGUN_FILE}: {result.episode} did not end after it was begun last"


def _told(recorded: Mapping[str, BegunEpisode]) -> Iterator[str]:
    """Yield how many episodes were begun, and each that was worked more than once or never
    finished."""
    starts = sum(len(episode.starts) for episode in recorded.values())
    repeated = [id for id, episode in recorded.items() if len(episode.starts) > 1]
    unfinished = sum(episode.unfinished for episode in recorded.values())
    yield (
        f"Begun: {pluralize(len(recorded), 'episode')}, {pluralize(starts, 'time')} in all; "
        f"{len(repeated)} repeated, {unfinished} never finished."
    )
    for episode in repeated:
        history = recorded[episode]
        ends = ["broken" if end.score is None else f"{end.score:.4f}" for end in history.ends]
        shown = ", then ".join(ends[-_SHOWN_ENDS:]) or "never"
        yield f"{episode}: begun {pluralize(len(history.starts), 'time')}; it ended {shown}"


async def verify_lines(
    folder: RunFolder, plan: RunPlan, episodes: Collection[str] = ()
) -> AsyncIterator[VerifiedDay]:
    """Verify the lines of the run in *folder*, or those of *episodes*, in the plan's order.

    Lines of episodes that the plan does not have come last. Raises ResultFileError.
    """
    lines: dict[str, list[EpisodeResult]] = defaultdict(list)
    for result in folder.ledger.lines():
        if not episodes or result.episode in episodes:
            lines[result.episode].append(result)
    for spec in plan.episode_specs():
        told = lines.pop(spec.id, [])
        if not told:
            continue
        day = await verify_result(spec, told[0], folder.path)
        if any(line != told[0] for line in told):
            problem = f"it has {len(told)} lines that differ; the first one counts"
            day = VerifiedDay(day.episode, day.actions, (*day.problems, problem))
        yield day
    for episode in lines:
        yield VerifiedDay(episode, 0, ("the plan has no such episode",))


def missing_episodes(folder: RunFolder, plan: RunPlan) -> list[str]:
    """Return the episodes of *plan* without a line. Raises ResultFileError."""
    there = {result.episode for result in folder.ledger.read()}
    return [spec.id for spec in plan.episode_specs() if spec.id not in there]
