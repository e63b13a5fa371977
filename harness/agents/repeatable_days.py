"""Days that somebody worked, as calls that can be made again on another day.

run's folder or world file ──best episode of each day──► RepeatableDay: tasks, people, calls
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.recording import Recording
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import refuse_link_out
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.mcp_servers.verifier import recompose_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.company.people import Company
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.week import NEXT_DAY
from trainee_bench.world.world import World


@dataclass(frozen=True)
class TimedCall:
    """A tool call, and when it began and ended."""

    tool: str
    arguments: Mapping[str, JsonValue]
    at: datetime
    until: datetime


@dataclass(frozen=True)
class RepeatableTask:
    """A task of a worked day: its id, its rule, and its text."""

    id: str
    rule: str
    text: str


@dataclass(frozen=True)
class RepeatableDay:
    """A day or a week that somebody worked. ``calls`` has the employee's calls of each of its
    days."""

    scenario: str
    number: int
    length: int
    """The number of its days: more than one for a week."""
    company: Company
    tasks: tuple[RepeatableTask, ...]
    calls: tuple[tuple[TimedCall, ...], ...]


def repeatable_day(composition: ComposedDay, log: Sequence[LogEntry]) -> RepeatableDay:
    """Return the day of *composition* as worked in *log*."""
    days: list[list[TimedCall]] = [[]]
    for entry in log:
        if entry.tool == NEXT_DAY:
            days.append([])
        elif entry.actor not in ("", MENTOR):
            days[-1].append(TimedCall(entry.tool, entry.arguments, entry.at, entry.until))
    told = composition.scenario_day
    return RepeatableDay(
        told.scenario.name,
        told.day,
        len(composition.days),
        composition.company,
        tuple(
            RepeatableTask(task.id, task.rule, task.instance.told.objective)
            for task in composition.tasks
        ),
        tuple(map(tuple, days)),
    )


def find_recording(path: Path) -> Recording:
    """Return the run in the folder *path*, or the day in the world file *path*, for an agent.

    Raises PlanError if there is no finished day.
    """
    return Recording(path=str(path.absolute()), digest=_digest(_worlds(path)))


def check_recording(recording: Recording) -> None:
    """Raise PlanError if the recorded days are gone or have changed."""
    if _digest(_worlds(Path(recording.path))) != recording.digest:
        raise PlanError(
            f"{recording.path} has changed since this run was planned; start a new run with it."
        )


_READ: dict[Recording, tuple[RepeatableDay, ...]] = {}
"""The recorded days that this process has read, since every episode needs them."""


async def read_repeatable_days(recording: Recording) -> tuple[RepeatableDay, ...]:
    """Return the days of *recording*. Raises PlanError if they are gone, changed or unreadable."""
    if recording not in _READ:
        check_recording(recording)
        worlds = _worlds(Path(recording.path))
        _READ[recording] = tuple([await _read(path) for path in worlds])
    return _READ[recording]


async def _read(path: Path) -> RepeatableDay:
    try:
        async with await World.open(path) as world:
            return repeatable_day(await recompose_day(world), await world.log())
    except (WorldFileError, ValueError, LookupError) as error:
        raise PlanError(f"{path} cannot be repeated: {error}") from error


def _worlds(path: Path) -> list[Path]:
    """Return the world file *path*, or those of the best episodes of the run in that folder."""
    if path.is_file():
        return [path]
    try:
        results = RunFolder.open(path).ledger.read()
    except ResultFileError as error:
        raise PlanError(str(error)) from None
    worlds = [path / str(result.world) for result in _best_of_each_day(results)]
    if not worlds:
        raise PlanError(f"{path} has no finished day whose calls could be repeated.")
    for world in worlds:
        refuse_link_out(path, world)
    return worlds


def _best_of_each_day(results: Sequence[EpisodeResult]) -> Iterator[EpisodeResult]:
    """Yield the episode with the highest score of each day, the first of equal ones."""
    best: dict[tuple[str, str], EpisodeResult] = {}
    for result in results:
        if result.world is None or result.score is None or result.forked_from is not None:
            continue
        known = best.setdefault((result.scenario, result.day), result)
        if (known.score or 0.0) < result.score:
            best[result.scenario, result.day] = result
    yield from best.values()


def _digest(worlds: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for world in worlds:
        try:
            whole.update(hashlib.sha256(world.read_bytes()).digest())
        except OSError as error:
            raise PlanError(f"{world} cannot be read ({error.strerror}).") from None
    return whole.hexdigest()
