"""The days of a split, in order: generated without end, or taken from a benchmark.

train, dev, test    generated, with seeds from ranges that never overlap
core-50, mine.json  the days of a shipped benchmark, or of a benchmark file
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.harness.batch.tool_names import check_tool_names
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.generation.benchmark_file import parse_range
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import (
    ArrivalPattern,
    GenerationSpec,
    InvalidGenerationSpec,
    SeedSplit,
)
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import (
    Benchmark,
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.offices.opened import only_office, resolve_office
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay
from trainee_bench.world.errors import first_flaw

__all__ = ["DayCard", "DaySplit", "SplitOptions", "UnknownSplit", "describe_day"]

GENERATED = tuple(split.value for split in SeedSplit)
"""The splits whose days are generated."""


class UnknownSplit(Exception):
    """Raised if there is no such split, or it cannot be used for training; the message says what
    would be right."""


class DayCard(BaseModel):
    """The facts about a day that may be known before it begins; its answers do not follow from
    them."""

    model_config = ConfigDict(frozen=True)

    id: str
    split: str
    index: int
    rules: tuple[str, ...]
    families: tuple[str, ...]
    labels: tuple[str, ...]
    """The difficulty of each rule: easy or hard."""


class DaySplit(ABC):
    """The days of the split *name*: *size* of them, or endless if that is None. In a *generated*
    split, reading a day for the first time is slow."""

    generated = False

    def __init__(self, name: str, size: int | None):
        self.name = name
        self.size = size

    def day(self, index: int) -> ScenarioDay:
        """Return day number *index*, from 0. Raises IndexError outside of the split."""
        if index < 0 or (self.size is not None and index >= self.size):
            limit = (
                "it has no end" if self.size is None else f"it has {pluralize(self.size, 'day')}"
            )
            raise IndexError(f"{self.name} has no day {index}: counting begins at 0, and {limit}.")
        return self._day(index)

    @abstractmethod
    def _day(self, index: int) -> ScenarioDay:
        """Return day number *index*, which exists."""

    def __iter__(self) -> Iterator[ScenarioDay]:
        index = 0
        while self.size is None or index < self.size:
            yield self.day(index)
            index += 1


class SplitOptions(BaseModel):
    """A split, by name, and options for drawing its days if they are generated.

    Generated days equal those of ``trainee-bench generate --name training`` with the same options.
    The oracle solves each of them first, which takes 0.1 to 3 seconds a day. To save that time,
    write a file once with that command, and name the file as the split.
    """

    model_config = ConfigDict(extra="forbid")

    split: str = "train"
    """train, dev or test (generated), a shipped benchmark, or a benchmark file."""
    size: int | None = Field(default=None, ge=1)
    """The number of days. None means endless if generated, otherwise all."""
    seed: int = Field(default=0, ge=0)
    """Seed of the generator, for generated days."""
    tasks: str = "2-6"
    """Tasks a day, N or MIN-MAX, for generated days."""
    rules: tuple[str, ...] = ("*",)
    """Patterns of the rules to draw from, such as kb_fix.*, for generated days."""
    complications: str = "0"
    """Complications per task, N or MIN-MAX, for generated days."""
    arrival: ArrivalPattern = ArrivalPattern.MIXED
    """The times at which the tasks of generated days arrive."""

    def open(self) -> DaySplit:
        """Open the split. Raises UnknownSplit or InvalidGenerationSpec, and OfficeUnavailable for
        days in an own office that is not open."""
        if self.split in GENERATED:
            return _GeneratedSplit(self._order(), self.size)
        return _BenchmarkSplit(self.split, _benchmark(self.split), self.size)

    def _order(self) -> GenerationSpec:
        fewest, most = parse_range(self.tasks, "tasks")
        simple, hard = parse_range(self.complications, "complications")
        try:
            order = GenerationSpec(
                name="training", scenarios=1, seed=self.seed, globs=self.rules, fewest=fewest,
                most=most, fewest_complications=simple, most_complications=hard,
                flow=self.arrival, split=SeedSplit(self.split),
            )  # fmt: skip
        except ValidationError as error:
            _, flaw = first_flaw(error)
            given = f"tasks {self.tasks}, complications {self.complications}"
            raise InvalidGenerationSpec(f"{given}: {flaw}") from None
        order.rules()
        return order


class _GeneratedSplit(DaySplit):
    generated = True

    def __init__(self, order: GenerationSpec, size: int | None):
        super().__init__(order.split, size)
        self._order = order

    def _day(self, index: int) -> ScenarioDay:
        return ScenarioDay(scenario=_generated(self._order, index + 1, only_office()), day=0)


class _BenchmarkSplit(DaySplit):
    def __init__(self, name: str, benchmark: Benchmark, size: int | None):
        self._days = [
            ScenarioDay(scenario=scenario, day=number)
            for scenario in map(resolve_office, benchmark.scenarios)
            for number in scenario.world_days
        ]
        super().__init__(name, min(size or len(self._days), len(self._days)))

    def _day(self, index: int) -> ScenarioDay:
        return self._days[index]


def describe_day(split: str, index: int, given: ScenarioDay) -> DayCard:
    """Return the card of *given*, which is day number *index* of *split*."""
    scenario = given.scenario
    rules = [find_rule(task.rule) for task in scenario.days[given.day].tasks]
    return DayCard(
        id=f"{scenario.name}.{scenario.days[given.day].name}",
        split=split,
        index=index,
        rules=tuple(rule.id for rule in rules),
        families=tuple(rule.meta_task.family_class.family for rule in rules),
        labels=tuple(rule.difficulty.value for rule in rules),
    )


def _benchmark(split: str) -> Benchmark:
    try:
        if split in shipped_benchmark_names():
            found = load_shipped_benchmark(split)
        elif Path(split).is_file():
            found = parse_benchmark(Path(split).read_text(encoding="utf-8"))
        else:
            raise UnknownSplit(
                f"There is no split {split!r}: use {', '.join(GENERATED)}, a shipped benchmark "
                f"({', '.join(shipped_benchmark_names())}) or the path of a benchmark file."
            )
        for scenario in found.scenarios:
            check_tool_names(scenario)
    except (BenchmarkError, PlanError, UnicodeDecodeError) as error:
        raise UnknownSplit(f"{split} is not a benchmark: {error}") from None
    if any(scenario.week for scenario in found.scenarios):
        raise UnknownSplit(
            f"{split} has weeks. A new agent begins on each morning of a week, but trainers "
            "support only episodes of one agent. Use a benchmark of days."
        )
    return found


@lru_cache(maxsize=1024)
def _generated(order: GenerationSpec, number: int, office: str) -> Scenario:
    """Return scenario *number* of *order*, even if an event loop is running, as in servers.
    *office* is the open own office, in which its days are."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(make_scenario, order, number)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, make_scenario, order, number).result()
