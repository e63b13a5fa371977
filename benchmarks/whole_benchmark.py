"""A shipped benchmark from end to end with one agent, as `trainee-bench run` does it.

    python benchmarks/whole_benchmark.py [--config core-50] [--agent oracle]

Prints wall time, the time of staging the same days alone, their ratio, and the largest resident
memory. The ratio shows the cost of working and grading. Design target: the 50-scenario benchmark
with the oracle on two cores in under 60 s.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import anyio

from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import create_world


async def stage_all(name: str) -> int:
    """Stage every day of the benchmark; return their number."""
    count = 0
    for scenario in load_shipped_benchmark(name).scenarios:
        for day in range(len(scenario.days)):
            async with await create_world(None, scenario, day):
                count += 1
    return count


def main(config: str, agent: str) -> None:
    """Print the figures."""
    began = time.perf_counter()
    days = anyio.run(stage_all, config)
    staging = time.perf_counter() - began
    plan = build_plan(RunOptions(config=Path(config), agent=[agent]))
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        results = execute(create_run(plan, Path(folder) / "run"), output_console()).results
        whole = time.perf_counter() - began
    complete = sum(result.success for result in results)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{config}, {agent}: {days} days, {complete} of {len(results)} episodes complete")
    print(f"staging alone {staging:.1f} s; the whole run {whole:.1f} s ({whole / staging:.1f} x)")
    print(f"largest resident memory {peak:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="core-50")
    parser.add_argument("--agent", default="oracle")
    options = parser.parse_args()
    main(options.config, options.agent)
