"""The quick start: what ``trainee-bench run`` does without arguments."""

from __future__ import annotations

from trainee_bench.harness.batch.agent_configs import DEFAULT_AGENTS, DEFAULT_MODELS
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.meta_tasks.benchmark import QUICKSTART


def is_quick_start(plan: RunPlan) -> bool:
    """Whether *plan* is that of a run whose benchmark and agents nobody named.

    The plan tells it, and not the command line, so that a resumed run is one, too.
    """
    named = (plan.benchmark, {agent.name for agent in plan.agents})
    return named == (QUICKSTART, {*DEFAULT_AGENTS, *DEFAULT_MODELS})
