"""The proof that a node of a cluster can run episodes of a plan."""

from __future__ import annotations

from collections.abc import Iterable

import anyio
from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.session.frozen import composed_digests
from trainee_bench.harness.support.ray_cluster import NodeTest
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario
from trainee_bench.meta_tasks.task_context import CompositionError


class _Argument(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: tuple[str, ...]
    scenario: Scenario
    day: int


def node_test(specs: Iterable[EpisodeSpec]) -> NodeTest:
    """Return the test of a node for the episodes of *specs*, of which the first is staged."""
    known = list(specs)
    argument = _Argument(
        agents=tuple(dict.fromkeys(spec.agent_config.agent for spec in known)),
        scenario=known[0].scenario,
        day=known[0].day,
    )
    return NodeTest(f"{__name__}:{staged_digests.__name__}", argument.model_dump_json())


def staged_digests(argument: str) -> str:
    """Import the agents and stage the day of *argument*; return the versions and the digests.

    A day that nobody can compose has its reason in the place of the digests.
    """
    given = _Argument.model_validate_json(argument)
    for agent in given.agents:
        find_agent(agent)
    try:
        digests = anyio.run(composed_digests, composed(given.scenario, given.day))
        shown = digests.model_dump_json()
    except CompositionError as error:
        shown = str(error)
    return f"{GENERATOR_VERSION} {SCORE_VERSION} {shown}"
