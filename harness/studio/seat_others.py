"""How others did on the day that a person has worked, from the runs that the studio shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.studio.opened_run import ScoreMark, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.shown_days import day_key
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names

YARDSTICKS = ("oracle", "in_order", "sprayer")
"""The agents that are proposed where nobody has worked the day: what is possible, honest work
without a plan, and a cheat."""


class OtherResult(BaseModel):
    """What another agent, or another person, came to on the same day."""

    episode: str
    run_name: str
    agent: str
    score: float | None
    success: bool
    steps: int
    marks: tuple[ScoreMark, ...]


class Yardsticks(BaseModel):
    """What may be started so that there is something to compare with."""

    config: str
    scenario: str
    agents: tuple[str, ...]


class OthersOnDay(BaseModel):
    """The results of others, the best first; ``start`` is None where nothing can be started."""

    results: tuple[OtherResult, ...]
    start: Yardsticks | None


def others_on_day(shown: ShownRuns, spec: EpisodeSpec, benchmark: str, own: Path) -> OthersOnDay:
    """How others did on the day of *spec*, a day of *benchmark*, in all runs of *shown*. The world
    *own* is left out."""
    found = [_result(episode, result) for episode, result in _same_day(shown, spec, own)]
    found.sort(key=lambda other: (-(other.score or 0), other.agent, other.episode))
    return OthersOnDay(results=tuple(found), start=_startable(spec, benchmark))


def _same_day(
    shown: ShownRuns, spec: EpisodeSpec, own: Path
) -> Iterator[tuple[ShownEpisode, EpisodeResult]]:
    key = day_key(spec.scenario, spec.day)
    for run in shown.refresh():
        for episode in run.episodes():
            theirs, result = episode.spec, episode.result
            if theirs is None or result is None or result.error or episode.world == own:
                continue
            # the name is compared first, since a key is long and a run may have many days
            if theirs.scenario.name != spec.scenario.name or theirs.day != spec.day:
                continue
            if day_key(theirs.scenario, theirs.day) == key:
                yield episode, result


def _result(episode: ShownEpisode, result: EpisodeResult) -> OtherResult:
    return OtherResult(
        episode=episode.key,
        run_name=episode.run.name,
        agent=result.agent,
        score=result.score,
        success=result.success,
        steps=result.steps,
        marks=episode.marks,
    )


def _startable(spec: EpisodeSpec, benchmark: str) -> Yardsticks | None:
    """The yardsticks on this day, if it is one of a shipped benchmark."""
    if benchmark not in shipped_benchmark_names():
        return None
    for scenario in load_shipped_benchmark(benchmark).scenarios:
        same = scenario.name == spec.scenario.name and spec.day in scenario.world_days
        if same and day_key(scenario, spec.day) == day_key(spec.scenario, spec.day):
            return Yardsticks(config=benchmark, scenario=scenario.name, agents=YARDSTICKS)
    return None
