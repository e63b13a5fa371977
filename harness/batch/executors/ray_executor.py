"""Workers that are actors of a Ray cluster: the one named by RAY_ADDRESS, else one of our own.

The run's folder must lie where every node of the cluster finds it under the same path: a
worker writes worlds and trajectories there itself. Nothing secret is sent; models' keys must
stand in the environment of the nodes.
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
from pydantic import TypeAdapter

from trainee_bench.harness.batch.executors.executor import DaySequences, ResultCallback
from trainee_bench.harness.batch.executors.sequence_runner import (
    WorkerCrash,
    WorkerReport,
    failure_report,
    sequence_reports,
)
from trainee_bench.harness.batch.executors.work_queue import WorkQueue
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

_PATIENCE = 7.0
"""Seconds an actor has to close its offices."""
_NODE_CHECK_SECONDS = 10.0
"""Seconds between looks whether an actor that is slow to begin has a node to begin on."""
_OBJECT_STORE_BYTES = 100_000_000
"""Bytes for objects in a cluster of our own; only lines of JSON pass through it."""
_ORDERS = TypeAdapter(tuple[EpisodeSpec, ...])


class RayExecutor:
    """An executor of at most so many actors, each of which asks for one processor."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(
        self, courses: DaySequences, folder: RunFolder, concurrency: int, tell: ResultCallback
    ) -> None:
        """See `Executor.run`."""
        if not courses:
            return
        slots = slots_per_worker(concurrency, self._workers, len(courses))
        with _cluster(len(slots)) as ray:
            staff = WorkerPool(
                partial(_start_worker, ray, folder), WorkQueue(courses), folder, tell
            )
            await staff.run(slots)
        folder.remove_drafts()


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """The ``ray`` module, connected; a cluster of our own listens on this machine only."""
    address = os.environ.get("RAY_ADDRESS")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not address:
        # The one thing that binds Ray's servers to 127.0.0.1; an address given as such is
        # replaced by one that others can reach. Read when Ray is imported.
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
    """An actor that has begun. Raises WorkerStartFailed."""
    # Ray is not to repeat anything by itself: it would repeat an episode that kills its worker
    # together with all its neighbours, and nobody would count the tries.
    make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=1000)
    actor = make(RayWorker).remote(sys.path, str(Path.cwd()), str(folder.path.absolute()))
    began = False
    try:
        try:
            await wait_until_ready(ray, actor)
            began = True
        except ray.exceptions.RayError as error:
            raise WorkerStartFailed(f"an actor could not begin: {error}") from None
        yield _ActorWorker(ray, actor)
    finally:
        with anyio.CancelScope(shield=True):
            if began:  # else it may still wait for a node with a processor to spare
                with anyio.move_on_after(_PATIENCE), suppress(ray.exceptions.RayError):
                    await actor.end.remote()
            ray.kill(actor)


async def wait_until_ready(ray: Any, actor: Any) -> None:
    """Wait until *actor* can take work. Raises WorkerStartFailed once there is no node left for it."""
    coming = actor.begin.remote()
    while True:
        with anyio.move_on_after(_NODE_CHECK_SECONDS):
            await coming
            return
        if not any(node["Alive"] for node in ray.nodes()):
            raise WorkerStartFailed("no node of the cluster is left")


class _ActorWorker:
    """This end of the way to an actor."""

    def __init__(self, ray: Any, actor: Any):
        self.alive = True
        self._ray = ray
        self._actor = actor

    async def work(self, orders: tuple[EpisodeSpec, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `Worker.work`."""
        errors = self._ray.exceptions
        said = _ORDERS.dump_json(orders).decode()
        try:
            coming = self._actor.work.options(num_returns="streaming").remote(said)
            async for reference in coming:
                line: str = await reference
                yield WorkerReport.model_validate_json(line).unwrap()
        except errors.RayTaskError as error:
            raise WorkerCrash(f"in an actor:\n{error}") from None
        except errors.RayError as error:
            self.alive = False
            raise WorkerDied(" ".join(f"{type(error).__name__}: {error}".split())[:300]) from None


class RayWorker:
    """What lives in an actor: courses come in, reports go out, as text."""

    def __init__(self, path: list[str], home: str, folder: str):
        """*path* is where modules are found, *home* the directory agents work in."""
        sys.path[:] = path
        self._home, self._folder = Path(home), RunFolder(Path(folder))
        self._offices: asyncio.Future[ServerFactory] | None = None
        self._host: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def begin(self) -> None:
        """Answer when there is work to be taken. Raises FileNotFoundError for a node that does
        not see the run's folder."""
        os.chdir(self._home)
        if not (self._folder.path / "worlds").is_dir():
            raise FileNotFoundError(
                f"{self._folder.path} is not there on this node: a run on Ray needs a folder "
                "that all nodes share under one path."
            )

    async def work(self, orders: str) -> AsyncGenerator[str, None]:
        """Work a course; its reports."""
        course = _ORDERS.validate_json(orders)
        if self._offices is None:
            self._offices = asyncio.get_running_loop().create_future()
            self._host = asyncio.create_task(self._keep_open(course[0], self._offices))
        try:
            offices = await asyncio.shield(self._offices)
        except Exception as error:  # noqa: BLE001
            yield failure_report(0, error).model_dump_json()
            return
        async with aclosing(sequence_reports(0, course, self._folder, offices)) as coming:
            async for report in coming:
                yield report.model_dump_json()

    async def _keep_open(self, order: EpisodeSpec, opened: asyncio.Future[ServerFactory]) -> None:
        """Hold the offices open, in one task from first to last."""
        try:
            async with open_servers(order.transport, order.backing) as offices:
                opened.set_result(offices)
                await self._closing.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

    async def end(self) -> None:
        """Close the offices."""
        self._closing.set()
        if self._host is not None:
            await self._host
