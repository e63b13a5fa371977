"""The rungs of the ladder: solvable, in need of notes, and nothing for cheats; and how long it takes.

    python benchmarks/ladder_worlds.py [--rungs 16 32] [--seeds 10] [--first 1] [--frozen]
        [--write configs/ladder-core.json] [--cheats nothing sprayer]

For each rung and seed it makes the world, or takes those of `ladder-core` with --frozen. It prints
the share of tasks that depend on another day, the scores of the oracle with and without its notes
and the best of the cheats, and CPU seconds. --write writes the worlds as a benchmark. Exit code 1
if a rung breaks a claim.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.benchmark_file import render_benchmark
from trainee_bench.harness.generation.ladder_worlds import (
    RUNGS,
    depends_on_other_days,
    make_ladder_world,
)
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.benchmark import Benchmark, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario

LONG = 16
"""The number of tasks from which a world needs notes and depends on other days."""
SHARE, FORGETTING = 1 / 3, 0.3
CHEATS = ("nothing", "sprayer", "early_bird", "empty_files", "input_copies", "every_candidate")
ABOUT = (
    "Worlds of the ladder: {seeds} of each rung of {rungs} tasks, at eight a working day over as "
    "many working days as that takes."
)


@dataclass(frozen=True)
class Measured:
    """One world: its days, the share of tasks of other days, scores, and CPU seconds."""

    tasks: int
    days: int
    share: float
    oracle: float
    forgot: float
    cheats: float
    makes: float
    stages: float
    works: float

    @property
    def holds(self) -> bool:
        """Whether the world keeps all claims."""
        long = self.tasks < LONG or (self.share >= SHARE and self.forgot <= 1 - FORGETTING + 1e-9)
        return self.oracle == 1 and self.cheats == 0 and long


async def measure(
    tasks: int, seed: int, frozen: Scenario | None, cheats: Sequence[str]
) -> tuple[Scenario, Measured]:
    """Make the world of a rung, or take the *frozen* one, and let all agents work it."""
    begun = time.process_time()
    scenario = frozen or await make_ladder_world(tasks, seed)
    made = time.process_time()
    composition = compose_day(scenario)
    await (await stage_day(composition)).world.close()
    staged = time.process_time()
    oracle = await run_in_process("oracle", composition)
    worked = time.process_time()
    forgot = await run_in_process("oracle_without_notes", composition)
    cheating = [(await run_in_process(cheat, composition)).grade.score or 0 for cheat in cheats]
    return scenario, Measured(
        tasks,
        len(scenario.days),
        len(depends_on_other_days(composition)) / tasks,
        oracle.grade.score or 0,
        forgot.grade.score or 0,
        max(cheating, default=0.0),
        made - begun,
        staged - made,
        worked - staged,
    )


def row(name: str, rows: Sequence[Measured]) -> str:
    """Return a row of the table for the worlds of one rung."""

    def least(field: str) -> float:
        return min(getattr(one, field) for one in rows)

    def most(field: str) -> float:
        return max(getattr(one, field) for one in rows)

    return (
        f"| {name} | {rows[0].days} | {len(rows)} | {least('share'):.2f} | {least('oracle'):.3f} "
        f"| {most('forgot'):.2f} | {most('cheats'):.3f} | {most('makes'):.1f} "
        f"| {most('stages'):.2f} | {most('works'):.1f} |"
    )


def main() -> None:
    """Measure, print and perhaps write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rungs", type=int, nargs="+", default=list(RUNGS), choices=RUNGS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--frozen", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--cheats", nargs="*", default=CHEATS)
    options = parser.parse_args()
    print(
        "| tasks | days | worlds | least share of other days | least oracle | most without notes "
        "| most of a cheat | most s to make | s to compose and stage | s of the oracle |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    made, broken = list[Scenario](), 0
    shipped = load_shipped_benchmark("ladder-core").scenarios if options.frozen else ()
    for tasks in options.rungs:
        mine = [one for one in shipped if sum(len(day.tasks) for day in one.days) == tasks]
        seeds = range(options.first, options.first + (len(mine) or options.seeds))
        rows = list[Measured]()
        for place, seed in enumerate(seeds):
            frozen = mine[place] if mine else None
            scenario, one = anyio.run(measure, tasks, seed, frozen, options.cheats)
            made.append(scenario)
            rows.append(one)
            if not one.holds:
                broken += 1
                print(f"broken: {scenario.name}: {one}", file=sys.stderr, flush=True)
        print(row(str(tasks), rows), flush=True)
    if options.write:
        rungs = ", ".join(map(str, options.rungs))
        about = ABOUT.format(seeds=options.seeds, rungs=rungs)
        benchmark = Benchmark(name=options.write.stem, about=about, scenarios=tuple(made))
        options.write.write_text(render_benchmark(benchmark), encoding="utf-8")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
