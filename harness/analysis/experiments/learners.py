"""Agents that learn, as experiments call them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from trainee_bench.harness.records.plan import AgentConfig, PlanError, RunPlan

LEARNER = "learner"


def named_agents(agents: Sequence[AgentConfig]) -> list[tuple[str, AgentConfig]]:
    """The agents by name: their models' names where all are learners."""
    learners = all(one.agent == LEARNER for one in agents)
    return [((learners and one.model) or one.name, one) for one in agents]


def with_agents(plan: RunPlan, agents: Sequence[AgentConfig]) -> RunPlan:
    """The same plan with other agents. Raises PlanError if they cannot be told apart."""
    try:
        return RunPlan.model_validate(plan.model_dump() | {"agents": list(agents)})
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        raise PlanError(flaw["msg"]) from None
