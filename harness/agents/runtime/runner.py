"""An agent as a plan configures it, ready to work days."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from trainee_bench.harness.agents.agent import Agent, LearningAgent, ModelAgent, PrivilegedAgent
from trainee_bench.harness.agents.llm.model_services import open_model_service
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.records.plan import AgentConfig, ModelSettings
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import AgentProtocol
from trainee_bench.harness.session.thought import Thought, sanitize_thought
from trainee_bench.meta_tasks.composition import ComposedDay

_ALONE = ModelSettings()


class AgentRunner:
    """A candidate, hired when the first day begins and kept for those that follow.

    An insider is hired anew each day; all others have only their own memory to go by. That of
    one that `learns` is ``memory``, which whoever employs it keeps.
    """

    memory: str = ""

    def __init__(self, config: AgentConfig, model_settings: ModelSettings = _ALONE):
        self.config = config
        self._model_settings = model_settings
        self._factory = find_agent(config.agent)
        self._agent: AgentProtocol | None = None

    @classmethod
    def from_name(cls, name: str) -> AgentRunner:
        """An agent that needs nothing but its name."""
        return cls(AgentConfig(name=name, agent=name))

    @property
    def steps(self) -> int | None:
        """The limit of steps that a scripted agent of ours asks for."""
        builtin = self.config.agent in discover_agents()
        return getattr(self._factory, "steps", None) if builtin else None

    @property
    def calls_per_turn(self) -> int | None:
        """The calls in a turn of an agent of ours of which more cannot be told apart."""
        builtin = self.config.agent in discover_agents()
        return getattr(self._factory, "calls_per_turn", None) if builtin else None

    @property
    def log(self) -> str | None:
        """What an agent of ours printed on its last day, None if it prints nothing."""
        return self._agent.log if isinstance(self._agent, Agent) else None

    @property
    def learns(self) -> bool:
        """Whether the agent wants feedback on its days: see `Learns`."""
        return inspect.iscoroutinefunction(getattr(self._factory, "reflect", None))

    @property
    def feedback_tier(self) -> int:
        """How much a learner is told: 1 what was missed, 2 and where to look, 3 and how."""
        return int(getattr(self._factory, "feedback_tier", 1))

    async def work(self, session: AgentSession, composition: ComposedDay, attempt: int = 1) -> None:
        """Let the agent work the day of *composition*, at its try number *attempt*."""
        if isinstance(self._factory, type) and issubclass(self._factory, PrivilegedAgent):
            await (await self._factory.for_day(composition)).work(session)
            return
        if self._agent is None:
            self._agent = self._create_agent()
        if self.learns:
            cast(LearningAgent, self._agent).memory = self.memory
        async with self._with_model(composition, attempt):
            await self._agent.work(session)

    async def reflect(
        self, feedback: str, composition: ComposedDay, attempt: int = 1
    ) -> Sequence[Thought]:
        """Let a learner reflect on the day of *composition*, which it has just worked; what it
        thought. ``memory`` is then what it takes to the next day."""
        learner = cast(LearningAgent, self._agent)
        async with self._with_model(composition, attempt):
            thoughts = await learner.reflect(feedback)
        self.memory = str(learner.memory)
        return [sanitize_thought(one) for one in thoughts or () if isinstance(one, Thought)]

    @asynccontextmanager
    async def _with_model(self, composition: ComposedDay, attempt: int) -> AsyncIterator[None]:
        """Give the agent its model, if it thinks with one, until the block is left."""
        if not isinstance(self._agent, ModelAgent):
            yield
            return
        opened = open_model_service(self.config, self._model_settings, composition, attempt)
        async with opened as service:
            self._agent.service = service
            yield

    def _create_agent(self) -> AgentProtocol:
        if isinstance(self._factory, type) and issubclass(self._factory, Agent):
            return self._factory.from_config(self.config)
        created: Any = self._factory()
        worker: AgentProtocol = created
        return worker

    def reset(self) -> None:
        """Forget the agent, so that a day that broke half-way is begun with a fresh one."""
        self._agent = None
