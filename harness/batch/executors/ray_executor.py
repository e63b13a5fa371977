"""Workers that are actors of a Ray cluster: the one at RAY_ADDRESS, or a local one.

    run's folder ──files──► actor, with a folder of its own ──begun, results, files──► run's folder

Nodes need this package and the agents' modules, and no folder of the run. A node that cannot import
them or stage a day is left out. No secret is sent: models' keys must be in the nodes' environment.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from trainee_bench.harness.batch.executors.executor import (
    BatchWork,
    WorkerCrash,
    WorkerTask,
    failure_report,
)
from trainee_bench.harness.batch.executors.node_test import node_test
from trainee_bench.harness.batch.executors.sequence_runner import sequence_reports
from trainee_bench.harness.batch.executors.shipped_files import (
    AnnouncedEpisodes,
    BegunElsewhere,
    ShippedFiles,
    ShippedReport,
    record_begun,
    sent_files,
    store_files,
    taken_files,
    unwrapped,
    work_folder,
)
from trainee_bench.harness.batch.executors.worker_pool import (
    WorkerDied,
    WorkerPool,
    WorkerStartFailed,
    slots_per_worker,
)
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.ray_cluster import (
    Cluster,
    ClusterError,
    NodePlaces,
    any_alive,
    connected,
    node_entry,
    node_places,
    selector_of,
    shortened,
)

_CLOSE_SECONDS = 7.0
"""Seconds that an actor has to close its servers."""
_NODE_CHECK_SECONDS = 10.0
"""Seconds between checks whether a slow actor still has a node to start on."""
_SLOW_START_CHECKS = 3
"""After so many of them a warning says that the actor has not started."""
_LOGGER = logging.getLogger(__name__)


class RayExecutor:
    """Executor in at most *workers* actors, each of which asks for one processor."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(self, work: BatchWork) -> None:
        """See `Executor.run`. Raises PlanError if the cluster is not reached or no node can
        work."""
        if not work.sequences:
            return
        slots = slots_per_worker(work.concurrency, self._workers, len(work.sequences))
        test = node_test(spec for episodes in work.sequences for spec in episodes)
        try:
            with connected(cpus=len(slots)) as ray:
                start = partial(_start_worker, Cluster(ray, test), work.folder)
                await WorkerPool(start, work).run(slots)
        except ClusterError as error:
            raise PlanError(str(error)) from None


@asynccontextmanager
async def _start_worker(cluster: Cluster, folder: RunFolder) -> AsyncIterator[_ActorWorker]:
    """Start an actor; yield it when it is ready. Raises WorkerStartFailed, and PlanError if no node
    of *cluster* can work."""
    ray = cluster.ray
    try:
        nodes = await anyio.to_thread.run_sync(cluster.usable)
    except ClusterError as error:
        raise PlanError(str(error)) from None
    # Ray must not repeat anything itself: it would repeat an episode that kills its worker, with
    # all others in that worker, and nobody would count the tries.
    make = ray.remote(
        num_cpus=1,
        max_restarts=0,
        max_task_retries=0,
        max_concurrency=1000,
        label_selector=selector_of(nodes),
    )
    actor = make(_actor_class()).remote(node_places())
    ready = False
    try:
        try:
            await wait_until_ready(ray, actor, nodes)
            ready = True
        except ray.exceptions.RayError as error:
            cluster.test_again()
            raise WorkerStartFailed(f"an actor could not start: {shortened(str(error))}") from None
        yield _ActorWorker(ray, actor, folder)
    finally:
        with anyio.CancelScope(shield=True):
            if ready:  # an actor that is not ready may still wait for a free processor
                with anyio.move_on_after(_CLOSE_SECONDS), suppress(ray.exceptions.RayError):
                    await actor.end.remote()
            ray.kill(actor)


async def wait_until_ready(ray: Any, actor: Any, nodes: Collection[str]) -> None:
    """Wait until *actor* takes work. Raises WorkerStartFailed once none of *nodes* is left."""
    started = actor.begin.remote()
    checks = 0
    while True:
        with anyio.move_on_after(_NODE_CHECK_SECONDS):
            await started
            return
        if not any_alive(ray, nodes):
            raise WorkerStartFailed("no node of the cluster is left")
        checks += 1
        if checks == _SLOW_START_CHECKS:
            _LOGGER.warning(
                "A worker has not started after %g seconds: perhaps no processor is free on the "
                "Ray cluster. Wait, end other jobs, or interrupt the run and resume it with fewer "
                "--workers.",
                checks * _NODE_CHECK_SECONDS,
            )


class _ActorWorker:
    """Handle of an actor; it writes what the actor returns to the run's *folder*."""

    def __init__(self, ray: Any, actor: Any, folder: RunFolder):
        self.alive = True
        self._ray = ray
        self._actor = actor
        self._folder = folder

    async def work(self, episodes: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `WorkerHandle.work`."""
        errors = self._ray.exceptions
        task = WorkerTask(sequence=0, episodes=episodes).model_dump_json()
        by_id = {spec.id: spec for spec in episodes}
        try:
            messages = self._actor.work.options(num_returns="streaming").remote(
                task, sent_files(self._folder, episodes[0])
            )
            async for reference in messages:
                message: BegunElsewhere | ShippedReport = await reference
                if isinstance(message, BegunElsewhere):
                    record_begun(self._folder, by_id[message.episode], message)
                    continue
                result = unwrapped(message).unwrap()
                store_files(self._folder, by_id[result.episode], message.files)
                yield result
        except errors.RayTaskError as error:
            raise WorkerCrash(f"in an actor:\n{error}") from None
        except errors.RayError as error:
            self.alive = False
            raise WorkerDied(shortened(f"{type(error).__name__}: {error}")) from None


def _actor_class() -> type:
    """Return the class of an actor, which Ray sends as code: see `node_entry`."""
    enter = node_entry()

    class EpisodesOnNode:
        """A `RayWorker` in a process that imports as the run's own process does."""

        def __init__(self, places: NodePlaces):
            enter(places)
            from trainee_bench.harness.batch.executors.ray_executor import RayWorker

            self._worker = RayWorker()

        async def begin(self) -> None:
            """Return, which shows that the actor takes work."""

        async def work(self, task_json: str, files: Any) -> AsyncGenerator[Any, None]:
            """See `RayWorker.work`."""
            async for message in self._worker.work(task_json, files):
                yield message

        async def end(self) -> None:
            """See `RayWorker.end`."""
            await self._worker.end()

    return EpisodesOnNode


class RayWorker:
    """The worker in an actor; each sequence has a folder of its own on the node."""

    def __init__(self) -> None:
        self._servers: asyncio.Future[ServerFactory] | None = None
        self._host: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def work(
        self, task_json: str, files: ShippedFiles
    ) -> AsyncGenerator[BegunElsewhere | ShippedReport, None]:
        """Execute the WorkerTask in *task_json*, which begins with *files*; yield each begun
        episode, and its report with its files when it is over."""
        task = WorkerTask.model_validate_json(task_json)
        if self._servers is None:
            self._servers = asyncio.get_running_loop().create_future()
            self._host = asyncio.create_task(self._keep_open(task.episodes[0], self._servers))
        try:
            servers = await asyncio.shield(self._servers)
        except Exception as error:  # noqa: BLE001
            yield ShippedReport(failure_report(0, error).model_dump_json())
            return
        messages: asyncio.Queue[BegunElsewhere | ShippedReport | None] = asyncio.Queue()
        working = asyncio.create_task(_work(task, files, servers, messages))
        try:
            while (message := await messages.get()) is not None:
                yield message
            await working
        finally:
            working.cancel()

    async def _keep_open(self, first: EpisodeSpec, opened: asyncio.Future[ServerFactory]) -> None:
        """Keep the servers open: the task that opens them must close them."""
        try:
            async with open_servers(first.transport, first.model_settings) as servers:
                opened.set_result(servers)
                await self._closing.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

    async def end(self) -> None:
        """Close the servers."""
        self._closing.set()
        if self._host is not None:
            await self._host


async def _work(
    task: WorkerTask,
    files: ShippedFiles,
    servers: ServerFactory,
    messages: asyncio.Queue[BegunElsewhere | ShippedReport | None],
) -> None:
    """Work *task* in a folder that lasts as long; put what there is to say, and None at the end."""
    path = Path(tempfile.mkdtemp(prefix="trainee-bench-"))
    specs = {spec.id: spec for spec in task.episodes}
    try:
        folder = work_folder(path, files)
        folder.begun = AnnouncedEpisodes(path, messages.put_nowait)
        async with aclosing(sequence_reports(task, folder, servers)) as reports:
            async for report in reports:
                ended = report.result and specs[report.result.episode]
                taken = taken_files(folder, ended) if ended else ()
                messages.put_nowait(ShippedReport(report.model_dump_json(), taken))
    except Exception as error:  # noqa: BLE001 - such as a full disk; the run's process raises it
        messages.put_nowait(ShippedReport(failure_report(0, error).model_dump_json()))
    finally:
        shutil.rmtree(path, ignore_errors=True)
        messages.put_nowait(None)
