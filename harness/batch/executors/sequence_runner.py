"""Executing one day sequence: in this process, or in a worker that reports each result."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.batch.executors.messages import WorkerReport, WorkerTask, failure_report
from trainee_bench.harness.episodes.orchestrator import run_episode
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


async def run_sequence(
    episodes: Sequence[EpisodeSpec], folder: RunFolder, servers: ServerFactory
) -> AsyncGenerator[EpisodeResult, None]:
    """Run *episodes* one after the other with one agent; each result when its day is over."""
    runner = AgentRunner(episodes[0].agent_config, episodes[0].model_settings)
    for episode in episodes:
        yield await run_episode(episode, folder, runner, servers)


async def sequence_reports(
    task: WorkerTask, folder: RunFolder, servers: ServerFactory
) -> AsyncGenerator[WorkerReport, None]:
    """Run the sequence of *task*; a report for each episode, and a last one if it fails."""
    try:
        async for result in run_sequence(task.episodes, folder, servers):
            yield WorkerReport(sequence=task.sequence, result=result)
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:  # noqa: BLE001
        yield failure_report(task.sequence, error)
