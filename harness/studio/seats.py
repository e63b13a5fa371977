"""The seats of a studio: people take them, continue days from a step, resume and end them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.batch.person_run import (
    SHOWN_SINCE,
    PersonRun,
    create_person_run,
    find_day,
    resume_person_run,
    works_unseen,
)
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.studio.forks import create_person_fork
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.opened_run import ScoreMark, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seat import Seat, SeatRefused
from trainee_bench.harness.studio.shown_days import day_key
from trainee_bench.meta_tasks.benchmark import (
    QUICKSTART,
    load_shipped_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError


class NoSuchSeat(LookupError):
    """Raised if there is no seat or day with this name."""


class Seats:
    """The seats of the studio that shows *shown*. People may take the days of the shipped
    benchmarks and of their *own* ones."""

    def __init__(self, shown: ShownRuns, own: Sequence[LoadedBenchmark] = ()):
        self._shown = shown
        self._own = tuple(own)
        self._seats: dict[str, Seat] = {}

    @cached_property
    def benchmarks(self) -> tuple[LoadedBenchmark, ...]:
        """The benchmarks whose days may be taken, the user's own ones first."""
        shipped = dict.fromkeys((QUICKSTART, *shipped_benchmark_names()))
        found: dict[str, LoadedBenchmark] = {}
        for loaded in (*self._own, *(load_benchmark(Path(name), None) for name in shipped)):
            found.setdefault(loaded.name, loaded)
        return tuple(found.values())

    def all(self) -> tuple[Seat, ...]:
        """Return all seats so far, the latest first."""
        return tuple(reversed(self._seats.values()))

    def seat(self, key: str) -> Seat:
        """Return the seat with this number. Raises NoSuchSeat."""
        if key not in self._seats:
            raise NoSuchSeat("There is no such seat here. Seats end when the studio is closed.")
        return self._seats[key]

    async def take(self, benchmark: str, scenario: str, day: int, who: str, *, seen: bool) -> Seat:
        """Take a new seat for the person *who* on a day.

        Raises NoSuchSeat for an unknown benchmark, PlanError for an unknown day or an invalid name,
        and SeatRefused for a day that cannot be staged. Also raises SeatRefused for a day that this
        studio has shown, unless *seen* allows the result to be marked as seen.
        """
        loaded = next((known for known in self.benchmarks if known.name == benchmark), None)
        if loaded is None:
            raise NoSuchSeat(f"There is no benchmark {benchmark!r} here.")
        known = self._shown.days.has_shown(find_day(loaded, scenario, day), day)
        if known and not seen:
            raise SeatRefused(
                "This studio has shown this day, so you may know it. Take another day, or have "
                "your result marked as seen."
            )
        try:
            run = create_person_run(loaded, scenario, day, self._shown.home, who, seen=known)
        except CompositionError as error:
            raise SeatRefused(str(error)) from None
        return await self._sit_down(run)

    async def go_on(self, history: EpisodeHistory, step: int, who: str) -> Seat:
        """Take a new seat for the person *who*, continuing after *step* of the episode of
        *history*. Raises SeatRefused if that is impossible, NoSuchState if there is no such
        step."""
        try:
            run = await create_person_fork(history, step, who, self._shown.home)
        except PlanError as error:
            raise SeatRefused(str(error)) from None
        return await self._sit_down(run)

    def left(self) -> Iterator[ShownEpisode]:
        """Yield the days that a person began and left, in any studio or terminal, and that nobody
        is working here now."""
        worked = {seat.world for seat in self._seats.values()}
        for run in self._shown.refresh():
            for episode in run.episodes():
                if episode.left and episode.world not in worked:
                    yield episode

    async def resume(self, key: str) -> Seat:
        """Resume the episode with this key, for the person who left it, at the point where it was
        left. Raises NoSuchSeat if nobody left it, and SeatRefused if this studio has shown the day
        since, or somebody is working it elsewhere."""
        episode = next((left for left in self.left() if left.key == key), None)
        if episode is None or episode.spec is None:
            raise NoSuchSeat("There is no such unfinished day here.")
        spec = episode.spec
        if works_unseen(spec) and self._shown.days.has_shown(spec.scenario, spec.day):
            raise SeatRefused(SHOWN_SINCE)
        try:
            run = await resume_person_run(episode.run.path)
        except (PlanError, ResultFileError, WorldFileError) as error:
            raise SeatRefused(str(error)) from None
        return await self._sit_down(run)

    async def _sit_down(self, run: PersonRun) -> Seat:
        self._shown.days.note([day_key(run.spec.scenario, run.spec.day)])
        key = str(len(self._seats) + 1)
        seat = self._seats[key] = Seat(key, run, self._shown)
        await seat.begun()
        return seat

    async def close(self) -> None:
        """End all seats."""
        for seat in self._seats.values():
            await seat.close()


YARDSTICKS = ("oracle", "in_order", "sprayer")
"""The agents to propose if nobody has worked the day: the best possible work, honest work without a
plan, and a cheat."""


class OtherResult(BaseModel):
    """The result of another agent or person on the same day."""

    episode: str
    run_name: str
    agent: str
    score: float | None
    success: bool
    steps: int
    marks: tuple[ScoreMark, ...]


class Yardsticks(BaseModel):
    """Agents that may be started to have results to compare with."""

    config: str
    scenario: str
    agents: tuple[str, ...]


class OthersOnDay(BaseModel):
    """The results of others, the best first; ``start`` is None if nothing can be started."""

    results: tuple[OtherResult, ...]
    start: Yardsticks | None


def others_on_day(shown: ShownRuns, spec: EpisodeSpec, benchmark: str, own: Path) -> OthersOnDay:
    """Return the results of others on the day of *spec*, a day of *benchmark*, in all runs of
    *shown*. The world *own* is left out."""
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
            # compare the name first: keys are long, and a run may have many days
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
    """Return the yardsticks for this day, if it is part of a shipped benchmark."""
    if benchmark not in shipped_benchmark_names():
        return None
    for scenario in load_shipped_benchmark(benchmark).scenarios:
        same = scenario.name == spec.scenario.name and spec.day in scenario.world_days
        if same and day_key(scenario, spec.day) == day_key(spec.scenario, spec.day):
            return Yardsticks(config=benchmark, scenario=scenario.name, agents=YARDSTICKS)
    return None
