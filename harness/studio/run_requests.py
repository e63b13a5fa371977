"""Requests to start a run: only existing names and bounded numbers, never a command line.

StartRequest ──► RunOptions ──► RunPlan · forecast · Run
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.harness.agents.agent import Agent, ModelAgent, RepeatingAgent
from trainee_bench.harness.agents.runtime.registry import CHEATS, discover_agents
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill, NoteKeeping
from trainee_bench.harness.batch.agent_configs import COMMAND_AGENT
from trainee_bench.harness.batch.forecast import Forecast, forecast_plan, measure_workload
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import Run, create_run
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import ExecutorName, PlanError, RunPlan, Transport
from trainee_bench.harness.records.run_folder import next_run_folder
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.studio.attended_servers import AttendanceOptions
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    ModelConfig,
    load_api_config,
)
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names

Name = Annotated[str, Field(min_length=1, max_length=100)]
Names = Annotated[tuple[Name, ...], Field(max_length=60)]


class AgentKind(StrEnum):
    """The kind of an agent."""

    MODEL = "model"
    """It uses a model."""
    HONEST = "honest"
    """It works without a model, or does nothing."""
    CHEAT = "cheat"
    """It tries to score without doing the work, to show that this does not pay."""


class AgentChoice(BaseModel):
    """An agent that can be started; ``about`` describes it."""

    name: str
    about: str
    kind: AgentKind
    needs_model: bool


class ModelChoice(BaseModel):
    """A model that can be chosen by its alias; ``about`` says which model it is."""

    name: str
    about: str
    scripted: bool


class ConfigChoice(BaseModel):
    """A shipped benchmark with its scenarios and the number of episodes per agent."""

    name: str
    scenarios: tuple[str, ...]
    episodes: int


class StartChoices(BaseModel):
    """The choices that exist here. ``models_missing`` says why no model of the user can be named;
    "" if some can. ``model_choices`` describe all ``models`` and ``scripted`` ones."""

    configs: tuple[ConfigChoice, ...]
    agents: tuple[AgentChoice, ...]
    models: tuple[str, ...]
    scripted: tuple[str, ...]
    model_choices: tuple[ModelChoice, ...]
    models_missing: str
    limits: EpisodeLimits


class WorkersRequest(BaseModel):
    """Agents and models by name, their limits, and how people take part."""

    model_config = ConfigDict(extra="forbid")

    agents: Names
    models: Names = ()
    max_steps: int = Field(default=EpisodeLimits().steps, ge=1, le=10_000)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    thinking: int | None = Field(default=None, ge=1)
    attendance: AttendanceOptions = AttendanceOptions()

    def options(self) -> RunOptions:
        """Return the options that name the agents and their limits. Raises PlanError for an unknown
        name; only built-in agents are known."""
        known = [choice.name for choice in agent_choices()]
        for name in self.agents:
            if name not in known:
                raise PlanError(f"There is no agent {name!r} to start here.")
        if not self.agents:
            raise PlanError("Choose an agent.")
        return RunOptions(
            agent=list(self.agents),
            model=list(self.models) or None,
            max_steps=self.max_steps,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            max_seconds=self.max_seconds,
            thinking=self.thinking,
            transport=Transport.MEMORY,
            executor=ExecutorName.ASYNC,
        )


class StartRequest(WorkersRequest):
    """A request to run a shipped benchmark."""

    config: Name
    scenarios: Names = ()
    limit: int | None = Field(default=None, ge=1)
    epochs: int = Field(default=1, ge=1, le=100)
    guidance: int | None = Field(default=None, ge=0, le=3)
    concurrency: int = Field(default=4, ge=1, le=16)

    def plan(self, *, dry: bool = False) -> RunPlan:
        """Return the plan of the run. Raises PlanError; a *dry* plan needs no keys."""
        if self.config not in shipped_benchmark_names():
            raise PlanError(f"There is no benchmark {self.config!r}.")
        options = self.options()
        wanted = {
            "config": Path(self.config),
            "scenario": list(self.scenarios) or None,
            "limit": self.limit,
            "epochs": self.epochs,
            "guidance": self.guidance,
            "max_concurrency": self.concurrency,
            "dry_run": dry,
        }
        return build_plan(RunOptions(**{**vars(options), **wanted}))

    def create(self, home: Path) -> Run:
        """Create the run in a new folder in *home*. Raises PlanError."""
        plan = self.plan()
        home.mkdir(parents=True, exist_ok=True)
        return create_run(plan, next_run_folder(home, plan.benchmark))


def agent_choices() -> tuple[AgentChoice, ...]:
    """Return the built-in agents that need neither a command line nor a recorded run."""
    return tuple(
        AgentChoice(
            name=name,
            about=" ".join((made.__doc__ or "").split("\n\n")[0].split()).replace("`", ""),
            kind=_kind(made),
            needs_model=issubclass(made, ModelAgent),
        )
        for name, made in discover_agents().items()
        if name != COMMAND_AGENT and not issubclass(made, RepeatingAgent)
    )


def _kind(agent: type[Agent]) -> AgentKind:
    if issubclass(agent, ModelAgent):
        return AgentKind.MODEL
    return AgentKind.CHEAT if agent.__module__.startswith(CHEATS) else AgentKind.HONEST


def _model_choices(own: Mapping[str, ModelConfig]) -> tuple[ModelChoice, ...]:
    """Return the models of the user's file and the scripted ones, without addresses and keys."""
    named = [
        ModelChoice(
            name=alias, about=f"{model.model_name}, from {DEFAULT_API_CONFIG}", scripted=False
        )
        for alias, model in own.items()
    ]
    scripted = [
        ModelChoice(name=name, about=_skill_in_words(skill), scripted=True)
        for name, skill in SCRIPTED_MODELS.items()
    ]
    return (*named, *scripted)


def _skill_in_words(skill: ModelSkill) -> str:
    rights = f"right on {skill.easy:.0%} of easy and {skill.hard:.0%} of hard tasks"
    learns = {
        LearningMode.NOTHING: "",
        LearningMode.BY_RULE: "learns from feedback",
        LearningMode.BY_HEART: "learns answers by heart",
    }[skill.learning]
    notes = {
        NoteKeeping.OFFICE: "",
        NoteKeeping.MEMORY: "keeps notes in its memory",
        NoteKeeping.NOWHERE: "keeps no notes",
    }[skill.notes]
    late = "heeds news a day late" if skill.habitual else ""
    return ", ".join(filter(None, ("a script", rights, learns, notes, late)))


def start_choices() -> StartChoices:
    """Return the choices that exist here: benchmarks, agents, and models by alias."""
    configs = []
    for name in shipped_benchmark_names():
        scenarios = load_shipped_benchmark(name).scenarios
        days = sum(len(tuple(scenario.world_days)) for scenario in scenarios)
        named = tuple(scenario.name for scenario in scenarios)
        configs.append(ConfigChoice(name=name, scenarios=named, episodes=days))
    try:
        own, missing = load_api_config(), ""
    except ApiConfigError as error:
        own, missing = {}, str(error)
    return StartChoices(
        configs=tuple(configs),
        agents=agent_choices(),
        models=tuple(own),
        scripted=tuple(SCRIPTED_MODELS),
        model_choices=_model_choices(own),
        models_missing=missing,
        limits=EpisodeLimits(),
    )


async def forecast(plan: RunPlan) -> list[Forecast]:
    """Return the forecast of each agent of *plan*. The oracle works some of the days for it, on a
    separate thread."""
    return await run_sync(lambda: forecast_plan(plan, anyio.run(measure_workload, plan)))
