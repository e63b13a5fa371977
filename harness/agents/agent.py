"""The interfaces of agents. Built-in agents inherit from `Agent`; users' agents need not.

Each module of ``builtin`` or ``cheats`` defines one class with the module's name as its ``name``. A
user's agent is named as ``module:Class``. It is created without arguments and needs only ``async
def work(self, session: AgentSession)``. A function ``async def agent(session)`` also works.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol, Self

from trainee_bench.harness.models.conversation import ModelService
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.records.recording import Recording
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import Thought
from trainee_bench.meta_tasks.composition import ComposedDay


class UnknownAgent(Exception):
    """There is no such agent or component; the message lists those that exist."""


class Agent(ABC):
    """A built-in agent.

    ``steps`` replaces the run's limit of steps for an agent that needs more, and ``calls_per_turn``
    the limit of a turn. ``log`` is what the agent printed on its last day; it is stored with the
    episode. ``reports_tokens`` means that its turns tell the tokens of its replies, so thinking can
    take time. ``score_ceiling`` is the highest mean score that a cheat may reach on any rule,
    which certificates test. It is None for an agent that does the work. A cheat that
    ``knows_other_seeds`` does the work where the seed changes nothing.
    """

    name: ClassVar[str]
    steps: ClassVar[int | None] = None
    calls_per_turn: ClassVar[int | None] = None
    reports_tokens: ClassVar[bool] = False
    score_ceiling: ClassVar[float | None] = None
    knows_other_seeds: ClassVar[bool] = False
    log: str | None = None

    @classmethod
    def from_config(cls, config: AgentConfig) -> Self:
        """Return an agent with the settings in *config*. Raises UnknownAgent for an unknown
        component."""
        return cls()

    @abstractmethod
    async def work(self, session: AgentSession) -> None:
        """Work the day."""


class ModelAgent(Agent):
    """An agent that uses a model; its runner sets ``service`` for each day."""

    reports_tokens = True
    service: ModelService


class PrivilegedAgent(Agent):
    """An agent that knows secrets of the day, such as the oracle; its results say so."""

    @classmethod
    @abstractmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the agent for this day."""


class RepeatingAgent(PrivilegedAgent):
    """An agent that repeats the calls of a recorded run; its results say that it is an insider."""

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Raise UnknownAgent, since there is no recorded run."""
        raise UnknownAgent(cls.needs_run())

    @classmethod
    def needs_run(cls) -> str:
        """Return the error of an agent without a recorded run."""
        return f"The agent {cls.name!r} needs a recorded run: use --agent {cls.name}:FOLDER."

    @classmethod
    @abstractmethod
    async def for_recording(cls, recording: Recording, composition: ComposedDay) -> Self:
        """Return the agent that repeats calls of *recording* on this day.

        Raises PlanError if the recorded days are gone, changed or unreadable.
        """


class LearningAgent(Protocol):
    """An agent that learns from feedback; any agent with ``async def reflect`` is one.

    ``memory`` is a text that the run stores. It is set before each day ("" before the first) and
    read after ``reflect``.
    """

    memory: str

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        """Learn from the verifier's *feedback* on the day just worked; return the thoughts this
        took.

        The class attribute ``feedback_tier`` (default 1) says how detailed the feedback is.
        """
