"""A pool over a Ray cluster gives what processes give, also when an actor or a node is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.clusters import RAY_MARKS, cluster_of
from tests.harness.environment.test_day import SCENARIO, begun, calls, oracle
from trainee_bench.harness.environment.pool.day_pool import ClusterError, DayPool, PooledDay
from trainee_bench.harness.environment.snapshot import unpack_day

pytestmark = RAY_MARKS


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of(2, 2) as made:
        yield made


def worker(day: PooledDay) -> Any:
    return day.worker


def test_days_survive_an_actor_and_then_a_node_without_losing_a_step(cluster: Any) -> None:
    made = calls(oracle().log)
    alone = begun(rewards=True)
    with DayPool.on_ray(cluster.address, workers=4, snapshot_every=8) as pool:
        days = pool.reset_many([SCENARIO] * 6)
        assert {day.start.prompt for day in days} == {alone.start().prompt}
        nodes = {worker(day).node for day in days}
        assert nodes == {node.node_id for node in cluster.nodes}
        for number, call in enumerate(made):
            if number == 10:
                assert unpack_day(days[0].snapshot or b"").day.scenario.name == SCENARIO.name
                assert len(days[0].calls) == 2
                os.kill(worker(days[0]).pid, signal.SIGKILL)
            if number == 20:
                lost = worker(days[1]).node
                (node,) = (node for node in cluster.nodes if node.node_id == lost)
                cluster.remove_node(node, allow_graceful=False)
            expected = alone.step([call])
            assert pool.step_many([(day, [call]) for day in days]) == [expected] * 6
        assert lost not in {worker(day).node for day in days}
        assert pool.digest_many(days) == [alone.digest()] * 6
        assert pool.grade_many(days) == [oracle().grade] * 6
        pool.close_many(days)


def test_more_workers_than_processors_are_refused_at_once(cluster: Any) -> None:
    with pytest.raises(ValueError, match="ask for fewer"):
        DayPool.on_ray(cluster.address, workers=64)


def test_a_cluster_that_is_not_reached_is_an_error_that_names_it() -> None:
    with pytest.raises(ClusterError, match=r"127\.0\.0\.1:9 was not reached within 5 seconds"):
        DayPool.on_ray("127.0.0.1:9", workers=1, connect_seconds=5)
