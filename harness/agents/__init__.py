"""The agents, one per file, found without being named; and anybody's own.

A module here defines one class whose ``name`` is the module's. Somebody else's agent is
named as ``module:Class``; it is made without arguments and needs nothing of ours but
``async def work(self, office: Workplace)``. An ``async def`` of that one argument will do, too.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol, Self, cast

from harness.episode import Worker
from harness.models.opening import opened_service
from harness.models.service import ModelService
from harness.own_code import OwnCodeError, is_own, own_code
from harness.plan import Backing, Candidate
from harness.workplace import Thought, Workplace, sound_thought
from meta_tasks.composition import Composition

_ALONE = Backing()


class UnknownAgent(Exception):
    """There is no such agent; says which there are."""


class Agent(ABC):
    """An agent of ours. ``steps`` replaces the limit of a run where a scripted one needs more,
    ``calls_per_turn`` that of a turn; ``log`` is what it printed, to be kept with its episode.

    ``tolerated`` is None for an agent that does work; for a cheat it is the mean score that
    no rule may give it, and a certificate tries it on every rule.
    """

    name: ClassVar[str]
    steps: ClassVar[int | None] = None
    calls_per_turn: ClassVar[int | None] = None
    tolerated: ClassVar[float | None] = None
    log: str | None = None

    @classmethod
    def employed(cls, candidate: Candidate) -> Self:
        """The agent as *candidate* describes it. Raises UnknownAgent for parts nobody knows."""
        return cls()

    @abstractmethod
    async def work(self, office: Workplace) -> None:
        """Work the day."""


class Thinker(Agent):
    """An agent of ours that thinks with a model; its ``service`` is opened anew for each day."""

    service: ModelService


class Insider(Agent):
    """An agent of ours that is told what a stranger must not know; its result says so."""

    @classmethod
    @abstractmethod
    async def for_day(cls, composition: Composition) -> Self:
        """The agent for this day."""


@cache
def discover() -> dict[str, type[Agent]]:
    """Our agents by name, sorted. Raises TypeError for a module that has none."""
    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        classes = [
            member
            for member in vars(module).values()
            if inspect.isclass(member)
            and issubclass(member, Agent)
            and getattr(member, "name", None) == info.name
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one Agent of the name {info.name!r}")
        found[info.name] = classes[0]
    return found


def find(name: str) -> Callable[[], Worker] | type[Agent]:
    """The agent called *name*, ours or ``module:Class``; call it to have one.

    Raises UnknownAgent, naming ours.
    """
    ours = discover()
    if name in ours:
        return ours[name]
    if not is_own(name):
        raise UnknownAgent(
            f"There is no agent {name!r}. There are {', '.join(ours)}; your own is named as "
            "module:Class or module:function."
        )
    return _foreign(name)


def _foreign(named: str) -> Callable[[], Worker]:
    try:
        made: Any = own_code(named, "an agent")
    except OwnCodeError as error:
        raise UnknownAgent(str(error)) from error
    if callable(made) and inspect.iscoroutinefunction(getattr(made, "work", None)):
        agent: Callable[[], Worker] = made
        return agent
    if _works(made):
        return lambda: _Function(made)
    module, _, name = named.partition(":")
    raise UnknownAgent(
        f"{module} has no class {name!r} with `async def work(self, office)`, and no "
        f"`async def {name}(office)`."
    )


def _works(made: object) -> bool:
    """Whether *made* is to be called with an office, and nothing else, and awaited."""
    if inspect.isclass(made) or not callable(made):
        return False
    own = inspect.getattr_static(type(made), "__call__", None)
    if not (inspect.iscoroutinefunction(made) or inspect.iscoroutinefunction(own)):
        return False
    try:
        inspect.signature(made).bind("an office")
    except TypeError:
        return False
    return True


@dataclass(frozen=True)
class _Function:
    """An agent that is nothing but a function; it remembers what it likes elsewhere."""

    function: Callable[[Workplace], Awaitable[None]]

    async def work(self, office: Workplace) -> None:
        """Work the day."""
        await self.function(office)


class Learns(Protocol):
    """An agent that learns, ours or anybody's: its class has these and ``async def reflect``.

    ``memory`` is text that a run keeps for it in its folder: it is set before each day, ""
    on the first, and read again after ``reflect``.
    """

    memory: str

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        """Take the verifier's *feedback* on the day just worked to heart; what was thought.

        It comes in the tier that the class names as ``feedback_tier``, 1 if it names none.
        """


class Recruit:
    """A candidate, hired when the first day begins and kept for those that follow.

    An insider is hired anew each day; all others have only their own memory to go by. That of
    one that `learns` is ``memory``, which whoever employs it keeps.
    """

    memory: str = ""

    def __init__(self, candidate: Candidate, backing: Backing = _ALONE):
        self.candidate = candidate
        self._backing = backing
        self._made = find(candidate.agent)
        self._hired: Worker | None = None

    @classmethod
    def called(cls, name: str) -> Recruit:
        """An agent that needs nothing but its name."""
        return cls(Candidate(name=name, agent=name))

    @property
    def steps(self) -> int | None:
        """The limit of steps that a scripted agent of ours asks for."""
        ours = self.candidate.agent in discover()
        return getattr(self._made, "steps", None) if ours else None

    @property
    def calls_per_turn(self) -> int | None:
        """The calls in a turn of an agent of ours of which more cannot be told apart."""
        ours = self.candidate.agent in discover()
        return getattr(self._made, "calls_per_turn", None) if ours else None

    @property
    def log(self) -> str | None:
        """What an agent of ours printed on its last day, None if it prints nothing."""
        return self._hired.log if isinstance(self._hired, Agent) else None

    @property
    def learns(self) -> bool:
        """Whether the agent wants feedback on its days: see `Learns`."""
        return inspect.iscoroutinefunction(getattr(self._made, "reflect", None))

    @property
    def feedback_tier(self) -> int:
        """How much a learner is told: 1 what was missed, 2 and where to look, 3 and how."""
        return int(getattr(self._made, "feedback_tier", 1))

    async def work(self, office: Workplace, composition: Composition, attempt: int = 1) -> None:
        """Let the agent work the day of *composition*, at its try number *attempt*."""
        if isinstance(self._made, type) and issubclass(self._made, Insider):
            await (await self._made.for_day(composition)).work(office)
            return
        if self._hired is None:
            self._hired = self._hire()
        if self.learns:
            cast(Learns, self._hired).memory = self.memory
        async with self._thinking(composition, attempt):
            await self._hired.work(office)

    async def reflect(
        self, feedback: str, composition: Composition, attempt: int = 1
    ) -> Sequence[Thought]:
        """Let a learner reflect on the day of *composition*, which it has just worked; what it
        thought. ``memory`` is then what it takes to the next day."""
        learner = cast(Learns, self._hired)
        async with self._thinking(composition, attempt):
            thoughts = await learner.reflect(feedback)
        self.memory = str(learner.memory)
        return [sound_thought(one) for one in thoughts or () if isinstance(one, Thought)]

    @asynccontextmanager
    async def _thinking(self, composition: Composition, attempt: int) -> AsyncIterator[None]:
        """Give the agent its model, if it thinks with one, until the block is left."""
        if not isinstance(self._hired, Thinker):
            yield
            return
        opened = opened_service(self.candidate, self._backing, composition, attempt)
        async with opened as service:
            self._hired.service = service
            yield

    def _hire(self) -> Worker:
        if isinstance(self._made, type) and issubclass(self._made, Agent):
            return self._made.employed(self.candidate)
        hired: Any = self._made()
        worker: Worker = hired
        return worker

    def dismiss(self) -> None:
        """Forget the agent, so that a day that broke half-way is begun with a fresh one."""
        self._hired = None
