"""Guidance by a person while an agent works: pause and step, approve and refuse, hint and write.

    studio's loop ──call──► EpisodeControl ──► the gate of the episode's server (its own loop)
         page ◄──snapshot──┘

An episode runs on its own event loop in another thread. A control changes only on that loop. The
page shows a snapshot, which any thread may take.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import count
from time import monotonic
from typing import Any, TypeVar

import anyio
from pydantic import BaseModel, JsonValue

from trainee_bench.harness.episodes.manual_work import APPROVAL_EFFECT
from trainee_bench.harness.records.human_part import GuidanceKind
from trainee_bench.harness.studio.approval import (
    ALLOW_ALL,
    ApprovalAction,
    ApprovalPolicy,
    foresee,
    matching_rule,
    refusal_text,
)
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.mcp_servers.guide import TOOLS as GUIDE
from trainee_bench.mcp_servers.serving.dispatcher import GateVerdict, ToolDispatcher
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.world import ActionResult, World

T = TypeVar("T")


HINT_ORDER = "Hints are given in order, each only once."


class Pace(StrEnum):
    """The pace of an agent's calls."""

    GO = "go"
    PAUSE = "pause"
    STEP = "step"
    """Make one more call, then pause."""


class NotNow(Exception):
    """Raised if an action is impossible now; the message says why."""


class WaitingCall(BaseModel):
    """A call that waits for a person's decision; ``reason`` says why it was stopped."""

    ask: int
    at: datetime
    tool: str
    arguments: dict[str, JsonValue]
    reason: str


class ControlSnapshot(BaseModel):
    """The status of a guided episode. ``held`` is the tool of the call that waits for the next
    step; ``version`` changes with each action of a person."""

    working: bool
    pace: Pace
    held: str
    asks: tuple[WaitingCall, ...]
    version: int


@dataclass
class _Asked:
    shown: WaitingCall
    answered: anyio.Event = field(default_factory=anyio.Event)
    verdict: GateVerdict = field(default_factory=GateVerdict)


class EpisodeControl:
    """The control of one episode, and the gate of its server. Its calls follow *policy*. If it
    begins *paused*, the first call waits. Tools in *outside* also ask a model, besides acting in
    the world."""

    def __init__(
        self,
        policy: ApprovalPolicy = ALLOW_ALL,
        *,
        paused: bool = False,
        outside: Collection[str] = (),
    ):
        self._policy = policy
        self._outside = frozenset(outside)
        self._person = ""
        self._pace = Pace.PAUSE if paused else Pace.GO
        self._held = ""
        self._asks: dict[int, _Asked] = {}
        self._hints: dict[str, int] = {}  # the last tier given, by task
        self._numbers = count(1)
        self._version = 0
        self._changed: anyio.Event | None = None
        self._world: World | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waited = 0.0
        self._waiting_since: list[float] = []

    # Called on the episode's loop -----------------------------------------------

    @asynccontextmanager
    async def attending(self, world: World, person: str = "") -> AsyncIterator[None]:
        """While the block runs, let people reach the agent that works in *world* as *person*, by
        default its employee."""
        self._person = person or await world.read(lambda tx: tx.employee)
        self._loop, self._world, self._changed = asyncio.get_running_loop(), world, anyio.Event()
        try:
            yield
        finally:
            self._loop = self._world = None
            self._version += 1

    async def arrive(self, name: str) -> None:
        """See `CallGate`."""
        while self._pace is Pace.PAUSE:
            assert self._changed is not None
            self._held = name
            with self.waiting():
                self._version += 1
                await self._changed.wait()
        self._held = ""
        if self._pace is Pace.STEP:
            self._set_pace(Pace.PAUSE)

    async def judge(self, world: World, tool: Tool, arguments: BaseModel) -> GateVerdict:
        """See `CallGate`."""
        if not self._policy:
            return GateVerdict()
        effects = await foresee(world, self._person, tool, arguments, self._outside)
        rule = matching_rule(self._policy, tool, effects)
        if rule is None or rule.action is ApprovalAction.ALLOW:
            return GateVerdict()
        if rule.action is ApprovalAction.REFUSE:
            return _refused(rule.refusal)
        asked = _Asked(
            WaitingCall(
                ask=next(self._numbers),
                at=await world.now(),
                tool=tool.name,
                arguments=arguments.model_dump(mode="json", exclude_unset=True),
                reason=rule.reason(effects),
            )
        )
        self._asks[asked.shown.ask] = asked
        try:
            with self.waiting():
                self._version += 1
                await asked.answered.wait()
            return asked.verdict
        finally:  # answered, or the agent's day ended while it waited
            del self._asks[asked.shown.ask]
            self._version += 1

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While the block runs, count the time as waiting for a person, not as the agent's time."""
        began = monotonic()
        self._waiting_since.append(began)
        try:
            yield
        finally:
            self._waiting_since.remove(began)
            if not self._waiting_since:
                self._waited += monotonic() - began

    @property
    def waited(self) -> float:
        """The real seconds that the agent has spent waiting for people."""
        waiting = monotonic() - min(self._waiting_since) if self._waiting_since else 0.0
        return self._waited + waiting

    @property
    def reachable(self) -> bool:
        """Whether its agent is working now."""
        return self._world is not None

    # Called on the studio's loop ------------------------------------------------

    def snapshot(self) -> ControlSnapshot:
        """Return its current status."""
        return ControlSnapshot(
            working=self.reachable,
            pace=self._pace,
            held=self._held,
            asks=tuple(asked.shown for asked in list(self._asks.values())),
            version=self._version,
        )

    async def set_pace(self, pace: Pace) -> None:
        """Pause, step or continue. Raises NotNow if the day is no longer worked."""
        await self.on_its_loop(lambda: _at_once(lambda: self._set_pace(pace)))

    async def answer(self, ask: int, allow: bool, why: str) -> None:
        """Approve or refuse a waiting call. Raises NotNow if it no longer waits."""

        def do() -> None:
            asked = self._asks.get(ask)
            if asked is None or asked.answered.is_set():
                raise NotNow("This call no longer waits for an answer.")
            effects: dict[str, JsonValue] = {APPROVAL_EFFECT: GuidanceKind.APPROVED.value}
            asked.verdict = GateVerdict(effects=effects) if allow else _refused(refusal_text(why))
            asked.answered.set()

        await self.on_its_loop(lambda: _at_once(do))

    async def guide(self, tool: str, **arguments: JsonValue) -> ActionResult[BaseModel]:
        """Call a *tool* of the guide as the mentor. Raises NotNow if the day is no longer
        worked."""

        async def do() -> ActionResult[BaseModel]:
            if self._world is None:
                raise NotNow("Nobody is working this day any more.")
            done = await ToolDispatcher(self._world, MENTOR, [GUIDE]).call(tool, arguments)
            self._version += 1
            return done

        return await self.on_its_loop(do)

    async def give_hint(self, task: str, tier: int, text: str) -> ActionResult[BaseModel]:
        """Give hint number *tier* on *task*. Raises NotNow if it was given already, if another
        request is giving it, or if the day is no longer worked."""

        async def claim() -> int:
            before = self._hints.get(task, 0)
            if tier <= before:
                raise NotNow(HINT_ORDER)
            self._hints[task] = tier
            return before

        before = await self.on_its_loop(claim)
        done = await self.guide("guide_hint", task=task, tier=tier, text=text)
        if done.error is not None:
            self._hints[task] = before
        return done

    async def on_its_loop(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run *work* on the episode's loop and return its result. Raises NotNow if the episode is
        not running."""
        loop = self._loop
        if loop is None or loop.is_closed():
            raise NotNow("Nobody is working this day any more.")
        waiting: Awaitable[T] = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), loop))
        return await waiting

    def _set_pace(self, pace: Pace) -> None:
        self._pace = pace
        self._version += 1
        if self._changed is not None:
            self._changed.set()
            self._changed = anyio.Event()


async def _at_once(do: Callable[[], None]) -> None:
    do()


def _refused(text: str) -> GateVerdict:
    return GateVerdict(text, {APPROVAL_EFFECT: GuidanceKind.REFUSED.value})
