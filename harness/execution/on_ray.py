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

from harness.execution.agenda import Agenda
from harness.execution.course import Report, WorkerCrash, failure, reports
from harness.execution.executor import Courses, Tell
from harness.execution.staff import CannotBegin, Staff, WorkerDied, shares
from harness.offices import Offices, opened_offices
from harness.plan import Order
from harness.results import EpisodeResult
from harness.run_folder import RunFolder

_PATIENCE = 7.0
"""Seconds an actor has to close its offices."""
_LOOK = 10.0
"""Seconds between looks whether an actor that is slow to begin has a node to begin on."""
_STORE = 100_000_000
"""Bytes for objects in a cluster of our own; only lines of JSON pass through it."""
_ORDERS = TypeAdapter(tuple[Order, ...])


class OnRay:
    """An executor of at most so many actors, each of which asks for one processor."""

    def __init__(self, workers: int):
        self._workers = workers

    async def run(self, courses: Courses, folder: RunFolder, concurrency: int, tell: Tell) -> None:
        """See `Executor.run`."""
        if not courses:
            return
        slots = shares(concurrency, self._workers, len(courses))
        with _cluster(len(slots)) as ray:
            staff = Staff(partial(_hired, ray, folder), Agenda(courses), folder, tell)
            await staff.work(slots)
        folder.sweep()


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
            object_store_memory=_STORE,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="WARNING",
        )
    try:
        yield ray
    finally:
        ray.shutdown()


@asynccontextmanager
async def _hired(ray: Any, folder: RunFolder) -> AsyncIterator[_ActorWorker]:
    """An actor that has begun. Raises CannotBegin."""
    # Ray is not to repeat anything by itself: it would repeat an episode that kills its worker
    # together with all its neighbours, and nobody would count the tries.
    make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=1000)
    actor = make(Desk).remote(sys.path, str(Path.cwd()), str(folder.path.absolute()))
    began = False
    try:
        try:
            await begun(ray, actor)
            began = True
        except ray.exceptions.RayError as error:
            raise CannotBegin(f"an actor could not begin: {error}") from None
        yield _ActorWorker(ray, actor)
    finally:
        with anyio.CancelScope(shield=True):
            if began:  # else it may still wait for a node with a processor to spare
                with anyio.move_on_after(_PATIENCE), suppress(ray.exceptions.RayError):
                    await actor.end.remote()
            ray.kill(actor)


async def begun(ray: Any, actor: Any) -> None:
    """Wait until *actor* can take work. Raises CannotBegin once there is no node left for it."""
    coming = actor.begin.remote()
    while True:
        with anyio.move_on_after(_LOOK):
            await coming
            return
        if not any(node["Alive"] for node in ray.nodes()):
            raise CannotBegin("no node of the cluster is left")


class _ActorWorker:
    """This end of the way to an actor."""

    def __init__(self, ray: Any, actor: Any):
        self.alive = True
        self._ray = ray
        self._actor = actor

    async def work(self, orders: tuple[Order, ...]) -> AsyncGenerator[EpisodeResult, None]:
        """See `Worker.work`."""
        errors = self._ray.exceptions
        said = _ORDERS.dump_json(orders).decode()
        try:
            coming = self._actor.work.options(num_returns="streaming").remote(said)
            async for reference in coming:
                line: str = await reference
                yield Report.model_validate_json(line).opened()
        except errors.RayTaskError as error:
            raise WorkerCrash(f"in an actor:\n{error}") from None
        except errors.RayError as error:
            self.alive = False
            raise WorkerDied(" ".join(f"{type(error).__name__}: {error}".split())[:300]) from None


class Desk:
    """What lives in an actor: courses come in, reports go out, as text."""

    def __init__(self, path: list[str], home: str, folder: str):
        """*path* is where modules are found, *home* the directory agents work in."""
        sys.path[:] = path
        self._home, self._folder = Path(home), RunFolder(Path(folder))
        self._offices: asyncio.Future[Offices] | None = None
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
            yield failure(0, error).model_dump_json()
            return
        async with aclosing(reports(0, course, self._folder, offices)) as coming:
            async for report in coming:
                yield report.model_dump_json()

    async def _keep_open(self, order: Order, opened: asyncio.Future[Offices]) -> None:
        """Hold the offices open, in one task from first to last."""
        try:
            async with opened_offices(order.transport, order.backing) as offices:
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
