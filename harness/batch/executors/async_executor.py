"""All episodes in this process, as tasks of one event loop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing

import anyio

from trainee_bench.harness.batch.executors.executor import BatchWork
from trainee_bench.harness.batch.executors.sequence_runner import run_sequence
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec, ModelSettings, Transport
from trainee_bench.harness.session.cancellation import cleanup_tasks

ServersOpener = Callable[[Transport, ModelSettings], AbstractAsyncContextManager[ServerFactory]]


class AsyncExecutor:
    """Executes everything in the process that calls it, with the servers that *opening* opens."""

    def __init__(self, opening: ServersOpener = open_servers):
        self._opening = opening

    async def run(self, work: BatchWork) -> None:
        """See `Executor.run`."""
        limiter = anyio.CapacityLimiter(work.concurrency)

        async def run_one(episodes: tuple[EpisodeSpec, ...], servers: ServerFactory) -> None:
            async with limiter, aclosing(run_sequence(episodes, work.folder, servers)) as results:
                async for result in results:
                    work.on_result(result)

        if not work.sequences:
            return
        first = work.sequences[0][0]
        async with (
            cleanup_tasks(),
            self._opening(first.transport, first.model_settings) as servers,
            anyio.create_task_group() as group,
        ):
            for episodes in work.sequences:
                group.start_soon(run_one, episodes, servers)
