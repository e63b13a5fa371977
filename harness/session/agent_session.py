"""The office as an agent has it: tools, a prompt, turns, and the limits it works under.

    Agent.work(office) ──turn(calls)──► Workplace ──call──► Door ──► servers

The door is an MCP client or, in process, a seat; the workplace knows neither. It alone
knows turns: it holds the limits, counts, and keeps the record of which a trajectory is made.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from math import inf
from typing import Any, NoReturn, Protocol

import anyio
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trainee_bench.world.transaction import Notice, Picture, WorkingDay

__all__ = [
    "AgentSession",
    "EpisodeLimits",
    "InfrastructureFault",
    "Thought",
    "ToolInfo",
    "ToolResult",
]

_LONGEST_CALL = 8_000_000
"""Bytes of a call as JSON; any transport carries so much, and no tool takes it."""


class EpisodeLimits(BaseModel):
    """What an episode may take. A step is one turn: thinking and up to so many calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(default=150, ge=1)
    calls_per_turn: int = Field(default=3, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    """Of prompts and completions together; estimated where the model's service tells none."""
    cost_usd: float | None = Field(default=None, gt=0)
    """Never reached by a model whose price is unknown."""
    seconds: float | None = Field(default=None, gt=0)
    """Of real time, from when the agent is let in."""


class EndReason(StrEnum):
    """How an agent's day came to its end."""

    AGENT = "agent"
    """It said that it was done."""
    DAY_OVER = "day_over"
    """The simulated day ended."""
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - of a model, not of a lock
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    """What its model was to read had become too long for it."""
    GAVE_UP = "gave_up"
    """Its model said nothing that could be used, time and again."""
    AGENT_ERROR = "agent_error"
    """Its own code raised."""

    @property
    def limited(self) -> bool:
        """Whether a limit of the episode ended it."""
        return self.value.endswith("_limit")


class InfrastructureFault(Exception):
    """Something could not be carried out, through no fault of the agent's; an agent's own
    service may be down, too. It breaks the episode, which is then tried again."""


@dataclass(frozen=True)
class ToolInfo:
    """A tool as it is offered: ``minute_of_day`` is what a call costs in simulated time."""

    name: str
    description: str
    input_schema: dict[str, Any]
    minutes: int


@dataclass(frozen=True)
class ToolCall:
    """One call an agent wants made; ``id`` is the caller's own, "" to be given one."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class ToolResult:
    """What came of a call: ``text`` for a model, ``data`` the same as JSON (None on failure).

    ``time`` is the simulated time after it, None where the call was not made at all.
    """

    text: str
    data: dict[str, Any] | None
    time: datetime | None
    failed: bool = False
    notices: tuple[Notice, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Thought:
    """What an agent said and thought with a turn, and what that cost, if it knows."""

    message: str = ""
    reasoning: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    cached_tokens: int | None = None
    """Of the prompt's, those that the service had kept from before."""


NO_THOUGHT = Thought()


def sanitize_thought(thought: object) -> Thought:
    """*thought*, which anybody's code hands in, without tokens and money that are none."""
    if not isinstance(thought, Thought):
        return NO_THOUGHT
    return replace(
        thought,
        prompt_tokens=_tokens(thought.prompt_tokens),
        completion_tokens=_tokens(thought.completion_tokens),
        cached_tokens=_tokens(thought.cached_tokens),
        cost_usd=_finite(thought.cost_usd),
    )


def _tokens(given: object) -> int | None:
    known = _finite(given)
    return None if known is None else int(known)


def _finite(given: object) -> float | None:
    """*given* if it is a number that may be added up."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given if 0 <= given < inf else None


@dataclass(frozen=True)
class TurnRecord:
    """One turn as it went: what was thought, called and answered, and when it began."""

    began: datetime
    thought: Thought
    calls: tuple[ToolCall, ...]
    answers: tuple[ToolResult, ...]


class ToolTransport(Protocol):
    """Where calls really go."""

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call; whatever it raises is a fault of the infrastructure."""


@dataclass
class SessionCounts:
    """How much an agent has done so far."""

    steps: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    refused_calls: int = 0
    """Calls beyond the limit of a turn, and such as cannot be put into JSON."""
    incidents: Counter[str] = field(default_factory=Counter)
    """What went wrong between an agent and its model, by kind."""


class AgentSession:
    """One agent's office for one day.

    ``tools`` are those offered, ``build_prompt`` says who the agent is and what lies on its desk;
    ``counts`` and ``record`` say what it has done, ``asides`` what it thought outside of turns,
    ``now`` what time it is; ``stopped`` is set when the agent has to go. ``untold_tokens`` are
    those that the agent estimates, since its model's service does not tell them.
    """

    def __init__(
        self,
        door: ToolTransport,
        tools: Sequence[ToolInfo],
        prompt: str,
        day: WorkingDay,
        limits: EpisodeLimits,
    ):
        self.tools = tuple(tools)
        self.prompt = prompt
        self.limits = limits
        self.counts = SessionCounts()
        self.record: list[TurnRecord] = []
        self.asides: list[Thought] = []
        self.estimated_tokens = 0
        self.now = day.starts
        self.ended: EndReason | None = None
        self.fault: Exception | None = None
        self.scope = anyio.CancelScope()
        self.stopped = anyio.Event()
        self._door = door
        self._day = day

    async def turn(
        self, calls: Sequence[ToolCall], thought: Thought = NO_THOUGHT
    ) -> tuple[ToolResult, ...]:
        """One step: make *calls* in this order; an answer for each, in the same order.

        Calls beyond the limit of a turn are not made, nor such as cannot be put into JSON;
        their answer says so. Where the day or the steps are used up, the agent's work is
        cancelled here, cleanly and for good.
        """
        if self.ended is not None:
            await self.end(self.ended)
        if self.over:
            await self.end(EndReason.DAY_OVER)
        if self.counts.steps >= self.limits.steps:
            await self.end(EndReason.STEP_LIMIT)
        began = self.now
        self.counts.steps += 1
        named: list[ToolCall] = []
        answers: list[ToolResult] = []
        try:
            for place, call in enumerate(calls):
                sound = _is_json(call)
                named.append(self._named(call if sound else _UNSOUND, place))
                made = self._execute_call(named[-1], place) if sound else self._refuse(_NOT_JSON)
                answers.append(await made)
        finally:  # the day may end within a turn; a call without an answer is left out
            done = tuple(answers)
            self.record.append(
                TurnRecord(began, sanitize_thought(thought), tuple(named[: len(done)]), done)
            )
        await self._enforce_budgets()
        return done

    async def aside(self, thought: Thought) -> None:
        """Record what was thought outside of any turn: a summary, or a reply of no use."""
        self.asides.append(sanitize_thought(thought))
        await self._enforce_budgets()

    @property
    def thoughts(self) -> list[Thought]:
        """All that was thought, in turns and aside."""
        return [*(turn.thought for turn in self.record), *self.asides]

    @property
    def over(self) -> bool:
        """Whether the simulated day has ended, so that no turn is left."""
        return self.now >= self._day.ends

    async def _enforce_budgets(self) -> None:
        """End the day where its tokens or its money are used up."""
        spent = sum((t.prompt_tokens or 0) + (t.completion_tokens or 0) for t in self.thoughts)
        spent += self.estimated_tokens
        if self.limits.tokens is not None and spent >= self.limits.tokens:
            await self.end(EndReason.TOKEN_LIMIT)
        cost = sum(thought.cost_usd or 0 for thought in self.thoughts)
        if self.limits.cost_usd is not None and cost >= self.limits.cost_usd:
            await self.end(EndReason.COST_LIMIT)

    async def call(self, name: str, /, **arguments: JsonValue) -> ToolResult:
        """A turn of one call."""
        return (await self.turn([ToolCall(name, arguments)]))[0]

    def _named(self, call: ToolCall, place: int) -> ToolCall:
        """*call* with an id that is unique in the episode."""
        number = f"call-{self.counts.steps}-{place + 1}"
        return ToolCall(call.name, dict(call.arguments), call.id or number)

    async def _execute_call(self, call: ToolCall, place: int) -> ToolResult:
        if place >= self.limits.calls_per_turn:
            return await self._refuse(
                f"Not done: at most {self.limits.calls_per_turn} calls are made in one turn. "
                "Nothing happened and no time passed; make this call again in your next turn."
            )
        self.counts.tool_calls += 1
        try:
            answer = await self._door.call(call.name, call.arguments)
        except Exception as fault:  # noqa: BLE001 - whatever a transport raises
            self.fault = fault
            await self._cancel()
        self.counts.failed_calls += answer.failed
        self.now = answer.time or self.now
        return answer

    async def _refuse(self, why: str) -> ToolResult:
        """The answer to a call that is not made."""
        self.counts.refused_calls += 1
        return ToolResult(why, None, None, failed=True)

    async def end(self, why: EndReason) -> NoReturn:
        """Cancel the agent's work, cleanly and for good; the first reason counts."""
        self.stop(why)
        await self._cancel()

    def stop(self, why: EndReason) -> None:
        """End the day from outside; the agent's work is cancelled wherever it waits."""
        self.ended = self.ended or why
        self.stopped.set()
        self.scope.cancel()

    async def _cancel(self) -> NoReturn:
        """Cancel the agent's work: no agent can go on by catching an exception."""
        self.stopped.set()
        self.scope.cancel()
        await anyio.sleep_forever()
        raise AssertionError("a cancelled scope lets nobody sleep")


_NOT_JSON = (
    "Not done: a call is a tool's name and arguments in JSON, without NaN, infinity or halves of "
    f"characters, of {_LONGEST_CALL:,} bytes at most. Nothing happened and no time passed; mend "
    "it and call again."
)
_UNSOUND = ToolCall("unsound_call")
"""Stands in the record for a call that could be written down nowhere."""


def _is_json(call: ToolCall) -> bool:
    """Whether *call*, which may come from anybody's code or model, can be put into JSON."""
    try:
        name, given = str.encode(call.name), dict(call.arguments)
        text = json.dumps([call.id, given], ensure_ascii=False, allow_nan=False)
        return len(name) + len(text.encode()) <= _LONGEST_CALL
    except (TypeError, ValueError, RecursionError):
        return False
