"""Generate training scenarios, prove each one solvable, and order them from easy to hard.

    python examples/curriculum.py

Writes a benchmark file that `trainee-bench run --config FILE` takes. Training seeds never
overlap those of the shipped benchmarks.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import ArrivalPattern, GenerationSpec
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario

SPEC = GenerationSpec(
    name="curriculum",
    scenarios=3,
    fewest=3,
    most=4,
    seed=7,
    globs=("kb_fix.*", "sales.*", "meeting_*", "website_analysis.*"),
    flow=ArrivalPattern.STREAMED,  # tasks arrive during the day, with tight deadlines
)


async def score(agent: str, scenario: Scenario) -> float:
    """The score of *agent* on the scenario's only day; it is also a reward for training."""
    return (await run_in_process(agent, compose_day(scenario, 0))).grade.score or 0.0


async def main() -> None:
    """Generate, work, order, write."""
    rated = []
    for number in range(1, SPEC.scenarios + 1):
        scenario = await make_scenario(SPEC, number)
        assert await score("oracle", scenario) == 1
        rated.append((await score("in_order", scenario), scenario))
    rated.sort(key=lambda pair: -pair[0])
    for points, scenario in rated:
        rules = ", ".join(task.rule for task in scenario.days[0].tasks)
        print(f"{scenario.name}: without planning {points:.2f} ({rules})")
    benchmark = Benchmark(name="curriculum", scenarios=tuple(scenario for _, scenario in rated))
    file = Path(tempfile.mkdtemp()) / "curriculum.json"
    file.write_text(benchmark.model_dump_json(exclude_defaults=True), encoding="utf-8")
    print(f"Written: {file}")


if __name__ == "__main__":
    asyncio.run(main())
