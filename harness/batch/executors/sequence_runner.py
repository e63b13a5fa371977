"""Execution of day sequences in this process.

One sequence runs for a worker that reports each result, or all sequences run as tasks of one event
loop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import TypeAlias

import anyio

from trainee_bench.harness.agents.runtime.runner import AgentRunner, forgets
from trainee_bench.harness.batch.executors.executor import (
    BatchWork,
    DaySequences,
    WorkerReport,
    WorkerTask,
    failure_report,
)
from trainee_bench.harness.episodes.orchestrator import run_episode
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec, ModelSettings, Transport
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.cancellation import cleanup_tasks


async def run_sequence(
    episodes: Sequence[EpisodeSpec], folder: RunFolder, servers: ServerFactory
) -> AsyncGenerator[EpisodeResult, None]:
    """Run *episodes* one after the other with one agent; yield each result when its day is over."""
    runner = AgentRunner(episodes[0].agent_config, episodes[0].model_settings)
    for episode in episodes:
        yield await run_episode(episode, folder, runner, servers)


async def sequence_reports(
    task: WorkerTask, folder: RunFolder, servers: ServerFactory
) -> AsyncGenerator[WorkerReport, None]:
    """Run the sequence of *task*; yield a report for each episode, and a last one if it fails."""
    try:
        async for result in run_sequence(task.episodes, folder, servers):
            yield WorkerReport(sequence=task.sequence, result=result)
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:  # noqa: BLE001
        yield failure_report(task.sequence, error)


RememberedDay: TypeAlias = tuple[str, str, int]
"""An agent, a scenario and the number of a day."""


def remembered_days(episodes: Sequence[EpisodeSpec]) -> frozenset[RememberedDay]:
    """Return the days of *episodes*, a day sequence, that a process may remember.

    Built-in agents remember nothing, and commands run in their own processes.
    """
    agent = episodes[0].agent_config
    if agent.command is not None or forgets(agent):
        return frozenset()
    return frozenset((agent.name, spec.scenario.name, spec.day) for spec in episodes)


def repeats_remembered_days(sequences: DaySequences) -> bool:
    """Whether some day of *sequences* must not be worked twice in one process."""
    seen: set[RememberedDay] = set()
    for episodes in sequences:
        days = remembered_days(episodes)
        if days & seen:
            return True
        seen |= days
    return False


ServersOpener = Callable[[Transport, ModelSettings], AbstractAsyncContextManager[ServerFactory]]


class AsyncExecutor:
    """Executor in the calling process, with the servers that *opening* opens."""

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
