"""Days that people have been shown, and days that are closed while a person works them unseen.

A day is identified by its scenario, whether that comes from a run's plan or from a world file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay
from trainee_bench.world.connection import damaged
from trainee_bench.world.world import World


class ShownDays:
    """The days that this studio has shown, and the closed ones, by their `day_key`."""

    def __init__(self) -> None:
        self._shown: set[str] = set()
        self._closed: Counter[str] = Counter()
        self._offices: set[str] = set()
        self._closed_offices: Counter[str] = Counter()

    def note(self, keys: Collection[str]) -> None:
        """Record that the days with these *keys* have been shown."""
        self._shown.update(keys)

    def has_shown(self, scenario: Scenario, day: int) -> bool:
        """Return whether day number *day* of *scenario* has been shown here."""
        return day_key(scenario, day) in self._shown or _office(scenario) in self._offices

    def note_office(self, name: str) -> None:
        """Record that the tasks of an own office have been shown, with their answers."""
        self._offices.add(name)

    def office_is_closed(self, name: str) -> bool:
        """Return whether a day in the own office of this name is closed."""
        return self._closed_offices[name] > 0

    @contextmanager
    def closed(self, spec: EpisodeSpec) -> Iterator[None]:
        """While the block runs, close the day of *spec*: a person who has not seen it is working
        it."""
        key, office = day_key(spec.scenario, spec.day), _office(spec.scenario)
        self._closed[key] += 1
        self._closed_offices[office] += 1
        try:
            yield
        finally:
            self._closed[key] -= 1
            self._closed_offices[office] -= 1

    def are_closed(self, keys: Collection[str]) -> bool:
        """Return whether one of the days with these *keys* is closed."""
        return any(self._closed[key] > 0 for key in keys)


def day_key(scenario: Scenario, day: int) -> str:
    """Return the identity of day number *day* of *scenario*: everything from which its people,
    tasks and answers are drawn. The working conditions do not matter: pictures or tables, hints,
    apps, costs, notices, small talk, hours, deadlines."""
    days = [
        sorted(f"{task.rule} {sorted(task.parameters.items())}" for task in scenario.days[n].tasks)
        for n in scenario.days_in_world(day)
    ]
    return repr((scenario.name, scenario.stream_seed, scenario.company_size, day, days))


def _office(scenario: Scenario) -> str:
    """Return the name of the own office in which a scenario is; "" for the built-in company."""
    return scenario.office.partition("@")[0]


class WorldDays:
    """The days of world files, each read only once."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[tuple[int, int], str]] = {}

    async def key(self, path: Path) -> str:
        """Return the `day_key` of the world at *path*. Raises WorldFileError."""
        file = _identity(path)
        known = self._read.get(path)
        if known is not None and known[0] == file:
            return known[1]
        async with await World.open(path) as world:
            stored = await world.read(lambda tx: tx.fact("scenario"))
        try:
            read = ScenarioDay.model_validate_json(stored)
            key = day_key(read.scenario, read.day)
        except (ValueError, IndexError) as error:
            raise damaged(path.name, f"{type(error).__name__}: {error}") from error
        if file is not None:
            self._read[path] = file, key
        return key


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
