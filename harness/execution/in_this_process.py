"""All episodes in this process, as tasks of one event loop."""

from __future__ import annotations

from contextlib import aclosing

import anyio

from harness.execution.course import results
from harness.execution.executor import Courses, Tell
from harness.leash import no_leftovers
from harness.offices import Offices, opened_offices
from harness.plan import Order
from harness.run_folder import RunFolder


class InThisProcess:
    """An executor that starts nothing."""

    async def run(self, courses: Courses, folder: RunFolder, concurrency: int, tell: Tell) -> None:
        """See `Executor.run`."""
        limiter = anyio.CapacityLimiter(concurrency)

        async def run_course(course: tuple[Order, ...], offices: Offices) -> None:
            async with limiter, aclosing(results(course, folder, offices)) as coming:
                async for result in coming:
                    tell(result)

        if not courses:
            return
        async with (
            no_leftovers(),
            opened_offices(courses[0][0].transport, courses[0][0].backing) as offices,
            anyio.create_task_group() as group,
        ):
            for course in courses:
                group.start_soon(run_course, course, offices)
