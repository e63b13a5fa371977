"""Everything that a result's score depends on, from the EpisodeSpec of its episode alone.

It is determined before any of the agent's code runs, so no agent can change what its result says.
Anybody who has the plan can determine it again.
"""

from __future__ import annotations

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.episodes.npcs import npc_brain
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import ResultIdentity
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.sandbox.detection import find_sandbox
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

TERMINAL_APP = "terminal"
INSIDER = "insider"
"""The isolation of agents that know secrets of the day."""


def episode_limits(spec: EpisodeSpec) -> EpisodeLimits:
    """Return the limits of *spec*, or those that its built-in agent sets itself.

    Thinking takes no time for an agent that does not report its tokens.
    """
    built_in = discover_agents().get(spec.agent_config.agent)
    own: dict[str, int | None] = {}
    if built_in is not None:
        own = {"steps": built_in.steps, "calls_per_turn": built_in.calls_per_turn}
    known = {name: limit for name, limit in own.items() if limit is not None}
    pace = spec.limits.tokens_per_minute if spec.agent_config.reports_tokens else None
    return spec.limits.model_copy(update={**known, "tokens_per_minute": pace})


def is_insider(spec: EpisodeSpec) -> bool:
    """Whether the agent of *spec* knows secrets of the day. Imports a user's own module."""
    made = find_agent(spec.agent_config.agent)
    privileged = isinstance(made, type) and issubclass(made, PrivilegedAgent)
    return privileged or spec.agent_config.model in SCRIPTED_MODELS


def result_identity(
    spec: EpisodeSpec, *, insider: bool, frozen: FrozenDigests | None
) -> ResultIdentity:
    """The identity of a result of *spec*, worked on this machine, perhaps by an *insider*.
    *frozen* are the digests of its morning.

    Raises PlanError if the model that plays the colleagues is not defined here.
    """
    isolation = INSIDER if insider else spec.agent_config.isolation.partition(":")[0]
    tools = offered_apps(spec)
    sandbox = find_sandbox().sandbox if TERMINAL_APP in tools else None
    return ResultIdentity(
        score_version=SCORE_VERSION,
        generator=GENERATOR_VERSION,
        tools=tools,
        npc_brain=npc_brain(spec.model_settings),
        modality=spec.scenario.modality,
        limits=episode_limits(spec),
        guidance=spec.scenario.guidance,
        isolation=isolation,
        sandbox=sandbox.kind if sandbox else None,
        results=spec.agent_config.result_view,
        frozen=frozen,
        office=spec.scenario.office,
    )


def offered_apps(spec: EpisodeSpec) -> tuple[str, ...]:
    """Return the names of the apps that the day of *spec* offers, sorted."""
    named = spec.scenario.tools
    return tuple(sorted(default_toolboxes() if named is None else named))
