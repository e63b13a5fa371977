"""What a run is asked to do, turned into a plan: which file, scenarios, agents, seed.

Whatever is wrong with the asking is said here, before anything is staged.
"""

from __future__ import annotations

import difflib
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
from trainee_bench.harness.batch.published_benchmark import (
    is_published_benchmark,
    load_published_benchmark,
)
from trainee_bench.harness.records.plan import (
    AgentConfig,
    ExecutorName,
    ModelSettings,
    PlanError,
    RunPlan,
    Transport,
    UnsupportedTask,
)
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.benchmark import (
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.catalog import UnknownRuleError, make_meta_task
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError, Modality

COMMAND_AGENT, OPENAI_AGENT = "command", "openai"
DEFAULT_AGENTS = ("oracle", "nothing")
DEFAULT_CONCURRENCY = 4
_DEFAULT_LIMITS = EpisodeLimits()


@dataclass(frozen=True)
class RunOptions:
    """The options of a run as given; None and empty stand for "as usual"."""

    config: Path | None = None
    agents: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    limit: int | None = None
    transport: Transport = Transport.MEMORY
    max_concurrency: int | None = None
    executor: ExecutorName | None = None
    workers: int | None = None
    epochs: int = 1
    seed: int | None = None
    models: Sequence[str] = ()
    npc_model: str | None = None
    api_config: Path | None = None
    commands: Sequence[str] = ()
    isolation: str | None = None
    agent_env: Sequence[str] = ()
    agent_allow: Sequence[Path] = ()
    system_prompt: str = ""
    history: str = ""
    service: str = ""
    guidance: int | None = None
    modality: Modality | None = None
    limits: EpisodeLimits = _DEFAULT_LIMITS
    allow_missing_keys: bool = False
    """Whether models may be named whose keys are not at hand, as nobody will ask them."""


@dataclass(frozen=True)
class LoadedBenchmark:
    """A benchmark as read: its name, its scenarios, and tasks that nobody can stage yet."""

    name: str
    scenarios: tuple[Scenario, ...]
    unbuilt: tuple[UnsupportedTask, ...] = ()


def build_plan(asked: RunOptions) -> RunPlan:
    """The plan that *asked* means. Raises PlanError, saying what would be right."""
    loaded = load_benchmark(asked.config, asked.seed)
    scenarios = _chosen(loaded.scenarios, asked.scenarios, asked.limit)
    wanted = {"guidance": asked.guidance, "modality": asked.modality}
    instead = {name: value for name, value in wanted.items() if value is not None}
    scenarios = tuple(scenario.model_copy(update=instead) for scenario in scenarios)
    for scenario in scenarios:
        _refuse_unknown_rules(scenario)
        _refuse_unknown_tools(scenario)
    check_apps_available(scenarios)
    executor = asked.executor or ExecutorName.ASYNC
    check_executor_available(executor, asked.workers)
    if asked.seed is not None or (asked.config is not None and asked.config.is_file()):
        _refuse_impossible(scenarios)  # what is shipped, with its own seeds, is known to be sound
    names = {scenario.name for scenario in scenarios}
    try:
        return RunPlan(
            benchmark=loaded.name,
            scenarios=scenarios,
            unbuilt=tuple(task for task in loaded.unbuilt if task.scenario in names),
            candidates=build_agent_configs(asked),
            epochs=asked.epochs,
            transport=asked.transport,
            max_concurrency=asked.max_concurrency or _default_concurrency(executor, asked.workers),
            executor=executor,
            workers=asked.workers,
            limits=asked.limits,
            backing=build_model_settings(asked),
        )
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        raise PlanError(f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}".strip(": ")) from None


def _default_concurrency(executor: ExecutorName, workers: int | None) -> int:
    """Something to do for every worker."""
    if executor is ExecutorName.ASYNC:
        return DEFAULT_CONCURRENCY
    return max(DEFAULT_CONCURRENCY, workers or available_cpus())


def build_agent_configs(asked: RunOptions) -> tuple[AgentConfig, ...]:
    """Who is to work. Raises PlanError for agents, models or parts that nobody knows."""
    made = build_command_configs(asked)
    agents = asked.agents or (
        (DEFAULT_AGENTS if not made else ()) if not asked.models else (OPENAI_AGENT,)
    )
    if COMMAND_AGENT in agents:
        raise PlanError(
            f"--agent {COMMAND_AGENT} is a program of yours: name it by --agent-command."
        )
    models = resolve_models(asked.models, asked.api_config, asked.service, asked.allow_missing_keys)
    for agent in dict.fromkeys(agents):
        thinks = _known(agent)
        if thinks and not asked.models:
            raise PlanError(f"--agent {agent} thinks with a model: name one by --model ALIAS.")
        for model in models if thinks else (None,):
            made.append(_candidate(asked, agent, model))
    if asked.models and not any(one.model for one in made):
        raise PlanError(f"--model is for an agent that thinks, such as --agent {OPENAI_AGENT}.")
    check_model_options(made, asked.system_prompt, asked.history)
    check_agents(made)
    check_prices_known(made, asked.limits, asked.api_config)
    return tuple(made)


def build_command_configs(asked: RunOptions) -> list[AgentConfig]:
    """The agents that are command lines. Raises PlanError for one that cannot be run as asked."""
    if not asked.commands:
        if asked.isolation or asked.agent_env or asked.agent_allow:
            raise PlanError(
                "--agent-isolation, --agent-env and --agent-allow are for an --agent-command."
            )
        return []
    isolation = asked.isolation or NO_ISOLATION
    if isolation not in (NO_ISOLATION, SANDBOX_ISOLATION) and not isolation.startswith(
        USER_ISOLATION_PREFIX
    ):
        raise PlanError(
            f"--agent-isolation {isolation}: give {NO_ISOLATION}, {SANDBOX_ISOLATION} or {USER_ISOLATION_PREFIX}NAME."
        )
    if asked.agent_allow and isolation != SANDBOX_ISOLATION:
        raise PlanError("--agent-allow is for --agent-isolation sandbox.")
    if asked.seed is not None and isolation.startswith(USER_ISOLATION_PREFIX):
        raise PlanError(
            "--seed can be read by every user in the list of processes: write the seed into the "
            "file that --config names, or use --agent-isolation sandbox."
        )
    if asked.limits.tokens is not None or asked.limits.cost_usd is not None:
        raise PlanError(
            "--max-tokens and --max-cost cannot be held against an --agent-command, whose model is "
            "not seen; --max-steps and --max-seconds can."
        )
    numbered = len(asked.commands) > 1
    made = [
        AgentConfig(
            name=f"{COMMAND_AGENT}-{number}" if numbered else COMMAND_AGENT,
            agent=COMMAND_AGENT,
            command=normalize_command(command),
            isolation=isolation,
            environment=tuple(asked.agent_env),
            allowed=tuple(str(path.absolute()) for path in asked.agent_allow),
        )
        for number, command in enumerate(asked.commands, 1)
    ]
    check_commands_runnable(
        made, build_model_settings(asked), [asked.config] if asked.config else []
    )
    return made


def _candidate(asked: RunOptions, agent: str, model: str | None) -> AgentConfig:
    if model is None:
        return AgentConfig(name=agent, agent=agent)
    return AgentConfig(
        name=model if agent == OPENAI_AGENT else f"{agent}-{model}",
        agent=agent,
        model=model,
        system_prompt=asked.system_prompt,
        history=asked.history,
        service=asked.service,
    )


def _known(agent: str) -> bool:
    """Whether *agent* thinks with a model. Raises PlanError if there is no such agent."""
    try:
        made = find_agent(agent)
    except UnknownAgent as error:
        raise PlanError(f"--agent {agent}: {error}") from None
    return isinstance(made, type) and issubclass(made, ModelAgent)


def build_model_settings(asked: RunOptions) -> ModelSettings:
    """What the run has to do with models. Raises PlanError for one that cannot play colleagues."""
    return ModelSettings(
        api_config=api_config_path(asked.models, asked.npc_model, asked.api_config),
        npc_model=resolve_npc_model(asked.npc_model, asked.api_config, asked.allow_missing_keys),
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


def _chosen(
    scenarios: Sequence[Scenario], names: Sequence[str], limit: int | None
) -> tuple[Scenario, ...]:
    """Those called *names*, in the file's order, at most *limit* of them."""
    known = [scenario.name for scenario in scenarios]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or known[:10]
            raise PlanError(f"--scenario {name}: there is none of that name; try {_either(near)}.")
    kept = [scenario for scenario in scenarios if not names or scenario.name in names]
    return tuple(kept[:limit])


def _refuse_unknown_rules(scenario: Scenario) -> None:
    for day in scenario.days:
        for task in day.tasks:
            try:
                make_meta_task(task.rule, task.parameters)
            except UnknownRuleError as error:
                raise PlanError(f"{scenario.name}, {day.name}: {error}") from None


def _refuse_unknown_tools(scenario: Scenario) -> None:
    """Raise PlanError for an app or a tool that is not there: leaving it out would quietly make
    another task of it."""
    apps = discover_toolboxes()
    tools = [tool.name for app in apps.values() for tool in app]
    wanted = (("app", scenario.tools or (), list(apps)), ("tool", scenario.minutes, tools))
    for what, names, there in wanted:
        for name in names:
            if name not in there:
                near = difflib.get_close_matches(name, there, n=3, cutoff=0.4) or there
                raise PlanError(
                    f"{scenario.name}: there is no {what} {name!r}: try {_either(near)}."
                )


def check_apps_available(scenarios: Sequence[Scenario]) -> None:
    """Raise PlanError if this machine lacks what an app that a scenario names needs."""
    apps = discover_toolboxes()
    for scenario in scenarios:
        for name in scenario.tools or ():
            if lacking := apps[name].missing_requirement():
                raise PlanError(f"{scenario.name}: {lacking}")


def _refuse_impossible(scenarios: Sequence[Scenario]) -> None:
    """Raise PlanError for a day whose tasks do not go together. Composing one takes 30 ms."""
    for scenario in scenarios:
        for number, day in enumerate(scenario.days):
            if not day.tasks:
                continue
            try:
                compose_day(scenario, number)
            except CompositionError as error:
                raise PlanError(f"{scenario.name}, {day.name}: {error}") from None
            except Exception:  # noqa: BLE001, S112 - a bug of a family: its episodes will tell
                continue


def _slug(text: str) -> str:
    """*text* as a name for a benchmark and its run's folder."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "benchmark"


def _either(names: Sequence[str]) -> str:
    return " or ".join(names)
