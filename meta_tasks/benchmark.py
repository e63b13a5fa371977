"""Benchmarks: named scenarios, read from JSON. The package ships some in ``configs``."""

from __future__ import annotations

from importlib import resources
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from trainee_bench import configs
from trainee_bench.meta_tasks.scenario import Scenario

QUICKSTART = "quickstart"


class BenchmarkError(Exception):
    """A text is not a benchmark, or names no shipped one. The message says what would be right."""


class Benchmark(BaseModel):
    """Scenarios that belong together. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    about: str = ""
    scenarios: tuple[Scenario, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_name_once(self) -> Self:
        names = [scenario.name for scenario in self.scenarios]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"more than one scenario is called {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _work_on_each_day(self) -> Self:
        for scenario in self.scenarios:
            for day in scenario.days:
                if not day.tasks and not scenario.week:
                    raise ValueError(f"{scenario.name}: {day.name} has no tasks")
        return self

    def scenario(self, name: str) -> Scenario:
        """Return the scenario of this name. Raises BenchmarkError with a list of scenarios."""
        for scenario in self.scenarios:
            if scenario.name == name:
                return scenario
        names = ", ".join(scenario.name for scenario in self.scenarios[:20])
        raise BenchmarkError(f"{self.name} has no scenario {name!r}; it has {names}.")


def parse_benchmark(text: str) -> Benchmark:
    """Return the benchmark in *text* (JSON). Raises BenchmarkError with the first flaw."""
    try:
        return Benchmark.model_validate_json(text)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in flaw["loc"]) or "the whole text"
        if flaw["type"] == "extra_forbidden":
            raise BenchmarkError(f"{where}: unknown key") from None
        raise BenchmarkError(f"{where}: {flaw['msg']}") from None


def shipped_benchmark_names() -> tuple[str, ...]:
    """Return the sorted names of the benchmarks that come with the package."""
    files = (file.name for file in resources.files(configs).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def load_shipped_benchmark(name: str = QUICKSTART) -> Benchmark:
    """Return a benchmark that comes with the package. Raises BenchmarkError with a list of
    benchmarks."""
    if name not in shipped_benchmark_names():
        raise BenchmarkError(
            f"There is no shipped benchmark {name!r}; there are: "
            f"{', '.join(shipped_benchmark_names())}."
        )
    file = resources.files(configs) / f"{name}.json"
    return parse_benchmark(file.read_text(encoding="utf-8"))


def find_scenario(name: str | None = None, benchmark: Benchmark | None = None) -> Scenario:
    """Return the scenario of this name in *benchmark*, or in any shipped one; the first one for
    None.

    The first shipped scenario is the one of the quickstart. Raises BenchmarkError with a list of
    the scenarios of *benchmark* or of the quickstart.
    """
    named = benchmark or load_shipped_benchmark()
    if name is None:
        return named.scenarios[0]
    if benchmark is not None:
        return benchmark.scenario(name)
    for benchmark in map(load_shipped_benchmark, shipped_benchmark_names()):
        for scenario in benchmark.scenarios:
            if scenario.name == name:
                return scenario
    return named.scenario(name)
