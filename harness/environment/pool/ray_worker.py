"""A worker of a pool that is an actor on a node of a Ray cluster.

    DayActor.send ──requests──► actor ──stream of answers──► thread ──► answered, died

Ray restarts nothing itself: the pool begins the days of a dead actor in another one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock, Thread
from typing import Any

from trainee_bench.harness.environment.pool.requests import PackedAnswer, PackedRequest
from trainee_bench.harness.environment.pool.worker import Death, Died
from trainee_bench.harness.support.ray_cluster import (
    Cluster,
    ClusterError,
    NodePlaces,
    node_entry,
    node_places,
    selector_of,
    shortened,
)

_VERDICT_SECONDS = 60.0
"""Seconds in which Ray has to say whether an actor that it cannot reach is dead."""
_PING_SECONDS = 1.0
_SLOW_START_SECONDS = 30.0
"""Seconds after which a warning says that an actor has not started."""
_CLOSE_SECONDS = 5.0
_SLOW_START = (
    "A worker of the pool has not started after %g seconds: perhaps no processor is free on the "
    "Ray cluster. The others go on. End other jobs, or ask for fewer workers."
)
_LOGGER = logging.getLogger(__name__)


class RayWorkers:
    """Starts workers on *cluster*, each of which asks for *cpus* processors."""

    def __init__(self, cluster: Cluster, cpus: float):
        self._cluster, self._cpus = cluster, cpus

    def __call__(self, answered: Callable[[Sequence[PackedAnswer]], None], died: Died) -> DayActor:
        """Start a worker: see `StartWorker`."""
        return DayActor(self._cluster, self._cpus, answered, died)


class DayActor:
    """An actor with days. *answered* and *died* are called on a thread of its own.

    It is created at once; its actor starts on that thread, and gets the requests that wait.
    """

    def __init__(
        self,
        cluster: Cluster,
        cpus: float,
        answered: Callable[[Sequence[PackedAnswer]], None],
        died: Died,
    ):
        self._cluster, self._cpus = cluster, cpus
        self._answered, self._died = answered, died
        self._sending = Lock()
        self._unsent: list[list[PackedRequest]] = []
        self._actor: Any = None
        self._closed = False
        self.started = False
        self.node: str | None = None
        """The id of its node, once it has started."""
        self.pid: int | None = None
        """The id of its process on that node, once it has started."""
        self._thread = Thread(target=self._live, daemon=True)
        self._thread.start()

    def send(self, requests: Sequence[PackedRequest]) -> None:
        """Hand *requests* over. If the actor has died, *died* says so."""
        with self._sending:
            if not self.started:
                self._unsent.append(list(requests))
            else:
                self._actor.work.remote(list(requests))

    def close(self) -> None:
        """End the actor with its days."""
        with self._sending:
            self._closed = True
            if self._actor is not None:
                self._cluster.ray.kill(self._actor)
        self._thread.join(_CLOSE_SECONDS)

    def _live(self) -> None:
        """Start the actor and pass on its answers until it dies."""
        try:
            death = self._listen(self._started())
        except ClusterError as error:
            death = Death(self, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody gets its answers now
            death = self._verdict(error)
        if not self._closed:
            self._died(self, death)

    def _started(self) -> Any:
        """Start the actor, wait for a processor as long as it takes, and return its answers.

        If the nodes of the cluster change meanwhile, begin again with those.
        """
        ray, warned = self._cluster.ray, False
        while True:
            nodes = self._cluster.usable()
            stream = self._start(nodes)
            while not ray.wait([stream], timeout=_SLOW_START_SECONDS)[0]:
                if self._closed:
                    return iter(())
                if self._cluster.usable() != nodes:
                    break
                if not warned:
                    _LOGGER.warning(_SLOW_START, _SLOW_START_SECONDS)
                    warned = True
            else:
                self.node, self.pid = ray.get(next(stream))
                return stream
            ray.kill(self._actor)

    def _start(self, nodes: list[str]) -> Any:
        """Ask for an actor on one of *nodes*, and return the stream of its answers."""
        make = self._cluster.ray.remote(
            num_cpus=self._cpus,
            max_restarts=0,
            max_task_retries=0,
            concurrency_groups={"answers": 1},
            label_selector=selector_of(nodes),
        )
        actor = make(_actor_class()).remote(node_places())
        with self._sending:
            self._actor = actor
            if self._closed:
                self._cluster.ray.kill(actor)
        answers = actor.answers.options(num_returns="streaming", concurrency_group="answers")
        return answers.remote()

    def _listen(self, stream: Any) -> Death:
        with self._sending:
            self.started = True
            for requests in self._unsent:
                self._actor.work.remote(requests)
        for reference in stream:
            self._answered(self._cluster.ray.get(reference))
        return Death(self, "its actor ended")

    def _verdict(self, error: Exception) -> Death:
        """Return what is lost: the actor, or its node with all others there.

        At first Ray only says that it cannot reach the actor. An actor without a verdict may still
        live, so it is killed: nobody reads its answers any more.
        """
        ray, reason = self._cluster.ray, str(error)
        if self._actor is None:
            return Death(self, shortened(reason))
        ends = time.monotonic() + _VERDICT_SECONDS
        while not self._closed and time.monotonic() < ends:
            try:
                ray.get(self._actor.ping.remote(), timeout=_PING_SECONDS)
            except ray.exceptions.ActorUnavailableError:
                time.sleep(_PING_SECONDS / 4)
            except ray.exceptions.GetTimeoutError:
                pass
            except ray.exceptions.RayError as verdict:
                reason = str(verdict)
                break
            else:
                break
        if self._closed:
            return Death(self)
        ray.kill(self._actor)
        if self.node is None:
            self._cluster.test_again()
        node_lost = self.node is not None and not self._cluster.is_alive(self.node)
        return Death(self.node if node_lost else self, shortened(reason))


def _actor_class() -> type:
    """Return the class of an actor, which Ray sends as code: see `node_entry`."""
    enter = node_entry()

    class DaysOnNode:
        """The days of one actor."""

        def __init__(self, places: NodePlaces):
            enter(places)
            from queue import SimpleQueue

            from trainee_bench.harness.environment.pool.day_worker import DayWorker

            self._answers: Any = SimpleQueue()
            self._worker = DayWorker(self._answers.put)

        def work(self, requests: list[PackedRequest]) -> None:
            """Work *requests*; their answers come through `answers`."""
            self._worker.work(requests)

        def ping(self) -> None:
            """Return, which shows that the actor lives."""

        def answers(self) -> Iterator[Any]:
            """Yield the ids of the node and of the process, and then all answers as they come."""
            import importlib
            import os

            ray: Any = importlib.import_module("ray")
            yield ray.get_runtime_context().get_node_id(), os.getpid()
            while True:
                yield self._answers.get()

    return DaysOnNode
