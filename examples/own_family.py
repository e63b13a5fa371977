"""A family of your own, certified: honest work scores 1, and nothing else pays.

    python examples/own_family.py

The family is `examples/families/postage.py`. The folder is added to where families are looked
for; a family that ships with the project lies in `meta_tasks/families` and needs no such line.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from trainee_bench.harness.certify import certify
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks import families

families.__path__.append(str(Path(__file__).parent / "families"))


async def main() -> int:
    """Show the task, let the oracle solve it, then try to break it."""
    day = await stage_day(single_task_day("postage.easy", seed=1))
    async with day.world:
        print((await day.call("desk_tasks", {})).text)
        await day.run_oracles()
        (grade,) = await day.grades()
        print(f"the oracle scores {grade.score:.2f}")

    certificate = await certify("postage.easy", range(3))
    for claim in certificate.claims:
        print(f"{'holds ' if claim.holds else 'BROKEN'} {claim.name} ({claim.tried} trials)")
        print(*claim.broken[:3], sep="\n")
    return 0 if certificate.holds else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
