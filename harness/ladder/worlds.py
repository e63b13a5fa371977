"""Sources of a climb's worlds: generated without end, or taken from a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed
from trainee_bench.harness.records.climb import SEEDS_PER_WORLD, Climb
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.scenario import Scenario

WorldMaker = Callable[[int, int, str], Awaitable[Scenario]]
"""Makes a world of so many tasks from a seed and a salt."""


def task_count(scenario: Scenario) -> int:
    """Return the number of tasks in all days of *scenario*."""
    return sum(len(day.tasks) for day in scenario.days)


class WorldSource(Protocol):
    """A source of worlds; ``name`` is that of its benchmark."""

    name: str

    def available(self, used: Sequence[Scenario]) -> Mapping[int, int | None]:
        """Return how many worlds of each size are left beside the *used* ones; None is endless."""

    async def take(self, sizes: Sequence[int], used: Sequence[Scenario]) -> list[Scenario]:
        """Return worlds of these *sizes*, in this order, for which there are enough left."""


class GeneratedWorlds:
    """New worlds of *climb* for the *sizes* that *make* can make."""

    name = "ladder"

    def __init__(self, climb: Climb, make: WorldMaker, sizes: Sequence[int]):
        self._climb = climb
        self._make = make
        self._sizes = tuple(sizes)

    def available(self, used: Sequence[Scenario]) -> Mapping[int, int | None]:
        """See `WorldSource.available`."""
        return dict.fromkeys(self._sizes)

    async def take(self, sizes: Sequence[int], used: Sequence[Scenario]) -> list[Scenario]:
        """See `WorldSource.take`. Raises PlanError if a world cannot be made."""
        numbered = enumerate(sizes, start=len(used))
        return [_shown(await self._made(size, number), self._climb) for number, size in numbered]

    async def _made(self, size: int, number: int) -> Scenario:
        """Return world *number* of *size* tasks, from the first of its seeds that gives one.

        Raises PlanError if none does.
        """
        for attempt in range(SEEDS_PER_WORLD):
            seed = self._climb.world_seed(number, attempt)
            try:
                return await self._make(size, seed, self._climb.salt)
            except ScenarioGenerationFailed as error:
                failure = str(error)
        raise PlanError(f"World {number + 1} of the climb cannot be made: {failure}")


class BenchmarkWorlds:
    """The worlds of *benchmark*, each once, those of one size in the file's order."""

    def __init__(self, climb: Climb, benchmark: LoadedBenchmark):
        for scenario in benchmark.scenarios:
            if len(scenario.world_days) != 1:
                raise PlanError(
                    f"--config {climb.benchmark}: {scenario.name} has several days that are worlds "
                    "of their own. A climb counts complete worlds: use a benchmark whose scenarios "
                    "are single days or weeks."
                )
        self.name = benchmark.name
        self._scenarios = tuple(_shown(scenario, climb) for scenario in benchmark.scenarios)

    def available(self, used: Sequence[Scenario]) -> Mapping[int, int | None]:
        """See `WorldSource.available`."""
        return Counter(task_count(scenario) for scenario in self._left(used))

    async def take(self, sizes: Sequence[int], used: Sequence[Scenario]) -> list[Scenario]:
        """See `WorldSource.take`."""
        left, taken = self._left(used), list[Scenario]()
        for size in sizes:
            world = next(scenario for scenario in left if task_count(scenario) == size)
            left.remove(world)
            taken.append(world)
        return taken

    def _left(self, used: Sequence[Scenario]) -> list[Scenario]:
        names = {scenario.name for scenario in used}
        return [scenario for scenario in self._scenarios if scenario.name not in names]


def _shown(scenario: Scenario, climb: Climb) -> Scenario:
    """Return *scenario* with the modality of *climb*, if it has one."""
    given = {"modality": climb.modality}
    return scenario if climb.modality is None else scenario.model_copy(update=given)
