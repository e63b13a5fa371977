"""The cost of thinking for one way of working, by output tokens a reply and tokens a minute.

    python benchmarks/thinking_costs.py [--days 10]

Honest work on days of core-50 is recorded once. Its calls are then made again by rote, one a
reply, on days on which thinking takes time. Calls by rote do not plan for the lost minutes, so a
model that does loses less. The first column, with thinking off, must be 1.00.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import anyio

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.testbench.staged_day import oracle_log
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed

PACES = (None, 1_000, 300, 100)
REPLIES = (60, 600, 3_000)


def worked_by_rote(
    day: ComposedDay, calls: Sequence[ToolCall], tokens: int, pace: int | None
) -> tuple[float, bool]:
    """Return the score of the day, and whether it is complete."""
    worked = Day.of(day, tokens_per_minute=pace)
    worked.reset()
    for call in calls:
        if worked.done:
            break
        worked.step([call], tokens)
    grade = worked.grade()
    worked.close()
    return grade.score or 0.0, grade.success


def main() -> None:
    """Print a row for each length of a reply."""
    options = argparse.ArgumentParser()
    options.add_argument("--days", type=int, default=10)
    count = options.parse_args().days
    scenarios = load_shipped_benchmark("core-50").scenarios
    days = [composed(scenario, 0) for scenario in scenarios[:: len(scenarios) // count][:count]]
    logs = [anyio.run(oracle_log, day) for day in days]
    made = [[ToolCall(entry.tool, entry.arguments) for entry in log] for log in logs]
    print(f"{len(days)} days, {sum(map(len, made)) / len(days):.0f} calls a day")
    for tokens in REPLIES:
        cells = []
        for pace in PACES:
            pairs = zip(days, made, strict=True)
            found = [worked_by_rote(day, calls, tokens, pace) for day, calls in pairs]
            score, complete = sum(s for s, _ in found) / len(found), sum(done for _, done in found)
            cells.append(f"{pace or 'off'}: {score:.2f}, {complete} complete")
        print(f"{tokens:,} tokens a reply | {' | '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
