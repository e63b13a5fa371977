"""The time of staging: whole days of two to six tasks, and each family's rules alone.

    python benchmarks/staging.py [--days N]

Prints medians in milliseconds and the ratio to a baseline in the same run: creating an empty world
(its tables, no people, no tasks). Design target: a day of 2-6 tasks in a median of under 50 ms.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Awaitable, Callable
from itertools import product
from random import Random

import anyio

from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World


async def measure(make: Callable[[], Awaitable[World]]) -> float:
    """Milliseconds that *make* takes."""
    began = time.perf_counter()
    world = await make()
    took = (time.perf_counter() - began) * 1000
    await world.close()
    return took


def drawn_scenarios(count: int) -> list[Scenario]:
    """Scenarios of two to six different rules that fit on one day."""
    random, made = Random("benchmarks/staging"), []
    ids = list(all_rules())
    while len(made) < count:
        chosen = random.sample(ids, random.randint(2, 6))
        tasks = tuple(TaskSpec(rule=rule) for rule in chosen)
        seed = random.randrange(10**6)
        scenario = Scenario(name=f"s{seed}", seed=seed, days=(DaySpec(tasks=tasks),))
        try:
            compose_day(scenario)
        except CompositionError:
            continue
        made.append(scenario)
    return made


async def main(days: int) -> None:
    """Print the table."""
    opening = compose_day(drawn_scenarios(1)[0]).world_config()

    async def empty() -> World:
        return await World.create(None, opening, lambda tx: None)

    bare = statistics.median([await measure(empty) for _ in range(days)])
    print(f"{'what':<38} {'median ms':>10} {'ratio':>7}")
    print(f"{'an empty world':<38} {bare:>10.2f} {1:>7.1f}")
    scenarios = drawn_scenarios(days)

    def stager(scenario: Scenario) -> Callable[[], Awaitable[World]]:
        async def make() -> World:
            return (await stage_day(compose_day(scenario))).world

        return make

    took = statistics.median([await measure(stager(scenario)) for scenario in scenarios])
    print(f"{f'{days} days of 2-6 tasks':<38} {took:>10.2f} {took / bare:>7.1f}")
    title = "each family, 3 seeds of every rule"
    print(f"{title:<38} {'median ms':>10} {'ratio':>7} {'worst':>7} {'KB':>6}")
    for family, ids in by_family().items():
        times, sizes = [], []
        for rule, seed in product(ids, range(3)):
            began = time.perf_counter()
            day = await stage_day(single_task_day(rule, seed))
            times.append((time.perf_counter() - began) * 1000)
            sizes.append(await day.world.read(size))
            await day.world.close()
        took = statistics.median(times)
        print(
            f"{family:<38} {took:>10.2f} {took / bare:>7.1f} {max(times):>7.1f} "
            f"{statistics.median(sizes) / 1000:>6.0f}"
        )


def by_family() -> dict[str, list[str]]:
    """The ids of all rules, family by family."""
    found: dict[str, list[str]] = {}
    for id, rule in all_rules().items():
        found.setdefault(rule.meta_task.family_class.family, []).append(id)
    return found


def size(tx: Transaction) -> int:
    """The bytes of the world."""
    pages, bytes_each = tx.row("PRAGMA page_count"), tx.row("PRAGMA page_size")
    assert pages is not None and bytes_each is not None
    return int(pages[0]) * int(bytes_each[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=50)
    anyio.run(main, parser.parse_args().days)
