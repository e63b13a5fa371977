"""A Ray cluster on this machine with several nodes, for tests that lose one of them."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

RAY_MARKS = [
    pytest.mark.ray,
    pytest.mark.timeout(600),  # a busy machine starts a node in a minute
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
]
_STORE = {"object_store_memory": 80_000_000}


@contextmanager
def cluster_of(*processors: int) -> Iterator[Any]:
    """A cluster whose head has no processors, and a node with each number of *processors*.

    `nodes` are its nodes in this order, and ``address`` is where it is reached.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # By default 15, which starves beside other tests; Ray writes the name so.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    utils: Any = importlib.import_module("ray.cluster_utils")
    head = {"num_cpus": 0, "include_dashboard": False, **_STORE}
    made = utils.Cluster(initialize_head=True, head_node_args=head)
    try:
        made.nodes = [made.add_node(num_cpus=count, **_STORE) for count in processors]
        yield made
    finally:
        made.shutdown()
