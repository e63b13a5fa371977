"""All episodes in this process, as tasks of one event loop."""

from __future__ import annotations

from contextlib import aclosing

import anyio

from trainee_bench.harness.batch.executors.executor import DaySequences, ResultCallback
from trainee_bench.harness.batch.executors.sequence_runner import run_sequence
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.cancellation import cleanup_tasks


class AsyncExecutor:
    """An executor that starts nothing."""

    async def run(
        self, courses: DaySequences, folder: RunFolder, concurrency: int, tell: ResultCallback
    ) -> None:
        """See `Executor.run`."""
        limiter = anyio.CapacityLimiter(concurrency)

        async def run_course(course: tuple[EpisodeSpec, ...], offices: ServerFactory) -> None:
            async with limiter, aclosing(run_sequence(course, folder, offices)) as coming:
                async for result in coming:
                    tell(result)

        if not courses:
            return
        async with (
            cleanup_tasks(),
            open_servers(courses[0][0].transport, courses[0][0].backing) as offices,
            anyio.create_task_group() as group,
        ):
            for course in courses:
                group.start_soon(run_course, course, offices)
