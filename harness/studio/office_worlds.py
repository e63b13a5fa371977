"""Worlds of own offices that the studio stages: its morning, and a task's day at a seed, worked
honestly.

They are files in a temporary folder, so that the page of an episode shows them like any other
world: step by step, with every app. No list of runs has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio.to_thread import run_sync

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.grading import task_results
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.studio.opened_run import OfficeDay, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.testbench.staged_day import open_staged_day, single_task_day
from trainee_bench.mcp_servers.verifier import grade_staged
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import replaced
from trainee_bench.meta_tasks.offices.values import parse_value, write_value
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, ScenarioDay
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.work.explain import failure_in_words
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.world import World

MOST = 30
"""The most days that a studio keeps; each is a file of some megabytes."""


class OfficeWorlds:
    """The days that this studio has staged for *runs*, by what they are of."""

    def __init__(self, runs: ShownRuns):
        self._runs = runs
        self._folder: TemporaryDirectory[str] | None = None
        self._staged: dict[tuple[object, ...], ShownEpisode] = {}
        self._number = 0
        self._staging = anyio.Lock()

    async def morning(self, office: Office) -> ShownEpisode:
        """Return the first morning of *office*, before any task."""
        return await self._kept((office.reference,), lambda path: _morning(office, path))

    async def day(
        self, office: Office, task: str, world: TriedWorld, why: str = ""
    ) -> ShownEpisode:
        """Return the day of a *task* in a *world* after honest work; *why* says which claim broke
        in it. Raises CompositionError."""
        key = (office.reference, task, repr(world), why)
        return await self._kept(
            key, lambda path: replace(_worked(office, task, world, path), why=why)
        )

    async def _kept(
        self, key: tuple[object, ...], stage: Callable[[Path], OfficeDay]
    ) -> ShownEpisode:
        async with self._staging:  # one at a time: honest work uses a whole processor
            if key not in self._staged:
                if len(self._staged) >= MOST:
                    oldest = self._staged.pop(next(iter(self._staged)))
                    oldest.world.unlink(missing_ok=True)
                self._number += 1
                path = self._home / f"office-{self._number}.world"
                staged = await run_sync(stage, path)
                self._staged[key] = self._runs.stage(path, staged)
            return self._staged[key]

    @property
    def _home(self) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="trainee-bench-studio-")
        return Path(self._folder.name)

    def close(self) -> None:
        """Remove all files."""
        if self._folder is not None:
            self._folder.cleanup()


@contextmanager
def changed_as(office: Office, world: TriedWorld) -> Iterator[None]:
    """Let *office* have the rules' values of *world* while the block lasts. Raises
    CompositionError for a value that no text of it states."""
    changed = office
    for name, text in world.policy.items():
        if name not in stated_policy(office):
            raise CompositionError(f"no page of {office.name} states {name} any more")
        changed = changed.with_policy(name, parse_value(text))
    with replaced(changed):
        yield


def compose_task(office: Office, task: str, world: TriedWorld) -> ComposedDay:
    """Compose the day of a *task* in a *world*. Raises CompositionError."""
    with changed_as(office, world):
        return single_task_day(f"{office.name}.{task}", world.seed, world.variation)


def world_in_words(office: Office, world: TriedWorld) -> str:
    """Return what tells a world from others: "seed 3 · meal_limit 32 → 40"."""
    stated = stated_policy(office)
    parts = [f"seed {world.seed}"]
    parts += [
        f"{name} {stated[name]} → {text}" if name in stated else f"{name} → {text}"
        for name, text in world.policy.items()
    ]
    parts += [f"nobody tells {_fact(clue)}" for clue in world.withheld]
    parts += [f"another value of {_fact(clue)}" for clue in world.secrets]
    return " · ".join(parts)


def stated_policy(office: Office) -> dict[str, str]:
    """Return the values of an office's rules by name, as its texts state them."""
    values = dict(office.policy)
    for source in office.tasks.values():
        values |= source.file.policy
    return {name: write_value(value) for name, value in values.items()}


def _fact(clue: str) -> str:
    return clue.partition("/")[2] or clue


def _morning(office: Office, path: Path) -> OfficeDay:
    scenario = Scenario(name=office.name, days=(DaySpec(tasks=()),), office=office.reference)
    first = office.first_day(week=False)
    hours = WorkingDay(
        datetime.combine(first, scenario.starts), datetime.combine(first, scenario.ends)
    )
    composition = ComposedDay(
        ScenarioDay(scenario=scenario, day=0), office.company, (hours,), (), office=office
    )
    anyio.run(_create, composition, path)
    words = pluralize(len(office.drive), "file")
    return OfficeDay(office.name, "", office.company.name, words, composition)


async def _create(composition: ComposedDay, path: Path) -> None:
    async with await World.create(path, composition.world_config(), composition.populate):
        pass


def _worked(office: Office, task: str, world: TriedWorld, path: Path) -> OfficeDay:
    with changed_as(office, world):
        composition = compose_task(office, task, world)
        return anyio.run(_work, office, task, world_in_words(office, world), composition, path)


async def _work(
    office: Office, task: str, words: str, composition: ComposedDay, path: Path
) -> OfficeDay:
    """Stage the day at *path*, let an honest worker do it, and grade it."""
    config, populate = composition.world_config(), composition.populate
    async with await World.create(path, config, populate) as world:
        failures = await open_staged_day(composition, world).work()
        grade = await grade_staged(world, composition)
        results = await task_results(world, composition, grade)
    return OfficeDay(
        office=office.name,
        task=task,
        title=office.tasks[task].file.title,
        words=words,
        composition=composition,
        grade=grade,
        tasks=results,
        failures=tuple(failure_in_words(error) for error in failures.values()),
    )
