"""When work was handed in."""

from __future__ import annotations

from datetime import datetime

from trainee_bench.harness.testbench.staged_day import StagedDay


async def last_submission(day: StagedDay) -> datetime:
    """When a task of the day was submitted last. An honest worker still looks for changes until
    shortly before the deadline."""
    return max(entry.at for entry in await day.world.log() if entry.tool == "desk_submit")
