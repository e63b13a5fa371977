"""The data of the page "Episodes" as JSON: one compact row for each episode of all runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from trainee_bench.harness.analysis.statistics.summary import score_in_mean
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.studio.opened_run import (
    EpisodeState,
    OpenedRun,
    ScoreMark,
    ShownEpisode,
    shown_path,
)


class EpisodeRow(NamedTuple):
    """An episode, in JSON a list of these values; figures are None until it is over.

    ``path`` is the path of its run. ``broken`` says whether any part could not be graded.
    ``complete`` counts the successful ones of its ``tasks``. ``tokens`` and ``cost_usd`` are also
    None if unknown. Before the end, ``ended`` is "" and ``families`` is empty.
    """

    episode: str
    path: str
    scenario: str
    day: str
    agent: str
    attempt: int
    state: EpisodeState
    taken: bool
    score: float | None
    broken_as_0: float | None
    broken: bool
    success: bool
    complete: int | None
    tasks: int
    ended: str
    steps: int | None
    tokens: int | None
    cost_usd: float | None
    seconds: float | None
    guided: bool
    forked: bool
    families: tuple[str, ...]


class RunFlaw(BaseModel):
    """The reason why episodes of a run are missing from the table."""

    path: str
    error: str


class EpisodeTable(BaseModel):
    """All episodes: the names of the values in a row, the rows, and the runs that could not be
    read."""

    fields: tuple[str, ...]
    rows: tuple[EpisodeRow, ...]
    flaws: tuple[RunFlaw, ...]


def episode_table(runs: Iterable[OpenedRun]) -> EpisodeTable:
    """Return the table of the episodes of *runs*."""
    shown = [(run_path(run), run, run.episodes()) for run in runs]
    return EpisodeTable(
        fields=EpisodeRow._fields,
        rows=tuple(_row(path, episode) for path, _, episodes in shown for episode in episodes),
        flaws=tuple(RunFlaw(path=path, error=run.error) for path, run, _ in shown if run.error),
    )


def run_path(run: OpenedRun) -> str:
    """Return the path that people use for *run*: relative if it is below the working directory,
    else as it was given."""
    here = Path.cwd()
    return shown_path(run.path.relative_to(here) if run.path.is_relative_to(here) else run.path)


def ending(result: EpisodeResult | None) -> str:
    """Return how an episode ended, as named in the results; "" if it is not over."""
    if result is None:
        return ""
    return result.ended.value if result.ended is not None else "broken"


def _row(path: str, episode: ShownEpisode) -> EpisodeRow:
    spec, result, marks = episode.spec, episode.result, episode.marks
    return EpisodeRow(
        episode=episode.key,
        path=path,
        scenario=spec.scenario.name if spec else episode.name,
        day=spec.day_name if spec else "",
        agent=spec.agent if spec else "",
        attempt=spec.attempt if spec else 1,
        state=episode.state,
        taken=episode.taken,
        score=result.score if result else None,
        broken_as_0=score_in_mean(result, broken_as_0=True) if result else None,
        broken=result.broken if result else False,
        success=result.success if result else False,
        complete=sum(task.success for task in result.tasks) if result else None,
        tasks=len(result.tasks) if result else 0,
        ended=ending(result),
        steps=result.steps if result else None,
        tokens=_tokens(result),
        cost_usd=result.cost_usd if result else None,
        seconds=result.wall_seconds if result else None,
        guided=ScoreMark.GUIDED in marks,
        forked=ScoreMark.FORKED in marks,
        families=tuple(dict.fromkeys(task.family for task in result.tasks)) if result else (),
    )


def _tokens(result: EpisodeResult | None) -> int | None:
    """Return the sum of the tokens that were read and written; None if neither is known."""
    counts = (result.prompt_tokens, result.completion_tokens) if result else ()
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
