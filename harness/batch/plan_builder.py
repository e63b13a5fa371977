"""The plan of a new run, from its options.

RunOptions ──load benchmark, select scenarios, name agents──► RunPlan ──validate──► RunPlan
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.agents.runtime.runner import forgets
from trainee_bench.harness.batch.agent_configs import build_agent_configs, build_model_settings
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.batch.executors.factory import available_cpus
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.validation import composition_flaw, validate_plan
from trainee_bench.harness.certification.badges import badge_of
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import (
    AgentConfig,
    ExecutorName,
    PlanError,
    RefusedScenario,
    RunPlan,
    UnsupportedTask,
)
from trainee_bench.harness.records.plan_part import PlanPart
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.errors import first_flaw

DEFAULT_CONCURRENCY = 4


def build_plan(options: RunOptions) -> RunPlan:
    """Return the validated plan of a new run. Raises PlanError with what to change."""
    benchmark = load_benchmark(options.config, options.seed)
    scenarios, refused = _composable(benchmark, options)
    names = {scenario.name for scenario in scenarios}
    return plan_of(
        benchmark.name,
        scenarios,
        options,
        unsupported=tuple(task for task in benchmark.unsupported if task.scenario in names),
        refused=refused,
    )


def plan_of(
    name: str,
    scenarios: Sequence[Scenario],
    options: RunOptions,
    *,
    unsupported: Sequence[UnsupportedTask] = (),
    refused: Sequence[RefusedScenario] = (),
    climb: Climb | None = None,
) -> RunPlan:
    """Return the validated plan of a run on *scenarios* of the benchmark *name*.

    *unsupported* and *refused* are those of its tasks and scenarios that cannot be run. Raises
    PlanError with what to change.
    """
    agents = build_agent_configs(options)
    executor = options.executor or _default_executor(agents, options.epochs)
    apart = any(agent.runs_as_other_user for agent in agents)
    concurrency = 1 if apart else default_concurrency(executor, options.workers)
    try:
        plan = RunPlan(
            benchmark=name,
            scenarios=tuple(scenarios),
            unsupported=tuple(unsupported),
            refused=tuple(refused),
            agents=agents,
            epochs=options.epochs,
            transport=options.transport,
            max_concurrency=options.max_concurrency or concurrency,
            executor=executor,
            workers=options.workers,
            limits=options.limits,
            model_settings=build_model_settings(options),
            part=_part(options.part),
            badges=badges_of(scenarios),
            climb=climb,
        )
    except ValidationError as error:
        where, flaw = first_flaw(error)
        message = flaw.removeprefix("Value error, ")  # what pydantic adds to our own text
        raise PlanError(f"{where}: {message}".strip(": ")) from None
    seed_files = [options.config] if options.config else []
    validate_plan(plan, seed_files=seed_files, need_keys=not options.dry_run)
    return plan


def badges_of(scenarios: Sequence[Scenario]) -> dict[str, str]:
    """Return the badges of the own offices' rules on these days, by rule."""
    rules = {task.rule for scenario in scenarios for day in scenario.days for task in day.tasks}
    badges = {rule: badge_of(rule) for rule in sorted(rules)}
    return {rule: badge for rule, badge in badges.items() if badge}


def _part(text: str | None) -> PlanPart | None:
    try:
        return None if text is None else PlanPart.parse(text)
    except ValueError as error:
        raise PlanError(f"--part: {error}.") from None


def _composable(
    benchmark: LoadedBenchmark, options: RunOptions
) -> tuple[tuple[Scenario, ...], tuple[RefusedScenario, ...]]:
    """Return the scenarios that *options* name and that can be composed, and those that cannot.

    Raises PlanError if there are none, or if one that is named cannot be composed.
    """
    wanted = options.scenario or ()
    refused = [s for s in benchmark.refused if s.name in wanted or not wanted]
    if wanted and refused:
        raise PlanError(refused[0].reason)
    selected = select_scenarios(benchmark.scenarios, options) if benchmark.scenarios else ()
    if _may_not_compose(options.config, options.seed):
        flaws = {scenario.name: composition_flaw(scenario) for scenario in selected}
        refused += [
            RefusedScenario(name=name, reason=flaw)
            for name, flaw in flaws.items()
            if flaw is not None
        ]
        selected = tuple(s for s in selected if flaws[s.name] is None)
    if not selected and refused:
        raise PlanError(refused[0].reason)
    return selected, tuple(refused)


def select_scenarios(scenarios: Sequence[Scenario], options: RunOptions) -> tuple[Scenario, ...]:
    """Return the scenarios that *options* name, in the file's order, with guidance, modality and
    the question how sure agents are.

    Raises PlanError for a name that no scenario has.
    """
    known = [scenario.name for scenario in scenarios]
    wanted = options.scenario or ()
    for name in wanted:
        if name not in known:
            near = suggest_names(name, known, known[:10])
            raise PlanError(f"--scenario {name}: no scenario has that name; try {near}.")
    selected = [scenario for scenario in scenarios if not wanted or scenario.name in wanted]
    given = {"guidance": options.guidance, "modality": options.modality}
    changes = {name: value for name, value in given.items() if value is not None}
    variants = ASKING_CONFIDENCE if options.ask_confidence else {}
    chosen = selected[: options.limit]
    return tuple(s.model_copy(update=changes).with_variants(variants) for s in chosen)


def _default_executor(agents: Sequence[AgentConfig], epochs: int) -> ExecutorName:
    """Return async, unless it would work a day several times with code that may remember it."""
    remembering = any(agent.command is None and not forgets(agent) for agent in agents)
    return ExecutorName.PROCESSES if remembering and epochs > 1 else ExecutorName.ASYNC


def default_concurrency(executor: ExecutorName, workers: int | None) -> int:
    """Return how many episodes run at the same time: enough for every worker to have one."""
    if executor is ExecutorName.ASYNC:
        return DEFAULT_CONCURRENCY
    return max(DEFAULT_CONCURRENCY, workers or available_cpus())


def _may_not_compose(config: Path | None, seed: int | None) -> bool:
    """Whether a scenario may fail to compose. Shipped benchmarks with their own seeds never do.

    Checking takes 30 ms a day.
    """
    return seed is not None or (config is not None and config.is_file())
