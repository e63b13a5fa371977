"""A Ray cluster that is reached in bounded time, and those of its nodes that can work.

    RAY_ADDRESS ──connected──► ray ──Cluster──► the nodes that pass a test

A node passes if it imports this package and its test gives the same text as here, such as the
digest of a staged day. Any other node is left out, and a warning says why. Ray is imported when a
cluster is asked for.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

CONNECT_SECONDS = 60.0
"""Seconds in which a cluster has to be reached. Ray itself waits for minutes, and then ends the
process."""
TEST_SECONDS = 300.0
"""Seconds in which a node has to pass its test, the start of a process included."""
_OBJECT_STORE_BYTES = 200_000_000
"""Bytes for objects in a local cluster; more than that goes to its disk."""
_NODE_LABEL = "ray.io/node-id"
_LONGEST_REASON = 300
_PROBE = """
import sys
import ray
ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
ray.shutdown()
"""
_LOGGER = logging.getLogger(__name__)
NodePlaces = tuple[list[str], str, str, list[str]]
"""The import path, the working folder, the variable that names open offices, and their folders."""


class ClusterError(RuntimeError):
    """A cluster was not reached, or none of its nodes can work."""


@dataclass(frozen=True)
class NodeTest:
    """A function (``module:name``) of a text that returns a text, the same on every sound node."""

    function: str
    argument: str = ""


@contextmanager
def connected(
    address: str | None = None, *, cpus: int, seconds: float = CONNECT_SECONDS
) -> Iterator[Any]:
    """Connect to a cluster until the block is left, and yield the ``ray`` module.

    That is the cluster at *address*, by default the one to which this process is connected, or the
    one at RAY_ADDRESS. Without any of them a local cluster with *cpus* processors is started, which
    only this machine can reach. Raises ClusterError if a cluster is not reached in *seconds*.
    """
    loaded: Any = sys.modules.get("ray")
    if loaded is not None and loaded.is_initialized():
        if address is not None:
            raise ClusterError(
                f"This process is already connected to a Ray cluster, so it cannot connect to "
                f"{address}. Call ray.shutdown() first, or leave the address out."
            )
        yield loaded
        return
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    quietly: dict[str, object] = {"log_to_driver": False, "logging_level": "WARNING"}
    if address == "local":
        # Only this variable binds Ray's servers to 127.0.0.1: if the address is passed as an
        # argument, Ray replaces it by one that others can reach. Ray reads the variable on import.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        quietly |= {
            "num_cpus": cpus,
            "object_store_memory": _OBJECT_STORE_BYTES,
            "include_dashboard": False,
        }
    else:
        check_reachable(address, seconds)
    ray: Any = importlib.import_module("ray")
    ray.init(address, **quietly)
    try:
        yield ray
    finally:
        ray.shutdown()


def check_reachable(address: str, seconds: float = CONNECT_SECONDS) -> None:
    """Raise ClusterError unless another process connects to *address* within *seconds*."""
    if address.startswith("ray://"):
        raise ClusterError(
            f"{address} is an address of Ray Client, which cannot stream results. Start this on a "
            "machine of the cluster, with RAY_ADDRESS=HOST:PORT of its head node."
        )
    try:
        probe = subprocess.run(  # noqa: S603 - the address is an argument of our own program
            [sys.executable, "-c", _PROBE, address],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ClusterError(
            f"The Ray cluster at {address} was not reached within {seconds:g} seconds. Check the "
            f"address, and that `ray status --address {address}` answers on this machine."
        ) from None
    if probe.returncode:
        lines = probe.stderr.strip().splitlines() or ["no reason was given"]
        raise ClusterError(f"The Ray cluster at {address} cannot be used: {shortened(lines[-1])}")


@dataclass(frozen=True)
class RayNode:
    """A node, by its id, host and address, with its number of processors."""

    id: str
    host: str
    address: str
    processors: int

    @property
    def name(self) -> str:
        """The name by which people know it: host, address and the start of its id."""
        return f"{self.host} ({self.address}, {self.id[:8]})"


class Cluster:
    """The nodes of the cluster to which *ray* is connected, with *test* as proof that they can
    work. Any thread may use it."""

    def __init__(self, ray: Any, test: NodeTest, seconds: float = TEST_SECONDS):
        self.ray = ray
        self._test, self._seconds = test, seconds
        self._expected: str | None = None
        self._flaws: dict[str, str | None] = {}
        """The fault of each tested node by its id; None for a node that can work."""
        self._testing = Lock()

    def usable(self) -> list[str]:
        """Return the ids of the nodes that can work; those that are new are tested first.

        Raises ClusterError if there are none.
        """
        with self._testing:
            nodes = self._with_processors()
            self._run_tests([node for node in nodes if node.id not in self._flaws])
            usable = [node.id for node in nodes if self._flaws[node.id] is None]
        if not usable:
            raise ClusterError(self._why_none(nodes))
        return usable

    def processors(self) -> int:
        """Return how many processors the nodes have that can work."""
        usable = self.usable()
        nodes = [node for node in self._with_processors() if node.id in usable]
        return sum(node.processors for node in nodes)

    def test_again(self) -> None:
        """Test all nodes anew when they are asked for next, since a worker could not start."""
        with self._testing:
            self._flaws = {node: flaw for node, flaw in self._flaws.items() if flaw is not None}

    def is_alive(self, node: str) -> bool:
        """Whether the node with the id *node* is part of the cluster."""
        return any_alive(self.ray, [node])

    def _with_processors(self) -> list[RayNode]:
        alive = [
            RayNode(
                node["NodeID"],
                node["NodeManagerHostname"],
                node["NodeManagerAddress"],
                int(node["Resources"].get("CPU", 0)),
            )
            for node in self.ray.nodes()
            if node["Alive"]
        ]
        return [node for node in alive if node.processors]

    def _run_tests(self, nodes: list[RayNode]) -> None:
        """Test *nodes* at the same time, and warn of each that cannot work."""
        if not nodes:
            return
        if self._expected is None:
            try:
                self._expected = _call(self._test.function, self._test.argument)
            except Exception as error:
                raise ClusterError(
                    f"The test of the nodes fails on this machine: {shortened(str(error))}"
                ) from error
        affinity = importlib.import_module("ray.util.scheduling_strategies")
        remote = self.ray.remote(num_cpus=0, max_retries=0)(_tester())
        asked = {}
        for node in nodes:
            place = affinity.NodeAffinitySchedulingStrategy(node.id, soft=False)
            asked[node.id] = remote.options(scheduling_strategy=place).remote(
                node_places(), self._test.function, self._test.argument
            )
        self.ray.wait(list(asked.values()), num_returns=len(asked), timeout=self._seconds)
        for node in nodes:
            flaw = self._flaw(asked[node.id])
            self._flaws[node.id] = flaw
            if flaw is not None:
                _LOGGER.warning("Ray node %s is left out: %s", node.name, flaw)

    def _flaw(self, answer: Any) -> str | None:
        errors = self.ray.exceptions
        try:
            failure, text = self.ray.get(answer, timeout=0)
        except errors.GetTimeoutError:
            self.ray.cancel(answer, force=True)
            return f"it did not pass its test within {self._seconds:g} seconds"
        except errors.RayError as error:
            return shortened(f"{type(error).__name__}: {error}")
        if failure is not None:
            return shortened(failure)
        if text != self._expected:
            return "it stages a different day; install the same versions there as here"
        return None

    def _why_none(self, nodes: list[RayNode]) -> str:
        if not nodes:
            return (
                "The Ray cluster has no node with a processor; add one with `ray start --address`."
            )
        why = "; ".join(f"{node.name}: {self._flaws[node.id]}" for node in nodes)
        return (
            f"No node of the Ray cluster can work ({why}). Install the same version of "
            "trainee-bench on each node, together with the modules of your agents."
        )


def selector_of(nodes: Iterable[str]) -> dict[str, str]:
    """Return the label selector of an actor that may start on any of *nodes*, which are ids."""
    return {_NODE_LABEL: f"in({','.join(nodes)})"}


def any_alive(ray: Any, nodes: Collection[str]) -> bool:
    """Whether a node whose id is among *nodes* is part of the cluster."""
    return any(node["Alive"] and node["NodeID"] in nodes for node in ray.nodes())


def shortened(text: str) -> str:
    """Return *text* as one line of bounded length."""
    return " ".join(text.split())[:_LONGEST_REASON]


def node_places() -> NodePlaces:
    """Return where this process imports from, works, and has its own offices, for `node_entry`."""
    from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_folders

    home = str(Path.cwd())
    path = [entry or home for entry in sys.path]
    return path, home, VARIABLE, open_folders()


def node_entry() -> Callable[[NodePlaces], None]:
    """Return a function that lets a process on a node import and open offices as this process does.

    Ray sends a local function as code, so that a node needs no package to begin it. Folders that a
    node does not have are left out; its own folders come last.
    """

    def enter(places: NodePlaces) -> None:
        import os
        import sys

        path, home, variable, offices = places
        there = [entry for entry in path if os.path.exists(entry)]  # noqa: PTH110
        sys.path[:] = there + [entry for entry in sys.path if entry not in there]
        if os.path.isdir(home):  # noqa: PTH112
            os.chdir(home)
        own = os.environ.get(variable, "").split(os.pathsep)
        found = [*filter(os.path.isdir, offices), *filter(None, own)]
        os.environ[variable] = os.pathsep.join(dict.fromkeys(found))

    return enter


def _tester() -> Callable[[NodePlaces, str, str], tuple[str | None, str]]:
    enter = node_entry()

    def test(places: NodePlaces, function: str, argument: str) -> tuple[str | None, str]:
        import importlib

        enter(places)
        module, _, name = function.partition(":")
        try:
            return None, getattr(importlib.import_module(module), name)(argument)
        except Exception as error:  # noqa: BLE001 - whatever it is, this node cannot work
            return f"{type(error).__name__}: {error}", ""

    return test


def _call(function: str, argument: str) -> str:
    module, _, name = function.partition(":")
    text: str = getattr(importlib.import_module(module), name)(argument)
    return text
