"""The agents, one per file, found without being named; and anybody's own.

A module here defines one class whose ``name`` is the module's. Somebody else's agent is
named as ``module:Class``; it is made without arguments and needs nothing of ours but
``async def work(self, office: Workplace)``. An ``async def`` of that one argument will do, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol, Self

from trainee_bench.harness.models.service import ModelService
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession, Thought
from trainee_bench.meta_tasks.composition import ComposedDay


class UnknownAgent(Exception):
    """There is no such agent; says which there are."""


class Agent(ABC):
    """An agent of ours. ``steps`` replaces the limit of a run where a scripted one needs more,
    ``calls_per_turn`` that of a turn; ``log`` is what it printed, to be kept with its episode.

    ``score_ceiling`` is None for an agent that does work; for a cheat it is the mean score that
    no rule may give it, and a certificate tries it on every rule.
    """

    name: ClassVar[str]
    steps: ClassVar[int | None] = None
    calls_per_turn: ClassVar[int | None] = None
    score_ceiling: ClassVar[float | None] = None
    log: str | None = None

    @classmethod
    def from_config(cls, candidate: AgentConfig) -> Self:
        """The agent as *candidate* describes it. Raises UnknownAgent for parts nobody knows."""
        return cls()

    @abstractmethod
    async def work(self, office: AgentSession) -> None:
        """Work the day."""


class ModelAgent(Agent):
    """An agent of ours that thinks with a model; its ``service`` is opened anew for each day."""

    service: ModelService


class PrivilegedAgent(Agent):
    """An agent of ours that is told what a stranger must not know; its result says so."""

    @classmethod
    @abstractmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """The agent for this day."""


class LearningAgent(Protocol):
    """An agent that learns, ours or anybody's: its class has these and ``async def reflect``.

    ``memory`` is text that a run keeps for it in its folder: it is set before each day, ""
    on the first, and read again after ``reflect``.
    """

    memory: str

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        """Take the verifier's *feedback* on the day just worked to heart; what was thought.

        It comes in the tier that the class names as ``feedback_tier``, 1 if it names none.
        """
