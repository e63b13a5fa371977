"""From the options of a run to its plan: benchmark, scenarios, agents, models.

Every mistake in the options is reported here, before anything is staged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trainee_bench.harness.agents.agent import ModelAgent, UnknownAgent
from trainee_bench.harness.agents.external.command_line import normalize_command
from trainee_bench.harness.agents.external.isolation import (
    NO_ISOLATION,
    SANDBOX_ISOLATION,
    USER_ISOLATION_PREFIX,
)
from trainee_bench.harness.agents.external.isolation_checks import check_commands_runnable
from trainee_bench.harness.agents.llm.model_selection import (
    api_config_path,
    resolve_models,
    resolve_npc_model,
)
from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.agents.runtime.validation import (
    check_agents,
    check_model_options,
    check_prices_known,
)
from trainee_bench.harness.batch.executors.factory import available_cpus, check_executor_available
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.published_benchmark import (
    is_published_benchmark,
    load_published_benchmark,
)
from trainee_bench.harness.batch.validation import check_scenarios, similar
from trainee_bench.harness.records.plan import (
    AgentConfig,
    ExecutorName,
    ModelSettings,
    PlanError,
    RunPlan,
    UnsupportedTask,
)
from trainee_bench.meta_tasks.benchmark import (
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.scenario import Scenario

COMMAND_AGENT, OPENAI_AGENT = "command", "openai"
DEFAULT_AGENTS = ("oracle", "nothing")
DEFAULT_CONCURRENCY = 4


@dataclass(frozen=True)
class LoadedBenchmark:
    """A benchmark as read: its name, its scenarios, and tasks that nobody can stage yet."""

    name: str
    scenarios: tuple[Scenario, ...]
    unbuilt: tuple[UnsupportedTask, ...] = ()


def build_plan(options: RunOptions) -> RunPlan:
    """The plan that *options* mean. Raises PlanError, saying what would be right."""
    benchmark = load_benchmark(options.config, options.seed)
    scenarios = _select_scenarios(benchmark.scenarios, options)
    # Shipped days with their own seeds are known to compose.
    own = options.seed is not None or (options.config is not None and options.config.is_file())
    check_scenarios(scenarios, composable=own)
    executor = options.executor or ExecutorName.ASYNC
    check_executor_available(executor, options.workers)
    names = {scenario.name for scenario in scenarios}
    try:
        return RunPlan(
            benchmark=benchmark.name,
            scenarios=scenarios,
            unbuilt=tuple(task for task in benchmark.unbuilt if task.scenario in names),
            candidates=build_agent_configs(options),
            epochs=options.epochs,
            transport=options.transport,
            max_concurrency=options.max_concurrency
            or _default_concurrency(executor, options.workers),
            executor=executor,
            workers=options.workers,
            limits=options.limits,
            backing=build_model_settings(options),
        )
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        raise PlanError(f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}".strip(": ")) from None


def _default_concurrency(executor: ExecutorName, workers: int | None) -> int:
    """Something to do for every worker."""
    if executor is ExecutorName.ASYNC:
        return DEFAULT_CONCURRENCY
    return max(DEFAULT_CONCURRENCY, workers or available_cpus())


def build_agent_configs(options: RunOptions) -> tuple[AgentConfig, ...]:
    """The agents of a run. Raises PlanError for unknown agents, models or components."""
    configs = build_command_configs(options)
    models = options.model or ()
    aliases = resolve_models(models, options.api_config, options.service, options.dry_run)
    for agent in dict.fromkeys(options.agent or _default_agents(options)):
        if agent == COMMAND_AGENT:
            raise PlanError(f"Name the program of --agent {COMMAND_AGENT} by --agent-command.")
        uses_model = _uses_model(agent)
        if uses_model and not models:
            raise PlanError(f"--agent {agent} needs a model: name one by --model ALIAS.")
        for alias in aliases if uses_model else (None,):
            configs.append(_agent_config(options, agent, alias))
    if models and not any(config.model for config in configs):
        raise PlanError(f"--model needs an agent that uses models, such as --agent {OPENAI_AGENT}.")
    check_model_options(configs, options.system_prompt, options.history)
    check_agents(configs)
    check_prices_known(configs, options.limits, options.api_config)
    return tuple(configs)


def _default_agents(options: RunOptions) -> Sequence[str]:
    if options.model:
        return (OPENAI_AGENT,)
    return () if options.agent_command else DEFAULT_AGENTS


def build_command_configs(options: RunOptions) -> list[AgentConfig]:
    """The external agents. Raises PlanError for a command that cannot be run as the options say."""
    commands, isolation = options.agent_command or (), options.agent_isolation or NO_ISOLATION
    _check_command_options(options, isolation)
    numbered = len(commands) > 1
    configs = [
        AgentConfig(
            name=f"{COMMAND_AGENT}-{number}" if numbered else COMMAND_AGENT,
            agent=COMMAND_AGENT,
            command=normalize_command(command),
            isolation=isolation,
            environment=tuple(options.agent_env or ()),
            allowed=tuple(str(path.absolute()) for path in options.agent_allow or ()),
        )
        for number, command in enumerate(commands, 1)
    ]
    if configs:
        secret_files = [options.config] if options.config else []
        check_commands_runnable(configs, build_model_settings(options), secret_files)
    return configs


def _check_command_options(options: RunOptions, isolation: str) -> None:
    """Raise PlanError for options that an external agent lacks or cannot be held to."""
    if not options.agent_command:
        if options.agent_isolation or options.agent_env or options.agent_allow:
            raise PlanError(
                "--agent-isolation, --agent-env and --agent-allow need an --agent-command."
            )
        return
    as_user = isolation.startswith(USER_ISOLATION_PREFIX)
    if isolation not in (NO_ISOLATION, SANDBOX_ISOLATION) and not as_user:
        raise PlanError(
            f"--agent-isolation {isolation}: give {NO_ISOLATION}, {SANDBOX_ISOLATION} or "
            f"{USER_ISOLATION_PREFIX}NAME."
        )
    if options.agent_allow and isolation != SANDBOX_ISOLATION:
        raise PlanError("--agent-allow needs --agent-isolation sandbox.")
    if options.seed is not None and as_user:
        raise PlanError(
            "--seed can be read by every user in the list of processes: write the seed into the "
            "file that --config names, or use --agent-isolation sandbox."
        )
    if options.max_tokens is not None or options.max_cost is not None:
        raise PlanError(
            "--max-tokens and --max-cost cannot limit an --agent-command, because its model calls "
            "are not visible; use --max-steps and --max-seconds."
        )


def _agent_config(options: RunOptions, agent: str, model: str | None) -> AgentConfig:
    if model is None:
        return AgentConfig(name=agent, agent=agent)
    return AgentConfig(
        name=model if agent == OPENAI_AGENT else f"{agent}-{model}",
        agent=agent,
        model=model,
        system_prompt=options.system_prompt,
        history=options.history,
        service=options.service,
    )


def _uses_model(agent: str) -> bool:
    """Whether *agent* calls a model. Raises PlanError if there is no such agent."""
    try:
        found = find_agent(agent)
    except UnknownAgent as error:
        raise PlanError(f"--agent {agent}: {error}") from None
    return isinstance(found, type) and issubclass(found, ModelAgent)


def build_model_settings(options: RunOptions) -> ModelSettings:
    """The run's models file and colleagues' model. Raises PlanError if the latter cannot be used."""
    return ModelSettings(
        api_config=api_config_path(options.model or (), options.npc_model, options.api_config),
        npc_model=resolve_npc_model(options.npc_model, options.api_config, options.dry_run),
    )


def load_benchmark(config: Path | None, seed: int | None) -> LoadedBenchmark:
    """The benchmark in the file *config* (ours or the original's), else the quickstart.

    *seed* replaces the seeds of the scenarios. A name without a file may be that of a shipped
    benchmark. Raises PlanError.
    """
    try:
        if config is None:
            return _ours(load_shipped_benchmark().model_dump_json(), seed)
        if not config.is_file():
            return _shipped(config, seed)
        text = config.read_text(encoding="utf-8")
        document: JsonValue = json.loads(text)
        if is_published_benchmark(document):
            scenarios, unbuilt = load_published_benchmark(document, seed or 0)
            return LoadedBenchmark(_slug(config.stem), scenarios, unbuilt)
        return _ours(text, seed)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise PlanError(f"--config {config} cannot be read as JSON: {error}") from None
    except BenchmarkError as error:
        raise PlanError(f"--config {config}: {error}") from None


def _shipped(config: Path, seed: int | None) -> LoadedBenchmark:
    if str(config) not in shipped_benchmark_names():
        raise PlanError(
            f"--config {config}: there is no such file. Shipped with the program are: "
            f"{', '.join(shipped_benchmark_names())}."
        )
    return _ours(load_shipped_benchmark(str(config)).model_dump_json(), seed)


def _ours(text: str, seed: int | None) -> LoadedBenchmark:
    benchmark = parse_benchmark(text)
    scenarios = benchmark.scenarios
    if seed is not None:
        scenarios = tuple(s.model_copy(update={"seed": seed}) for s in scenarios)
    return LoadedBenchmark(benchmark.name, scenarios)


def _select_scenarios(scenarios: Sequence[Scenario], options: RunOptions) -> tuple[Scenario, ...]:
    """The scenarios that *options* name, in the file's order, with their guidance and modality."""
    known = [scenario.name for scenario in scenarios]
    names = options.scenario or ()
    for name in names:
        if name not in known:
            raise PlanError(f"--scenario {name}: there is none; try {similar(name, known)}.")
    kept = [scenario for scenario in scenarios if not names or scenario.name in names]
    overrides = {"guidance": options.guidance, "modality": options.modality}
    given = {name: value for name, value in overrides.items() if value is not None}
    return tuple(scenario.model_copy(update=given) for scenario in kept[: options.limit])


def _slug(text: str) -> str:
    """*text* as a name for a benchmark and its run's folder."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "benchmark"
