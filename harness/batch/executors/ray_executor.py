"""Workers that are actors of a Ray cluster: the one at RAY_ADDRESS, or a local one.

Every node must find the run's folder under the same path, because workers write worlds and
trajectories there themselves. No secret is sent: models' keys must be in the nodes' environment.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from trainee_bench.harness.batch.executors.executor import (
    BatchWork,
    WorkerCrash,
    WorkerReport,
    WorkerTask,
    failure_report,
)
from trainee_bench.harness.batch.executors.sequence_runner import sequence_reports
from trainee_bench.harness.batch.executors.worker_pool import (
    WorkerDied,
    WorkerPool,
    WorkerStartFailed,
    slots_per_worker,
)
from trainee_bench.harness.episodes.transports import ServerFactory, open_servers
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

_CLOSE_SECONDS = 7.0
"""Seconds that an actor has to close its servers."""
_NODE_CHECK_SECONDS = 10.0
"""Seconds between checks whether a slow actor still has a node to start on."""
_OBJECT_STORE_BYTES = 100_000_000
"""Bytes for objects in a local cluster, which carries only lines of JSON."""


class RayExecutor:
    """Executor in at most *workers* actors, each of which asks for one processor."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(self, work: BatchWork) -> None:
        """See `Executor.run`."""
        if work.sequences:
            slots = slots_per_worker(work.concurrency, self._workers, len(work.sequences))
            with _cluster(len(slots)) as ray:
                await WorkerPool(partial(_start_worker, ray, work.folder), work).run(slots)


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """Connect and yield the ``ray`` module; only this machine can reach a local cluster."""
    address = os.environ.get("RAY_ADDRESS")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not address:
        # Only this variable binds Ray's servers to 127.0.0.1: if the address is passed as an
        # argument, Ray replaces it by one that others can reach. Ray reads the variable on import.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    ray: Any = importlib.import_module("ray")
    if address:
        ray.init(address, log_to_driver=False, logging_level="WARNING")
    else:
        ray.init(
            "local",
            num_cpus=workers,
            object_store_memory=_OBJECT_STORE_BYTES,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="WARNING",
        )
    try:
        yield ray
    finally:
        ray.shutdown()


@asynccontextmanager
async def _start_worker(ray: Any, folder: RunFolder) -> AsyncIterator[_ActorWorker]:
    """Start an actor; yield it when it is ready. Raises WorkerStartFailed."""
    # Ray must not repeat anything itself: it would repeat an episode that kills its worker, with
    # all others in that worker, and nobody would count the tries.
    make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=1000)
    actor = make(RayWorker).remote(sys.path, str(Path.cwd()), str(folder.path.absolute()))
    ready = False
    try:
        try:
            await wait_until_ready(ray, actor)
            ready = True
        except ray.exceptions.RayError as error:
            raise WorkerStartFailed(f"an actor could not start: {error}") from None
        yield _ActorWorker(ray, actor)
    finally:
        with anyio.CancelScope(shield=True):
            if ready:  # an actor that is not ready may still wait for a free processor
                with anyio.move_on_after(_CLOSE_SECONDS), suppress(ray.exceptions.RayError):
                    await actor.end.remote()
            ray.kill(actor)


async def wait_until_ready(ray: Any, actor: Any) -> None:
    """Wait until *actor* takes work. Raises WorkerStartFailed once no node is left for it."""
    started = actor.begin.remote()
    while True:
        with anyio.move_on_after(_NODE_CHECK_SECONDS):
            await started
            return
        if not any(node["Alive"] for node in ray.nodes()):
            raise WorkerStartFailed("no node of the cluster is left")


class _ActorWorker:
    """Handle of an actor."""

    def __init__(self, ray: Any, actor: Any):
        self.alive = True
        self._ray = ray
        self._actor = actor

    async def work(self, episodes: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `WorkerHandle.work`."""
        errors = self._ray.exceptions
        task = WorkerTask(sequence=0, episodes=episodes).model_dump_json()
        try:
            reports = self._actor.work.options(num_returns="streaming").remote(task)
            async for reference in reports:
                line: str = await reference
                yield WorkerReport.model_validate_json(line).unwrap()
        except errors.RayTaskError as error:
            raise WorkerCrash(f"in an actor:\n{error}") from None
        except errors.RayError as error:
            self.alive = False
            raise WorkerDied(" ".join(f"{type(error).__name__}: {error}".split())[:300]) from None


class RayWorker:
    """The worker in an actor; tasks arrive and reports leave as JSON."""

    def __init__(self, path: list[str], home: str, folder: str):
        """Import from *path*, work in the directory *home*, and use the run in *folder*."""
        sys.path[:] = path
        self._home, self._folder = Path(home), RunFolder(Path(folder))
        self._servers: asyncio.Future[ServerFactory] | None = None
        self._host: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def begin(self) -> None:
        """Return when ready. Raises FileNotFoundError on a node without the run's folder."""
        os.chdir(self._home)
        if not (self._folder.path / "worlds").is_dir():
            raise FileNotFoundError(
                f"{self._folder.path} does not exist on this node: a run on Ray needs a "
                "folder that all nodes share under one path."
            )

    async def work(self, task_json: str) -> AsyncGenerator[str, None]:
        """Execute the WorkerTask in *task_json*; yield its WorkerReports as JSON."""
        task = WorkerTask.model_validate_json(task_json)
        if self._servers is None:
            self._servers = asyncio.get_running_loop().create_future()
            self._host = asyncio.create_task(self._keep_open(task.episodes[0], self._servers))
        try:
            servers = await asyncio.shield(self._servers)
        except Exception as error:  # noqa: BLE001
            yield failure_report(0, error).model_dump_json()
            return
        async with aclosing(sequence_reports(task, self._folder, servers)) as reports:
            async for report in reports:
                yield report.model_dump_json()

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
