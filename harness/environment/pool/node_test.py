"""The proof that a node of a cluster can work days of a pool."""

from __future__ import annotations

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.support.ray_cluster import NodeTest
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION


def staged_day(scenario: str) -> str:
    """Stage the first day of *scenario*; return the versions and the digests of what it shows."""
    day = Day(find_scenario(scenario))
    day.reset()
    digests = day.frozen_digests().model_dump_json()
    day.close()
    return f"{GENERATOR_VERSION} {SCORE_VERSION} {digests}"


POOL_TEST = NodeTest(f"{__name__}:{staged_day.__name__}", "first_day")
