"""A batch: all episodes of a plan, several at a time, each result written as it comes."""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from harness.agents import Recruit
from harness.offices import Offices, opened_offices
from harness.orchestrator import run_order
from harness.plan import Order, Plan
from harness.progress import Watch
from harness.run_folder import RunFolder


def pending(plan: Plan, finished: set[str]) -> list[tuple[Order, ...]]:
    """The courses still to be run, without the episodes (by id) that are finished."""
    courses = [
        tuple(order for order in course if order.id not in finished) for course in plan.courses()
    ]
    return [course for course in courses if course]


async def run_batch(
    courses: Sequence[tuple[Order, ...]], folder: RunFolder, concurrency: int, watch: Watch
) -> None:
    """Run *courses*, at most *concurrency* at a time; one that breaks leaves the others alone.

    The days of a course are worked one after the other by one agent.
    """
    limiter = anyio.CapacityLimiter(concurrency)

    async def run_course(course: tuple[Order, ...], offices: Offices) -> None:
        async with limiter:
            recruit = Recruit(course[0].candidate, course[0].backing)
            for order in course:
                result = await run_order(order, folder, recruit, offices)
                folder.ledger.append(result)
                watch.done(result)

    if not courses:
        return
    async with (
        opened_offices(courses[0][0].transport) as offices,
        anyio.create_task_group() as group,
    ):
        for course in courses:
            group.start_soon(run_course, course, offices)
