"""The plan of a run: which agents, on which days, how often, under which limits.

    RunPlan (run.json) ──episode_specs()──► EpisodeSpec, …: one agent, one day, one attempt

The run's folder holds the whole plan, so a resumed run is the same run. An executor needs only the
specs.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.human_part import ForkedDay, ForkPoint
from trainee_bench.harness.records.plan_part import PlanPart
from trainee_bench.harness.records.recording import Recording
from trainee_bench.harness.records.scenario_matching import match_scenarios
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario, TaskSpec

SCHEMA_VERSION = 3
"""Version of the layout of run.json and results.jsonl."""


USER_ISOLATION_PREFIX = "user:"
"""Prefix of the isolation of a command that runs as another user."""


PERSON_ISOLATION = "person"
"""Isolation of a person, who sees only what tools answer."""


WEEK_NAME = "week"
"""Name for all days of a week together."""


_MAX_ID_CHARS = 220
"""Limit for an episode's id: file systems allow 255 characters, and file names add some."""


_MOST_EPISODES = 100_000
"""More than anybody runs at once, but few enough to be listed."""


class PlanError(Exception):
    """A run cannot be planned or executed; the message says what to change."""


class ChangedPlan(PlanError):
    """A run's recorded plan differs from the one it began with."""


class Transport(StrEnum):
    """How an agent reaches the MCP servers: in process, through a child process, over HTTP."""

    MEMORY = "memory"
    STDIO = "stdio"
    HTTP = "http"


class ExecutorName(StrEnum):
    """How episodes are executed: as tasks of one process, in worker processes, on a Ray cluster."""

    ASYNC = "async"
    PROCESSES = "processes"
    RAY = "ray"


class UnsupportedTask(FrozenModel):
    """A task whose family does not exist, by its name in the published file."""

    scenario: str
    day: int
    name: str


class RefusedScenario(FrozenModel):
    """A scenario of the benchmark that cannot be staged, and the reason; the others run."""

    name: str
    reason: str


class DaySequenceMode(StrEnum):
    """The order in which an agent works days while it remembers the earlier ones."""

    AS_WRITTEN = "as_written"
    """The days of a scenario in order."""
    REVERSED = "reversed"
    """The days of a scenario from last to first."""
    FORGETFUL = "forgetful"
    """Each day alone, with nothing remembered."""
    AFTER_OTHERS = "after_others"
    """The first day of another scenario without a common rule, then the last day of this one."""


class MemoryMode(StrEnum):
    """The effect of each night on an agent's memory, if it learns, and on its notes.

    Notes are the files in the notes folder of its workspace.
    """

    ON = "on"
    """Nothing: both are still there in the morning."""
    OFF = "off"
    """The agent does not learn: it gets no feedback and has no memory. Its notes are kept."""
    WIPED = "wiped"
    """The agent learns, but its memory and notes are empty in the morning."""
    POISONED = "poisoned"
    """The agent learns, but its memory and notes are false in the morning.

    Each number, time, date, weekday and name of a colleague is replaced.
    """

    @property
    def alters_notes(self) -> bool:
        """Whether the notes have changed in the morning."""
        return self in (MemoryMode.WIPED, MemoryMode.POISONED)


class AgentConfig(FrozenModel):
    """An agent of a run: ``name`` is its name in results, ``agent`` is built-in or
    ``module:Class``.

    ``system_prompt``, ``history`` and ``service`` name a component, built-in or ``module:Class``;
    "" is the default.
    """

    name: str = Field(min_length=1)
    agent: str
    model: str | None = None
    """An alias in api_config.json, or a scripted model."""
    command: str | None = None
    """The command line of an agent that is an external program."""
    isolation: str = Field(
        default="none", pattern=r"^(none|sandbox|person|user:[A-Za-z0-9_][\w.-]*)$"
    )
    """The command's access: to everything, to a sandbox, or to what another user can access.

    For a person, it is ``person``.
    """
    environment: tuple[str, ...] = ()
    """Names of environment variables that the command gets; their values are not recorded."""
    allowed: tuple[str, ...] = ()
    """Paths that the command may read in its sandbox."""
    results: ResultView = Field(
        default=ResultView.STRUCTURED, exclude_if=lambda view: view is ResultView.STRUCTURED
    )
    """The form in which the command gets results.

    Files omit "structured": it was the only form when the first files were written, and their
    digests must hold.
    """
    system_prompt: str = ""
    history: str = ""
    service: str = ""
    record_tokens: bool = Field(default=False, exclude_if=lambda kept: not kept)
    """Whether the ids and log-probabilities of the model's tokens are kept."""
    reports_tokens: bool = Field(default=False, exclude_if=lambda reported: not reported)
    """Whether it reports the tokens of its replies; recorded only if thinking takes time."""
    day_sequence: DaySequenceMode = DaySequenceMode.AS_WRITTEN
    memory: MemoryMode = Field(default=MemoryMode.ON, exclude_if=lambda mode: mode is MemoryMode.ON)
    recording: Recording | None = Field(default=None, exclude_if=lambda source: source is None)
    """The recorded calls that the agent repeats, if it is one that repeats calls."""

    @property
    def result_view(self) -> ResultView:
        """The form in which the agent's model reads results; built-in agents show it the text."""
        return self.results if self.command is not None else ResultView.TEXT

    @property
    def runs_as_other_user(self) -> bool:
        """Whether the command runs as another user of this machine."""
        return self.isolated_user is not None

    @property
    def isolated_user(self) -> str | None:
        """The user of this machine as whom the command runs; None for this process's own user."""
        name = self.isolation.removeprefix(USER_ISOLATION_PREFIX)
        return None if name == self.isolation else name


def _agent_config_from_name(given: object) -> object:
    """Accept a name for an agent without further settings."""
    return AgentConfig(name=given, agent=given) if isinstance(given, str) else given


class ModelSettings(FrozenModel):
    """The file that defines a run's models, and the alias of the model that plays colleagues."""

    api_config: str | None = None
    npc_model: str | None = None


class EpisodeSpec(FrozenModel):
    """One episode: an agent on day number *day* (from 0) of *scenario*, or in a week.

    *attempt* counts from 1. ``remembers`` is the id of the previous episode in its day sequence,
    None if nothing is to be remembered. ``followed`` means that a later episode remembers this one.
    With ``forked_from``, the episode begins in the world in its run's folder, as another agent left
    it.
    """

    scenario: Scenario
    day: int
    agent_config: Annotated[AgentConfig, BeforeValidator(_agent_config_from_name)]
    attempt: int
    transport: Transport
    limits: EpisodeLimits
    unsupported: tuple[str, ...] = ()
    model_settings: ModelSettings = ModelSettings()
    remembers: str | None = None
    followed: bool = False
    forked_from: ForkPoint | None = Field(default=None, exclude_if=lambda point: point is None)

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.agent_config.name

    @property
    def id(self) -> str:
        """The episode's id, valid as a file name."""
        parts = (self.scenario.name, self.day_name, self.agent, str(self.attempt))
        return ".".join(re.sub(r"[^A-Za-z0-9_-]+", "-", part) for part in parts)

    @property
    def day_name(self) -> str:
        """The day's name in the scenario; ``week`` for a week."""
        return WEEK_NAME if self.scenario.week else self.scenario.days[self.day].name

    @property
    def tasks(self) -> tuple[TaskSpec, ...]:
        """The tasks of its day, or of all days of its week."""
        days = self.scenario.days_in_world(self.day)
        return tuple(task for day in days for task in self.scenario.days[day].tasks)

    @property
    def digest(self) -> str:
        """A hash of the whole spec; the result carries it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


DaySequence = tuple[EpisodeSpec, ...]
"""Episodes that one agent works one after the other."""


class RunPlan(FrozenModel):
    """Everything that determines a run; ``benchmark`` is the benchmark's name."""

    schema_version: int = SCHEMA_VERSION
    generator: int = GENERATOR_VERSION
    score_version: int = SCORE_VERSION
    benchmark: str
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
    unsupported: tuple[UnsupportedTask, ...] = ()
    refused: tuple[RefusedScenario, ...] = ()
    agents: tuple[Annotated[AgentConfig, BeforeValidator(_agent_config_from_name)], ...] = Field(
        min_length=1
    )
    epochs: int = Field(default=1, ge=1)
    transport: Transport = Transport.MEMORY
    max_concurrency: int = Field(default=4, ge=1)
    executor: ExecutorName = ExecutorName.ASYNC
    workers: int | None = Field(default=None, ge=1)
    limits: EpisodeLimits = EpisodeLimits()
    model_settings: ModelSettings = ModelSettings()
    fork: ForkedDay | None = Field(default=None, exclude_if=lambda fork: fork is None)
    """The only day of a run that continues another run's day."""
    only_day: int | None = Field(default=None, exclude_if=lambda day: day is None)
    """The only day (from 0) to work, if there is one: a person works a single day."""
    part: PlanPart | None = Field(default=None, exclude_if=lambda part: part is None)
    """The part of the day sequences that this run works; None for all of them."""
    climb: Climb | None = Field(default=None, exclude_if=lambda climb: climb is None)
    """How worlds are added to this plan, if its run is a climb."""
    badges: dict[str, str] = Field(default_factory=dict, exclude_if=lambda badges: not badges)
    """How the rules of own offices were certified, by rule."""
    seal: str = ""
    """A hash of everything else, recorded when a run begins."""

    @model_validator(mode="after")
    def _can_be_listed(self) -> Self:
        """Count the episodes before they are listed: a plan may come from elsewhere."""
        only = self.fork.day if self.fork is not None else self.only_day
        for scenario in self.scenarios:
            if only is not None and only not in scenario.world_days:
                raise ValueError(f"{scenario.name} has no day number {only}")
        days = sum(len(scenario.world_days) for scenario in self.scenarios)
        episodes = self.epochs * len(self.agents) * days
        if episodes > _MOST_EPISODES:
            raise ValueError(
                f"a run has at most {_MOST_EPISODES:,} episodes, not {episodes:,} "
                "(attempts times agents times days)"
            )
        return self

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        everything = (spec for sequence in self._all_day_sequences() for spec in sequence)
        counted = Counter(spec.id for spec in everything)
        twice = sorted(id for id, count in counted.items() if count > 1)[:3]
        if twice:
            raise ValueError(
                f"episodes would share the id {', '.join(twice)}: give scenarios, days and agents "
                "names that differ in letters or digits"
            )
        for id in counted:
            if len(id) > _MAX_ID_CHARS:
                raise ValueError(
                    f"the names of scenario, day and agent have {len(id)} characters together, but "
                    f"may have {_MAX_ID_CHARS} characters, because files are named after them: "
                    f"{id[:60]}…"
                )
        return self

    def digest(self) -> str:
        """Return a hash of the plan without its seal."""
        return hashlib.sha256(self.model_dump_json(exclude={"seal"}).encode()).hexdigest()

    def sealed(self) -> Self:
        """Return this plan with its own hash, as it is recorded."""
        return self.model_copy(update={"seal": self.digest()})

    def day_sequences(self) -> Iterator[DaySequence]:
        """Yield all episodes, grouped into sequences that one agent works one after the other.

        With ``part``, only the sequences of that part.
        """
        every = self._all_day_sequences()
        yield from every if self.part is None else self.part.of(list(every))

    def _all_day_sequences(self) -> Iterator[DaySequence]:
        before = self._scenarios_before()
        only = self.fork.day if self.fork is not None else self.only_day
        for attempt in range(1, self.epochs + 1):
            for place, scenario in enumerate(self.scenarios):
                written = [(scenario, day) for day in scenario.world_days]
                for agent in self.agents:
                    if only is not None:
                        yield self._sequence([(scenario, only)], agent, attempt)
                    elif agent.day_sequence is DaySequenceMode.FORGETFUL:
                        for day in written:
                            yield self._sequence([day], agent, attempt)
                    elif agent.day_sequence is DaySequenceMode.REVERSED:
                        yield self._sequence(written[::-1], agent, attempt)
                    elif agent.day_sequence is DaySequenceMode.AFTER_OTHERS:
                        yield self._sequence([(before[place], 0), written[-1]], agent, attempt)
                    else:
                        yield self._sequence(written, agent, attempt)

    def _scenarios_before(self) -> list[Scenario]:
        """Return for each scenario the one whose first day precedes it in `AFTER_OTHERS`."""
        needed = any(agent.day_sequence is DaySequenceMode.AFTER_OTHERS for agent in self.agents)
        return match_scenarios(self.scenarios) if needed else []

    def _sequence(
        self, days: Sequence[tuple[Scenario, int]], agent: AgentConfig, attempt: int
    ) -> DaySequence:
        """Return the episodes of one sequence; each remembers the previous one."""
        specs: list[EpisodeSpec] = []
        for place, (scenario, day) in enumerate(days):
            chained = {
                "remembers": specs[-1].id if specs else None,
                "followed": place + 1 < len(days),
            }
            spec = self._spec(scenario, day, agent, attempt)
            specs.append(spec.model_copy(update=chained))
        return tuple(specs)

    def _spec(self, scenario: Scenario, day: int, agent: AgentConfig, attempt: int) -> EpisodeSpec:
        return EpisodeSpec(
            scenario=scenario,
            day=day,
            agent_config=agent,
            attempt=attempt,
            transport=self.transport,
            limits=self.limits,
            unsupported=self.unsupported_on(scenario.name, day),
            model_settings=self.model_settings,
            forked_from=self.fork.point if self.fork is not None else None,
        )

    def episode_specs(self) -> Iterator[EpisodeSpec]:
        """Yield every episode of the run, always in the same order."""
        for sequence in self.day_sequences():
            yield from sequence

    def unsupported_on(self, scenario: str, day: int) -> tuple[str, ...]:
        """Return the names of the day's tasks whose family does not exist."""
        return tuple(u.name for u in self.unsupported if (u.scenario, u.day) == (scenario, day))
