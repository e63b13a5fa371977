"""What a run is to do: which agents, on which days, how often, under which limits.

    Plan (run.json) ──orders()──► Order, Order, …: one agent, one day, one attempt

A plan is recorded whole in the run's folder, so that a resumed run is the same run. An
order says everything about its episode; whoever executes it needs nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from trainee_bench.harness.records.scenario_matching import match_scenarios
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario

SCHEMA_VERSION = 2
"""Raised whenever run.json or results.jsonl change their layout."""


USER_ISOLATION_PREFIX = "user:"
"""What the isolation of a command begins with that runs as another user."""


class PlanError(Exception):
    """A run cannot be planned or executed; the text says what to change."""


class Transport(StrEnum):
    """How agent and servers speak: in one process, with a child process, over HTTP."""

    MEMORY = "memory"
    STDIO = "stdio"
    HTTP = "http"


class ExecutorName(StrEnum):
    """What a run's episodes are spread over: tasks of one process, processes, a Ray cluster."""

    ASYNC = "async"
    PROCESSES = "processes"
    RAY = "ray"


class _FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UnsupportedTask(_FrozenModel):
    """A task of a day whose family does not exist yet, by its name in the file."""

    scenario: str
    day: int
    name: str


class DaySequenceMode(StrEnum):
    """Which days of a scenario one agent works, and what it remembers of them."""

    AS_WRITTEN = "as_written"
    """One after the other."""
    REVERSED = "reversed"
    """The last one first."""
    FORGETFUL = "forgetful"
    """One after the other, and each as if it were the first."""
    AFTER_OTHERS = "after_others"
    """The first day of another scenario with no rule in common, then the last of this one."""


class AgentConfig(_FrozenModel):
    """Who works: ``name`` stands in results, ``agent`` is one of ours or ``module:Class``.

    The parts that are replaced by name or by ``module:Class`` are "" where they are as usual.
    """

    name: str = Field(min_length=1)
    agent: str
    model: str | None = None
    """Its alias in api_config.json, or one of the scripted models."""
    command: str | None = None
    """The command line of an agent that is a program of its own."""
    isolation: str = Field(default="none", pattern=r"^(none|sandbox|user:[A-Za-z0-9_][\w.-]*)$")
    """What of this machine the command sees: all, a sandbox, or what another user can."""
    environment: tuple[str, ...] = ()
    """The variables of ours that the command gets; their values are recorded nowhere."""
    allowed: tuple[str, ...] = ()
    """Paths that it sees in its sandbox."""
    system_prompt: str = ""
    history: str = ""
    service: str = ""
    course: DaySequenceMode = DaySequenceMode.AS_WRITTEN

    @property
    def runs_as_other_user(self) -> bool:
        """Whether the command runs as another user of this machine."""
        return self.isolation.startswith(USER_ISOLATION_PREFIX)


def _agent_config_from_name(given: object) -> object:
    """An agent that needs nothing but its name may be given as that."""
    return AgentConfig(name=given, agent=given) if isinstance(given, str) else given


class ModelSettings(_FrozenModel):
    """What a run has to do with models: their configuration file, and who plays colleagues."""

    api_config: str | None = None
    npc_model: str | None = None


class EpisodeSpec(_FrozenModel):
    """One episode: a candidate on day number *day* (from 0) of *scenario*, try *attempt* (from 1).

    ``remembers`` is the id of the episode before it in its course, None where nothing is to be
    remembered; ``followed`` says that there is one after it which remembers this one.
    """

    scenario: Scenario
    day: int
    candidate: Annotated[AgentConfig, BeforeValidator(_agent_config_from_name)]
    attempt: int
    transport: Transport
    limits: EpisodeLimits
    unbuilt: tuple[str, ...] = ()
    backing: ModelSettings = ModelSettings()
    remembers: str | None = None
    followed: bool = False

    @property
    def agent(self) -> str:
        """The candidate's name."""
        return self.candidate.name

    @property
    def id(self) -> str:
        """The episode's id, good as a file name."""
        parts = (self.scenario.name, self.day_name, self.agent, str(self.attempt))
        return ".".join(re.sub(r"[^A-Za-z0-9_-]+", "-", part) for part in parts)

    @property
    def day_name(self) -> str:
        """What the scenario calls the day."""
        return self.scenario.days[self.day].name


class RunPlan(_FrozenModel):
    """Everything that settles a run; ``benchmark`` is the name of what is run."""

    schema_version: int = SCHEMA_VERSION
    generator: int = GENERATOR_VERSION
    score_version: int = SCORE_VERSION
    benchmark: str
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
    unbuilt: tuple[UnsupportedTask, ...] = ()
    candidates: tuple[Annotated[AgentConfig, BeforeValidator(_agent_config_from_name)], ...] = (
        Field(min_length=1)
    )
    epochs: int = Field(default=1, ge=1)
    transport: Transport = Transport.MEMORY
    max_concurrency: int = Field(default=4, ge=1)
    executor: ExecutorName = ExecutorName.ASYNC
    workers: int | None = Field(default=None, ge=1)
    limits: EpisodeLimits = EpisodeLimits()
    backing: ModelSettings = ModelSettings()

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        counted = Counter(spec.id for spec in self.episode_specs())
        twice = sorted(id for id, count in counted.items() if count > 1)[:3]
        if twice:
            raise ValueError(
                f"episodes would share the id {', '.join(twice)}: give scenarios, days and agents "
                "names that differ in letters and digits"
            )
        return self

    def day_sequences(self) -> Iterator[tuple[EpisodeSpec, ...]]:
        """The orders, those in one course that one agent works one after the other: its days."""
        before = self._before()
        for attempt in range(1, self.epochs + 1):
            for place, scenario in enumerate(self.scenarios):
                written = [(scenario, day) for day in range(len(scenario.days))]
                for agent in self.candidates:
                    if agent.course is DaySequenceMode.FORGETFUL:
                        for one in written:
                            yield self._course([one], agent, attempt)
                    elif agent.course is DaySequenceMode.REVERSED:
                        yield self._course(written[::-1], agent, attempt)
                    elif agent.course is DaySequenceMode.AFTER_OTHERS:
                        yield self._course([(before[place], 0), written[-1]], agent, attempt)
                    else:
                        yield self._course(written, agent, attempt)

    def _before(self) -> list[Scenario]:
        """For each scenario the one that a course after others begins with."""
        needed = any(agent.course is DaySequenceMode.AFTER_OTHERS for agent in self.candidates)
        return match_scenarios(self.scenarios) if needed else []

    def _course(
        self, days: Sequence[tuple[Scenario, int]], agent: AgentConfig, attempt: int
    ) -> tuple[EpisodeSpec, ...]:
        """The orders of one course, each remembering the one before it."""
        specs: list[EpisodeSpec] = []
        for place, (scenario, day) in enumerate(days):
            chained = {
                "remembers": specs[-1].id if specs else None,
                "followed": place + 1 < len(days),
            }
            spec = self._order(scenario, day, agent, attempt)
            specs.append(spec.model_copy(update=chained))
        return tuple(specs)

    def _order(self, scenario: Scenario, day: int, agent: AgentConfig, attempt: int) -> EpisodeSpec:
        return EpisodeSpec(
            scenario=scenario,
            day=day,
            candidate=agent,
            attempt=attempt,
            transport=self.transport,
            limits=self.limits,
            unbuilt=self.unsupported_on(scenario.name, day),
            backing=self.backing,
        )

    def episode_specs(self) -> Iterator[EpisodeSpec]:
        """Every episode of the run, always in the same order."""
        for sequence in self.day_sequences():
            yield from sequence

    def unsupported_on(self, scenario: str, day: int) -> tuple[str, ...]:
        """The names of the tasks of that day that nobody can stage yet."""
        return tuple(u.name for u in self.unbuilt if (u.scenario, u.day) == (scenario, day))
