"""A run in which thinking takes time: for which agents, and how that is said.

An agent whose tokens nobody reports cannot be charged for its thinking. It works beside the others
with thinking off, and the plan, the console and the report say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import AgentConfig, PlanError, RunPlan


def reports_tokens(config: AgentConfig) -> bool:
    """Return whether the agent of *config* reports the tokens of its replies. Raises
    UnknownAgent."""
    scripted = config.model in SCRIPTED_MODELS
    return not scripted and bool(getattr(find_agent(config.agent), "reports_tokens", False))


def with_reported_tokens(configs: Sequence[AgentConfig], thinking: int) -> tuple[AgentConfig, ...]:
    """Return *configs* with the record which of them report tokens, for a run in which *thinking*
    tokens take a minute. Raises PlanError if none does."""
    known = tuple(
        config.model_copy(update={"reports_tokens": reports_tokens(config)}) for config in configs
    )
    if not any(config.reports_tokens for config in known):
        names = ", ".join(config.name for config in known)
        raise PlanError(
            f"--thinking {thinking}: no agent reports the tokens of its replies ({names}), so "
            "thinking cannot take time. Name a model with --model ALIAS, or leave out --thinking."
        )
    return known


def untimed_agents(plan: RunPlan) -> tuple[str, ...]:
    """Return the agents of *plan* for which thinking takes no time, although it does in the run."""
    if plan.limits.tokens_per_minute is None:
        return ()
    return tuple(config.name for config in plan.agents if not config.reports_tokens)


def thinking_in_words(plan: RunPlan) -> str:
    """Say how much time thinking takes in the run of *plan*, and for whom it is off; "" if for
    all."""
    pace = plan.limits.tokens_per_minute
    if pace is None:
        return ""
    told = f"one minute for every {pluralize(pace, 'output token')}"
    if untimed := untimed_agents(plan):
        told += f"; off for {', '.join(untimed)}, whose tokens nobody reports"
    return told
