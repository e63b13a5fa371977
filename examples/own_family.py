"""Your own families, certified: honest work scores 1, and nothing else scores.

    python examples/own_family.py

The families are `examples/families/postage.py`, with one hidden fact, and `freight.py`, with two.
This script adds their folder to the search path of families. A family of the project is in
`meta_tasks/families` and needs no such line.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks import families

families.__path__.append(str(Path(__file__).parent / "families"))


async def try_out(rule: str) -> bool:
    """Show the task, let the oracle solve it, then certify it; True if every claim holds."""
    day = await stage_day(single_task_day(rule, seed=1))
    async with day.world:
        print((await day.call("desk_tasks", {})).text)
        await day.work()
        (grade,) = await day.grades()
        print(f"the oracle scores {grade.score:.2f}")

    certificate = await certify(rule, range(3))
    for claim in certificate.claims:
        print(f"{'holds ' if claim.holds else 'BROKEN'} {claim.name} ({claim.tried} trials)")
        for trial in claim.broken[:3]:
            print(trial)
    return certificate.holds


async def main() -> int:
    """Try out both families."""
    return 0 if all([await try_out(rule) for rule in ("postage.easy", "freight.easy")]) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
