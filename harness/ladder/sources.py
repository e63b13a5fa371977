"""The source of the worlds of a recorded climb."""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.generation.ladder_worlds import RUNGS, make_ladder_world
from trainee_bench.harness.ladder.worlds import BenchmarkWorlds, GeneratedWorlds, WorldSource
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import PlanError


def source_of(climb: Climb) -> WorldSource:
    """Return where the worlds of *climb* come from. Raises PlanError if its benchmark is not
    there."""
    if climb.benchmark:
        path = Path(climb.benchmark)
        if path.is_absolute() and not path.is_file():
            raise PlanError(
                f"The climb takes its worlds from {path}, but there is no such file: put the "
                "benchmark there."
            )
        return BenchmarkWorlds(climb, load_benchmark(path, None))
    return GeneratedWorlds(climb, make_ladder_world, RUNGS)
