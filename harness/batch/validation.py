"""Checks of a plan before anything is staged, for new and resumed runs alike."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from trainee_bench.harness.agents.agent import ModelAgent, RepeatingAgent, UnknownAgent
from trainee_bench.harness.agents.external.isolation_checks import check_commands_runnable
from trainee_bench.harness.agents.llm.model_selection import (
    check_models,
    check_npc_model,
    check_prices_known,
)
from trainee_bench.harness.agents.person import PersonAgent
from trainee_bench.harness.agents.repeatable_days import check_recording
from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.batch.executors.factory import check_executor_available
from trainee_bench.harness.batch.tool_names import check_tool_names
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError, RunPlan
from trainee_bench.mcp_servers import UnknownApp, select_toolboxes
from trainee_bench.meta_tasks.catalog import UnknownRuleError, make_meta_task
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.offices.opened import OfficeUnavailable, open_folders, resolve_office
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError

LOGGER = logging.getLogger(__name__)


def validate_plan(
    plan: RunPlan,
    *,
    pending: Sequence[EpisodeSpec] | None = None,
    seed_files: Sequence[Path] = (),
    need_keys: bool = True,
) -> None:
    """Raise PlanError, with what to change, if *plan* cannot be executed on this machine.

    *pending* are the episodes still to run, by default all. Only their models need definitions and,
    with *need_keys*, keys. *seed_files* are files that agents must not read because they contain
    seeds, as they must not read the folders of own offices, which contain answers.
    """
    check_rules(plan)
    for scenario in plan.scenarios:
        check_tool_names(scenario)
    check_apps_available(plan)
    check_executor_available(plan.executor, plan.workers)
    check_agents(plan)
    check_users_apart(plan, plan.max_concurrency)
    secret = [*seed_files, *(Path(folder, "office.yaml") for folder in open_folders())]
    check_commands_runnable(plan.agents, plan.model_settings, secret)
    check_plan_models(plan, pending, need_keys)
    if pending is None:  # a resumed run was checked when it was planned
        check_prices_known(plan.agents, plan.limits, _api_config(plan))


def validate_person_plan(plan: RunPlan) -> None:
    """Raise PlanError if this machine lacks something for a day that a person works."""
    check_rules(plan)
    for scenario in plan.scenarios:
        check_tool_names(scenario)
    check_apps_available(plan)


def check_rules(plan: RunPlan) -> None:
    """Raise PlanError for a rule or a parameter that does not exist, and for an own office that is
    not open or has changed since the plan was made."""
    for scenario in plan.scenarios:
        try:
            resolve_office(scenario)
        except OfficeUnavailable as error:
            raise PlanError(str(error)) from None
        for day in scenario.days:
            for task in day.tasks:
                try:
                    make_meta_task(task.rule, task.parameters)
                except UnknownRuleError as error:
                    raise PlanError(f"{scenario.name}, {day.name}: {error}") from None


def check_apps_available(plan: RunPlan) -> None:
    """Raise PlanError if this machine lacks what an app of a scenario needs."""
    for scenario in plan.scenarios:
        if scenario.tools is None:
            continue
        try:
            toolboxes = select_toolboxes(scenario.tools)
        except UnknownApp as error:
            raise PlanError(f"{scenario.name}: {error}") from None
        for toolbox in toolboxes.values():
            if lacking := toolbox.missing_requirement():
                raise PlanError(f"{scenario.name}: {lacking}")


def check_agents(plan: RunPlan) -> None:
    """Raise PlanError for an agent or a component that does not exist, and for a person.

    It does so, too, for a recorded run that is missing or has changed. Nobody would make a person's
    calls in a run.
    """
    for config in plan.agents:
        if config.agent == PersonAgent.name:
            raise PlanError(
                "A person works a day in trainee-bench studio or trainee-bench play; in a run "
                "nobody would make the calls. trainee-bench play --resume RUN continues a day that "
                "a person left."
            )
        try:
            factory = find_agent(config.agent)
            if isinstance(factory, type) and issubclass(factory, ModelAgent):
                factory.from_config(config)
        except UnknownAgent as error:
            raise PlanError(str(error)) from None
        if config.recording is not None:
            check_recording(config.recording)
        elif isinstance(factory, type) and issubclass(factory, RepeatingAgent):
            raise PlanError(factory.needs_run())


def check_users_apart(plan: RunPlan, concurrency: int) -> None:
    """Raise PlanError if commands of another user would run at the same time.

    Each could read the other's address and token, and work its day.
    """
    for agent in plan.agents:
        if agent.runs_as_other_user and concurrency > 1:
            raise PlanError(
                f"--agent-isolation {agent.isolation}: programs of one user that run at the same "
                "time can read each other's address. Leave --max-concurrency out, or use "
                "--agent-isolation sandbox."
            )


def check_plan_models(
    plan: RunPlan, pending: Sequence[EpisodeSpec] | None, need_keys: bool
) -> None:
    """Raise PlanError for a model of a *pending* episode (None: any episode) that is not
    available."""
    agents = plan.agents if pending is None else [spec.agent_config for spec in pending]
    api_config = _api_config(plan)
    check_models([agent for agent in agents if agent.model], api_config, need_keys)
    if pending is None or pending:
        check_npc_model(plan.model_settings.npc_model, api_config, need_keys)


def composition_flaw(scenario: Scenario) -> str | None:
    """Return why a day of *scenario* cannot be composed; None if all can.

    Any other exception of a family is a bug. It is logged and breaks only the episodes of its own
    days, when they are run.
    """
    for number in scenario.world_days:
        day = scenario.days[number]
        if not any(scenario.days[n].tasks for n in scenario.days_in_world(number)):
            continue
        try:
            composed(scenario, number)
        except (CompositionError, UnknownRuleError) as error:
            return f"{scenario.name}, {day.name}: {error}"
        except Exception as bug:  # noqa: BLE001 - anything a family may raise
            LOGGER.warning("%s, %s cannot be staged: %r", scenario.name, day.name, bug)
    return None


def _api_config(plan: RunPlan) -> Path | None:
    return Path(plan.model_settings.api_config) if plan.model_settings.api_config else None
