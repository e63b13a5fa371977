"""A run from its plan to its results."""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.agents.external.isolation_checks import (
    check_commands_runnable,
    check_run_hidden,
)
from trainee_bench.harness.agents.llm.model_selection import resolve_models, resolve_npc_model
from trainee_bench.harness.agents.runtime.validation import check_agents
from trainee_bench.harness.batch.batch_runner import pending_sequences
from trainee_bench.harness.batch.executors.factory import check_executor_available
from trainee_bench.harness.batch.plan_builder import check_apps_available
from trainee_bench.harness.records.plan import ExecutorName, RunPlan
from trainee_bench.harness.records.run_folder import RunFolder


def resume_plan(folder: RunFolder, executor: ExecutorName | None, workers: int | None) -> RunPlan:
    """The plan of a run that is to go on, by *executor* if one is named.

    Raises PlanError for whatever is not at hand (any more) that it needs, ResultFileError.
    """
    plan = folder.plan()
    check_apps_available(plan.scenarios)
    check_agents(plan.candidates)
    check_commands_runnable(plan.candidates, plan.backing)
    _refuse_unserved(plan, folder)
    plan = with_executor(plan, executor, workers)
    check_run_hidden(folder.path, plan)
    return plan


def _refuse_unserved(plan: RunPlan, folder: RunFolder) -> None:
    """Raise PlanError if a model that is still to be asked is not described or has no key."""
    done = {result.episode for result in folder.ledger.read() if result.error is None}
    orders = [order for course in pending_sequences(plan, done) for order in course]
    described = Path(plan.backing.api_config) if plan.backing.api_config else None
    resolve_models([order.candidate.model for order in orders if order.candidate.model], described)
    if orders:
        resolve_npc_model(plan.backing.npc_model, described)


def with_executor(plan: RunPlan, executor: ExecutorName | None, workers: int | None) -> RunPlan:
    """*plan* carried out by another executor, where one is named. Raises PlanError."""
    name = executor or plan.executor
    kept = plan.workers if name is plan.executor else None
    check_executor_available(name, workers or kept)
    return plan.model_copy(update={"executor": name, "workers": workers or kept})
