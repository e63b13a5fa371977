"""How much faster two processes of a `DayPool` are than one, in wall time on an idle machine.

    python -m benchmarks.day_pool [--days N] [--rounds N] [--rewards]

Each pool works the oracle's first calls of scenarios of core-50, one call of every open day in
each `step_many`. *Composed*: processes keep all results, and only the calls are timed. *With
composing*: processes keep the results of one day, so they compose the days anew in each round,
which is timed, too. The two pools take turns; the ratio is that of the medians. The caller needs
processor time as well, so a machine with two processors gives less than two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence

from tests.corpus.frozen import RECORDED, recorded
from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.kept_results import DAYS_VARIABLE

AGENT = "oracle"
CALLS = 50
"""How many calls are made on each day. Days with fewer are left out, so all work to the end."""
Calls = dict[str, list[ToolCall]]


def recorded_calls() -> Calls:
    """Return the oracle's calls, by scenario."""
    return {
        day.scenario: [ToolCall(name, arguments) for name, arguments in day.calls]
        for day in recorded()
        if day.agent == AGENT
    }


def work(pool: DayPool, scenarios: Sequence[Scenario], calls: Calls) -> tuple[float, float]:
    """Begin a day of each scenario and work it; return the seconds of both, and of the calls."""
    began = time.perf_counter()
    days = pool.reset_many(scenarios)
    composed = time.perf_counter()
    for number in range(CALLS):
        pool.step_many(
            (day, [calls[scenario.name][number]])
            for day, scenario in zip(days, scenarios, strict=True)
        )
    ended = time.perf_counter()
    pool.close_many(days)
    return ended - began, ended - composed


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=44)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rewards", action="store_true")
    options = parser.parse_args()
    calls = recorded_calls()
    scenarios = load_shipped_benchmark(RECORDED).scenarios
    frozen = [scenario for scenario in scenarios if len(calls.get(scenario.name, ())) >= CALLS]
    chosen = frozen[: options.days]
    print(f"{len(chosen)} days, {options.rounds} rounds, rewards {options.rewards}")
    for kind, kept, wanted in (("composed", 200, 1.9), ("with composing", 1, 1.6)):
        os.environ[DAYS_VARIABLE] = str(kept)  # for the processes of the pools
        seconds: dict[int, list[float]] = {1: [], 2: []}
        with DayPool(1, rewards=options.rewards) as one, DayPool(2, rewards=options.rewards) as two:
            pools = {1: one, 2: two}
            for pool in pools.values():
                work(pool, chosen, calls)
            for _ in range(options.rounds):
                for processes, pool in pools.items():
                    whole, alone = work(pool, chosen, calls)
                    seconds[processes].append(alone if kept > 1 else whole)
        first, second = (statistics.median(seconds[processes]) for processes in pools)
        ratio = first / second
        print(f"{kind}: {first:.2f} s and {second:.2f} s, {ratio:.2f} times (at least {wanted})")


if __name__ == "__main__":
    main()
