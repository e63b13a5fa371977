"""Reading the benchmark of a run: a shipped one, a file of ours, or a published file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.batch.published_benchmark import (
    is_published_benchmark,
    load_published_benchmark,
)
from trainee_bench.harness.records.plan import PlanError, RefusedScenario, UnsupportedTask
from trainee_bench.meta_tasks.benchmark import (
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.scenario import Scenario


@dataclass(frozen=True)
class LoadedBenchmark:
    """A benchmark as read: name, scenarios, the tasks whose family does not exist, and the
    scenarios that cannot be staged."""

    name: str
    scenarios: tuple[Scenario, ...]
    unsupported: tuple[UnsupportedTask, ...] = ()
    refused: tuple[RefusedScenario, ...] = ()


def load_benchmark(config: Path | None, seed: int | None) -> LoadedBenchmark:
    """The benchmark in the file *config*, or the shipped one of that name; None: the quickstart.

    *seed* replaces the scenarios' seeds. Raises PlanError for a file that cannot be read, and
    for a name that is no file and no shipped benchmark.
    """
    try:
        if config is None:
            return _parse(load_shipped_benchmark().model_dump_json(), seed)
        if not config.is_file():
            return _load_shipped(config, seed)
        text = config.read_text(encoding="utf-8")
        document: JsonValue = json.loads(text)
        if is_published_benchmark(document):
            read = load_published_benchmark(document, seed or 0)
            return LoadedBenchmark(
                _slug(config.stem), read.scenarios, read.unsupported, read.refused
            )
        return _parse(text, seed)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise PlanError(f"--config {config} cannot be read as JSON: {error}") from None
    except BenchmarkError as error:
        raise PlanError(f"--config {config}: {error}") from None


def _load_shipped(config: Path, seed: int | None) -> LoadedBenchmark:
    if str(config) not in shipped_benchmark_names():
        raise PlanError(
            f"--config {config}: there is no such file. Shipped benchmarks: "
            f"{', '.join(shipped_benchmark_names())}."
        )
    return _parse(load_shipped_benchmark(str(config)).model_dump_json(), seed)


def _parse(text: str, seed: int | None) -> LoadedBenchmark:
    benchmark = parse_benchmark(text)
    scenarios = benchmark.scenarios
    if seed is not None:
        scenarios = tuple(
            one.without_bounds().model_copy(update={"seed": seed}) for one in scenarios
        )
    return LoadedBenchmark(benchmark.name, scenarios)


def _slug(text: str) -> str:
    """*text* as a name for a benchmark and the folder of its run."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "benchmark"
