"""The agents and models of a plan, from the options of a run.

Contradictory options are refused here. ``validation.py`` checks whether agents, models, keys and
programs are available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainee_bench.harness.agents.agent import ModelAgent, RepeatingAgent, UnknownAgent
from trainee_bench.harness.agents.external.command_line import normalize_command
from trainee_bench.harness.agents.external.isolation import NO_ISOLATION, SANDBOX_ISOLATION
from trainee_bench.harness.agents.llm.model_selection import api_config_path, expand_aliases
from trainee_bench.harness.agents.repeatable_days import find_recording
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.thinking import with_reported_tokens
from trainee_bench.harness.records.plan import (
    USER_ISOLATION_PREFIX,
    AgentConfig,
    ModelSettings,
    PlanError,
    RunPlan,
)
from trainee_bench.harness.support.plugin_loader import is_plugin_name
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.meta_tasks.benchmark import QUICKSTART

COMMAND_AGENT, OPENAI_AGENT = "command", "openai"
DEFAULT_AGENTS, DEFAULT_MODELS = ("oracle", "sprayer"), ("scripted-fair",)
"""The default agents and models: one does everything right, one errs, one only looks busy."""


def build_agent_configs(options: RunOptions) -> tuple[AgentConfig, ...]:
    """Return the agents that *options* name: commands, agents and models.

    The defaults are `DEFAULT_AGENTS` and `DEFAULT_MODELS`. Raises PlanError for an unknown agent
    and for options that contradict each other, such as --thinking for agents without tokens.
    """
    configs = build_command_configs(options)
    models = expand_aliases(options.model or ())
    if not models:
        _check_no_model_options(options)
    if options.record_tokens:
        _check_tokens_can_be_recorded(options, models)
    repeating, agents = _split_repeating(options.agent or [])
    configs += _repeating_configs(repeating)
    if not (agents or models or configs):
        agents, models = [*DEFAULT_AGENTS], DEFAULT_MODELS
    if COMMAND_AGENT in agents:
        raise PlanError(f"--agent {COMMAND_AGENT} needs a program: use --agent-command instead.")
    for agent in _with_models_own(agents, models):
        needs_model = _needs_model(agent)
        if needs_model and not models:
            raise PlanError(f"--agent {agent} needs a model: name one with --model ALIAS.")
        for model in models if needs_model else (None,):
            configs.append(_agent_config(options, agent, model))
    if options.thinking is not None:
        return with_reported_tokens(configs, options.thinking)
    return tuple(configs)


def _split_repeating(agents: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return those of *agents* that repeat a recorded run, such as rote:FOLDER, and the others."""
    kinds = {name for name, made in discover_agents().items() if issubclass(made, RepeatingAgent)}
    repeating = [agent for agent in agents if agent.partition(":")[0] in kinds]
    return repeating, [agent for agent in agents if agent not in repeating]


def _repeating_configs(agents: Sequence[str]) -> Iterator[AgentConfig]:
    """Yield the agents that repeat recorded runs; several of a kind are numbered.

    Raises PlanError for a run that is not there or has no finished day.
    """
    named = [agent.partition(":") for agent in dict.fromkeys(agents)]
    kinds, places = Counter(kind for kind, _, _ in named), Counter[str]()
    for kind, _, source in named:
        if not source:
            raise PlanError(f"--agent {kind} needs a recorded run: use --agent {kind}:FOLDER.")
        places[kind] += 1
        name = f"{kind}-{places[kind]}" if kinds[kind] > 1 else kind
        yield AgentConfig(name=name, agent=kind, recording=find_recording(Path(source)))


def _with_models_own(agents: Sequence[str], models: Sequence[str]) -> tuple[str, ...]:
    """Return *agents*, each once, with `OPENAI_AGENT` added if none of them would use the
    *models*."""
    named = tuple(dict.fromkeys(agents))
    if not models or any(map(_needs_model, named)):
        return named
    return (*named, OPENAI_AGENT)


def _needs_model(agent: str) -> bool:
    """Whether *agent* needs a model. Raises PlanError if there is no such agent."""
    try:
        factory = find_agent(agent)
    except UnknownAgent as error:
        raise PlanError(f"--agent {agent}: {error}") from None
    return isinstance(factory, type) and issubclass(factory, ModelAgent)


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
        record_tokens=options.record_tokens,
    )


def _check_tokens_can_be_recorded(options: RunOptions, models: Sequence[str]) -> None:
    """Raise PlanError unless all *models* can return their tokens."""
    if not models:
        raise PlanError("--record-tokens needs a model on a server: name one with --model ALIAS.")
    if scripted := [model for model in models if model in SCRIPTED_MODELS]:
        raise PlanError(f"--record-tokens: {scripted[0]} is scripted and has no tokens.")
    if is_plugin_name(options.service):
        raise PlanError(
            f"--record-tokens asks the built-in services. {options.service} is your own: let its "
            "replies have tokens (Thought.tokens), which are then recorded without this option."
        )


def _check_no_model_options(options: RunOptions) -> None:
    """Raise PlanError for an option that only agents with a model have."""
    if options.service:
        raise PlanError(f"--service {options.service} needs a model: name one with --model ALIAS.")
    given = (("--system-prompt", options.system_prompt), ("--history", options.history))
    for option, value in given:
        if value:
            raise PlanError(
                f"{option} {value} needs an agent with a model: name one with --model ALIAS."
            )


def build_command_configs(options: RunOptions) -> list[AgentConfig]:
    """Return the agents that are command lines.

    Raises PlanError for a command line that cannot be run and for options that contradict each
    other.
    """
    commands = options.agent_command or []
    if not commands:
        if (
            options.agent_isolation
            or options.agent_env
            or options.agent_allow
            or options.agent_results
        ):
            raise PlanError(
                "--agent-isolation, --agent-env, --agent-allow and --agent-results need an "
                "--agent-command."
            )
        return []
    isolation = options.agent_isolation or NO_ISOLATION
    _check_command_options(options, isolation)
    return [
        AgentConfig(
            name=f"{COMMAND_AGENT}-{number}" if len(commands) > 1 else COMMAND_AGENT,
            agent=COMMAND_AGENT,
            command=normalize_command(command),
            isolation=isolation,
            environment=tuple(options.agent_env or ()),
            allowed=tuple(str(path.absolute()) for path in options.agent_allow or ()),
            results=options.agent_results or ResultView.TEXT,
        )
        for number, command in enumerate(commands, 1)
    ]


def _check_command_options(options: RunOptions, isolation: str) -> None:
    """Raise PlanError for options that do not work for a command under *isolation*."""
    other_user = isolation.startswith(USER_ISOLATION_PREFIX)
    if isolation not in (NO_ISOLATION, SANDBOX_ISOLATION) and not other_user:
        raise PlanError(
            f"--agent-isolation {isolation}: use {NO_ISOLATION}, {SANDBOX_ISOLATION} or "
            f"{USER_ISOLATION_PREFIX}NAME."
        )
    if options.agent_allow and isolation != SANDBOX_ISOLATION:
        raise PlanError("--agent-allow needs --agent-isolation sandbox.")
    if options.seed is not None and other_user:
        raise PlanError(
            "--seed can be read by every user in the list of processes: write the seed into the "
            "file that --config names, or use --agent-isolation sandbox."
        )
    if options.max_tokens is not None or options.max_cost is not None:
        raise PlanError(
            "--max-tokens and --max-cost cannot limit an --agent-command, because its model's "
            "usage is not visible; use --max-steps and --max-seconds."
        )


def build_model_settings(options: RunOptions) -> ModelSettings:
    """Return where the run's models are defined, and which model plays the colleagues."""
    return ModelSettings(
        api_config=api_config_path(options.model or (), options.npc_model, options.api_config),
        npc_model=options.npc_model,
    )


def is_quick_start(plan: RunPlan) -> bool:
    """Whether nobody named the benchmark and agents of *plan*.

    The plan decides, not the command line, so that a resumed run counts as one, too.
    """
    named = (plan.benchmark, {agent.name for agent in plan.agents})
    return named == (QUICKSTART, {*DEFAULT_AGENTS, *DEFAULT_MODELS})
