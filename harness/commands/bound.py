"""``trainee-bench bound BENCHMARK``: an upper bound for each day with more work than hours.

It prints the worth of the planner's best plan for each such day, and the bound that no plan can
exceed. With --out it writes the benchmark with its bounds. It needs the extra
trainee-bench[bound]. Exit code 0, or 2 for a usage error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.bounding.bound import with_bounds
from trainee_bench.harness.bounding.model import SolverMissing
from trainee_bench.harness.generation.benchmark_file import render_benchmark
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.meta_tasks.benchmark import (
    Benchmark,
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
)
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError

CLOSE = 0.15
"""A bound is close if it exceeds the planner's best by at most this fraction."""


def command(
    benchmark: Annotated[
        str,
        typer.Argument(help="A JSON file, or a shipped benchmark's name.", metavar="BENCHMARK"),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the benchmark with its bounds here.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
) -> None:
    """Compute an upper bound for each day with more work than hours."""
    with exit_on_error(
        "bound", BenchmarkError, SolverMissing, CannotWriteOutput, CompositionError,
        UnknownRuleError,
    ):  # fmt: skip
        read = _read(benchmark)
        if out is not None:
            check_output(out, "--out")
        with worker_processes(min(jobs, len(read.scenarios))) as pool:
            scenarios = tuple(pool.map(with_bounds, read.scenarios))
        if out is not None:
            made = read.model_copy(update={"scenarios": scenarios})
            write_output(out, render_benchmark(made), "--out")
    for line in _rows(scenarios):
        typer.echo(line)


def _read(name: str) -> Benchmark:
    """Return the benchmark in the file *name*, or the shipped one. Raises BenchmarkError."""
    path = Path(name)
    if not path.is_file():
        return load_shipped_benchmark(name)
    try:
        return parse_benchmark(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BenchmarkError(f"{name} cannot be read: {error}") from None


def _rows(scenarios: Sequence[Scenario]) -> Iterator[str]:
    """Yield a line for each day with a bound, and a summary."""
    close = count = 0
    for scenario in scenarios:
        for day in scenario.days:
            best, bound = day.best_worth, day.bound
            if best is None or bound is None:
                continue
            count += 1
            close += bound <= (1 + CLOSE) * best
            worth = sum(task.worth or 0 for task in day.tasks)
            yield (
                f"{scenario.name:20} {day.name:6} planner's best {best:3}  bound {bound:3} of "
                f"{worth:3}  ratio {bound / best:.3f}"
            )
    if not count:
        yield "No day has more work than hours, so there is nothing to bound."
        return
    yield (
        f"{'1 day' if count == 1 else f'{count} days'} with more work than hours; the bound lies "
        f"within {CLOSE:.0%} of the planner's best on {close}."
    )
