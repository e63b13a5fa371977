"""Standing work: what a worker does on a day for tasks that come on later days.

Such a day has a root for it among the tasks. Habits say what there is to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trainee_bench.meta_tasks.work.need import ExtensionPoint, Need, Work

STANDING = "standing work"
"""The name under which this work stands among the works of a day, in place of a task's id."""


@dataclass(frozen=True)
class ForLaterDays(ExtensionPoint[tuple[Need[Any], ...]]):
    """The needs to satisfy today for tasks that come on later days."""

    nothing = ()


async def prepare(work: Work, name: str) -> None:
    """Do today's standing work; *name* is `STANDING`."""
    needs = await work(ForLaterDays())
    await work.all(needs)
