"""Running a configured agent on one day after the other."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from trainee_bench.harness.agents.agent import (
    Agent,
    LearningAgent,
    ModelAgent,
    PrivilegedAgent,
    RepeatingAgent,
)
from trainee_bench.harness.agents.external.isolation import SANDBOX_ISOLATION
from trainee_bench.harness.agents.llm.histories import BUILTIN_HISTORIES
from trainee_bench.harness.agents.llm.model_services import open_model_service
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.records.plan import AgentConfig, MemoryMode, ModelSettings
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import AgentProtocol
from trainee_bench.harness.session.turns import Thought, sanitize_thought
from trainee_bench.harness.support.plugin_loader import is_plugin_name
from trainee_bench.meta_tasks.composition import ComposedDay

_NO_MODEL_SETTINGS = ModelSettings()


def forgets(config: AgentConfig) -> bool:
    """Whether an agent, created again in the same process, keeps nothing of a past day.

    True of built-in agents without a user's components. A user's own code may keep what it saw
    anywhere, and a command outside of a sandbox may write it to the disk.
    """
    if config.command is not None:
        return config.isolation == SANDBOX_ISOLATION
    history = "" if config.history.partition(":")[0] in BUILTIN_HISTORIES else config.history
    own = (config.system_prompt, history, config.service)
    return config.agent in discover_agents() and not any(map(is_plugin_name, own))


def can_learn(config: AgentConfig) -> bool:
    """Whether an agent wants feedback on its days: see `LearningAgent`. Raises UnknownAgent."""
    return _wants_feedback(find_agent(config.agent))


def _wants_feedback(factory: object) -> bool:
    return inspect.iscoroutinefunction(getattr(factory, "reflect", None))


class AgentRunner:
    """Runner of one agent, which is created when the first day begins and kept for the following
    days.

    A privileged agent is created for each day. ``memory`` is the memory of an agent that `learns`;
    the caller stores it. If *agent* is given (a person), it works every day and none is created.
    """

    memory: str = ""

    def __init__(
        self,
        config: AgentConfig,
        model_settings: ModelSettings = _NO_MODEL_SETTINGS,
        agent: AgentProtocol | None = None,
    ):
        self.config = config
        self._model_settings = model_settings
        self._factory = find_agent(config.agent)
        self._given = agent
        self._agent = agent

    @classmethod
    def from_name(cls, name: str) -> AgentRunner:
        """Return the runner of an agent without further settings."""
        return cls(AgentConfig(name=name, agent=name))

    @property
    def steps(self) -> int | None:
        """The limit of steps that a built-in agent sets itself."""
        builtin = self.config.agent in discover_agents()
        return getattr(self._factory, "steps", None) if builtin else None

    @property
    def calls_per_turn(self) -> int | None:
        """The limit of calls per turn that a built-in agent sets itself."""
        builtin = self.config.agent in discover_agents()
        return getattr(self._factory, "calls_per_turn", None) if builtin else None

    @property
    def log(self) -> str | None:
        """The output of a built-in agent on its last day, None if it printed nothing."""
        builtin = self.config.agent in discover_agents()  # a user's own agent might raise here
        return self._agent.log if builtin and isinstance(self._agent, Agent) else None

    @property
    def forgets(self) -> bool:
        """Whether nothing of a day survives `reset` within this process: see `forgets`."""
        return forgets(self.config)

    @property
    def learns(self) -> bool:
        """Whether the agent gets feedback: it wants it (see `LearningAgent`), and its memory is not
        off."""
        return _wants_feedback(self._factory) and self.config.memory is not MemoryMode.OFF

    @property
    def feedback_tier(self) -> int:
        """The feedback tier of a learning agent: 1 what was missed, 2 and where to look, 3
        and how."""
        return int(getattr(self._factory, "feedback_tier", 1))

    async def work(self, session: AgentSession, composition: ComposedDay, attempt: int = 1) -> None:
        """Let the agent work the day of *composition*, *attempt* number 1 or later."""
        if isinstance(self._factory, type) and issubclass(self._factory, PrivilegedAgent):
            insider = await self._insider(self._factory, composition)
            await insider.work(session)
            return
        if self._agent is None:
            self._agent = self._create_agent()
        if self.learns:
            cast(LearningAgent, self._agent).memory = self.memory
        async with self._with_model(session, composition, attempt):
            await self._agent.work(session)

    async def reflect(
        self, feedback: str, session: AgentSession, composition: ComposedDay, attempt: int = 1
    ) -> Sequence[Thought]:
        """Let a learning agent reflect on the day just worked in *session*; return its thoughts.

        Afterwards ``memory`` is what the agent takes to the next day.
        """
        learner = cast(LearningAgent, self._agent)
        async with self._with_model(session, composition, attempt):
            thoughts = await learner.reflect(feedback)
        self.memory = str.__str__(str(learner.memory))  # not an attribute of the agent's class
        return [sanitize_thought(t) for t in thoughts or () if isinstance(t, Thought)]

    @asynccontextmanager
    async def _with_model(
        self, session: AgentSession, composition: ComposedDay, attempt: int
    ) -> AsyncIterator[None]:
        """Give a model agent its model service until the block is left.

        Faults of the service break off *session*.
        """
        if not isinstance(self._agent, ModelAgent):
            yield
            return
        opened = open_model_service(
            self.config, self._model_settings, composition, attempt, session.break_off
        )
        async with opened as service:
            self._agent.service = service
            yield

    async def _insider(
        self, factory: type[PrivilegedAgent], composition: ComposedDay
    ) -> PrivilegedAgent:
        """Return the privileged agent for this day, with its recorded run if it repeats one."""
        recording = self.config.recording
        if issubclass(factory, RepeatingAgent) and recording is not None:
            return await factory.for_recording(recording, composition)
        return await factory.for_day(composition)

    def _create_agent(self) -> AgentProtocol:
        if isinstance(self._factory, type) and issubclass(self._factory, Agent):
            return self._factory.from_config(self.config)
        created: Any = self._factory()
        worker: AgentProtocol = created
        return worker

    def reset(self) -> None:
        """Drop the agent, so that the next try of a broken day begins with a new one.

        An agent that was given stays.
        """
        self._agent = self._given
