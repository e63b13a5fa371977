"""The rungs of the ladder: whether each keeps its claims, and the time that its worlds take.

    python benchmarks/ladder_worlds.py [--rungs 16 32] [--seeds 10] [--first 1] [--frozen]
        [--cheats nothing sprayer]
    python benchmarks/ladder_worlds.py --seeds 3 --write configs/ladder-core.json

For each rung and seed it makes the world, or takes those of `ladder-core` with --frozen. It prints
the share of tasks that depend on another day, the scores of the oracle with and without its notes
and the best of the cheats, and CPU seconds. Exit code 1 if a rung breaks a claim. With --write it
only writes the worlds as a benchmark, and continues one that was begun.
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
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.generation.benchmark_file import render_benchmark
from trainee_bench.harness.generation.ladder_draft import world_name
from trainee_bench.harness.generation.ladder_worlds import (
    RUNGS,
    depends_on_other_days,
    make_ladder_world,
)
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.benchmark import Benchmark, load_shipped_benchmark, parse_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario

LONG = 16
"""The number of tasks from which a world needs notes and depends on other days."""
SHARE, FORGETTING = 1 / 3, 0.3
CHEATS = (
    "nothing", "sprayer", "parrot", "early_bird", "empty_files", "input_copies", "every_candidate",
    "canned_replies", "everybody_invited", "returns_everything",
)  # fmt: skip
"""All cheats but those that work many other worlds first."""
ABOUT = (
    "Worlds of the ladder: {seeds} of each rung of {rungs} tasks, at eight a working day over as "
    "many working days as that takes."
)


@dataclass(frozen=True)
class Measured:
    """One world: its days, the share of tasks of other days, scores, and CPU seconds."""

    name: str
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


async def measure(tasks: int, world: Scenario | int, cheats: Sequence[str]) -> Measured:
    """Let all agents work a world of *tasks*: a given one, or the one with this seed."""
    begun = time.process_time()
    scenario = await make_ladder_world(tasks, world) if isinstance(world, int) else world
    made = time.process_time()
    composition = compose_day(scenario)
    await (await stage_day(composition)).world.close()
    staged = time.process_time()
    oracle = await run_in_process("oracle", composition)
    worked = time.process_time()
    forgot = await run_in_process("oracle_without_notes", composition)
    cheating = [(await run_in_process(cheat, composition)).grade.score or 0 for cheat in cheats]
    return Measured(
        scenario.name,
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
        return min(float(getattr(one, field)) for one in rows)

    def most(field: str) -> float:
        return max(float(getattr(one, field)) for one in rows)

    return (
        f"| {name} | {rows[0].days} | {len(rows)} | {least('share'):.2f} | {least('oracle'):.3f} "
        f"| {most('forgot'):.2f} | {most('cheats'):.3f} | {most('makes'):.1f} "
        f"| {most('stages'):.2f} | {most('works'):.1f} |"
    )


def positive(text: str) -> int:
    """Return a number from 1 on. Raises ValueError for others."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def main() -> None:
    """Measure and print, or write the benchmark."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rungs", type=int, nargs="+", default=list(RUNGS), choices=RUNGS)
    parser.add_argument("--seeds", type=positive, default=10)
    parser.add_argument("--first", type=positive, default=1)
    parser.add_argument("--frozen", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--cheats", nargs="*", default=CHEATS, choices=sorted(discover_agents()))
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    if options.write:
        write_benchmark(options.write, options.rungs, seeds)
        return
    shipped = load_shipped_benchmark("ladder-core").scenarios if options.frozen else ()
    print(
        "| tasks | days | worlds | least share of other days | least oracle | most without notes "
        "| most of a cheat | most s to make | s to compose and stage | s of the oracle |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    broken = 0
    for tasks in options.rungs:
        worlds: list[Scenario | int] = [one for one in shipped if tasks_of(one) == tasks]
        rows = list[Measured]()
        for world in worlds or seeds:
            one = anyio.run(measure, tasks, world, options.cheats)
            rows.append(one)
            if not one.holds:
                broken += 1
                print(f"broken: {one}", file=sys.stderr, flush=True)
        print(row(str(tasks), rows), flush=True)
    sys.exit(1 if broken else 0)


def tasks_of(world: Scenario) -> int:
    """Return the number of tasks of *world*."""
    return sum(len(day.tasks) for day in world.days)


def write_benchmark(out: Path, rungs: Sequence[int], seeds: range) -> None:
    """Write the worlds of *rungs* and *seeds* to *out*, one after the other. Worlds that it has
    already are not made again."""
    made = dict[str, Scenario]()
    if out.exists():
        there = parse_benchmark(out.read_text(encoding="utf-8")).scenarios
        made = {world.name: world for world in there}
    for tasks in rungs:
        for seed in seeds:
            if world_name(tasks, seed) in made:
                continue
            world = anyio.run(make_ladder_world, tasks, seed)
            made[world.name] = world
            ordered = sorted(made.values(), key=lambda world: (tasks_of(world), world.name))
            sizes = sorted({tasks_of(world) for world in ordered})
            about = ABOUT.format(seeds=len(seeds), rungs=", ".join(map(str, sizes)))
            benchmark = Benchmark(name=out.stem, about=about, scenarios=tuple(ordered))
            out.write_text(render_benchmark(benchmark), encoding="utf-8")
            print(world.name, flush=True)


if __name__ == "__main__":
    main()
