"""An agent's access to one simulated day: tools, a prompt, turns, and limits.

    Agent.work(session) ──turn(calls)──► AgentSession ──call──► ToolTransport ──► servers

The session enforces the limits, counts, and records every turn for the trajectory. The
transport is an MCP client or a dispatcher in the same process. `SentConversations` records what a
model was sent and has said, for training.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NoReturn

import anyio
from pydantic import JsonValue

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.thinking import UNCOUNTED, TimedThinking, untimed
from trainee_bench.harness.session.turns import (
    NO_THOUGHT,
    Thought,
    ToolCall,
    ToolInfo,
    ToolResult,
    ToolTransport,
    TurnListener,
    TurnRecord,
    sanitize_thought,
)
from trainee_bench.world.transaction import WorkingDay

__all__ = ["AgentSession"]


ChatMessage = dict[str, JsonValue]


@dataclass
class SentConversation:
    """Messages by their positions, in order; *tools* says whether the model was offered tools."""

    tools: bool
    places: list[int] = field(default_factory=list)


@dataclass
class SentConversations:
    """Conversations of a day; ``turns`` are the positions of the replies that made a turn.

    A request that does not continue the latest one, such as after a summary, begins a new
    conversation.
    """

    messages: list[ChatMessage] = field(default_factory=list)
    conversations: list[SentConversation] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    def keep(self, messages: Iterable[ChatMessage]) -> list[int]:
        """Record new *messages*; return their positions."""
        first = len(self.messages)
        self.messages += messages
        return list(range(first, len(self.messages)))


_MAX_CALL_BYTES = 8_000_000
"""The largest call in bytes of JSON. Every transport carries this much, and no tool needs more."""
_MAX_CALL_DEPTH = 100
"""The deepest nesting of lists and objects. JSON parsers fail at 200; no tool needs this many."""


@dataclass
class SessionCounts:
    """Counts of what an agent has done so far."""

    steps: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    refused_calls: int = 0
    """Calls beyond the limit of a turn, and calls that JSON cannot express."""
    incidents: Counter[str] = field(default_factory=Counter)
    """Problems between the agent and its model, by kind."""


class AgentSession:
    """Session of one agent for one day.

    ``tools`` are the tools offered. ``prompt`` says who the agent is and lists its tasks.
    ``counts`` and ``record`` hold what it has done, and ``asides`` its thoughts outside of turns.
    ``now`` is the simulated time. ``ended`` says why the session ended and is None while it goes
    on; ``stopped`` is set when it ends. ``estimated_tokens`` are the tokens of replies whose
    service does not count them. ``fault`` is the fault of the infrastructure that ended the
    session, if any.

    Several days may be worked one after the other in the same office: ``place`` is this day's
    position among them (from 0), and ``another_day_follows`` is False on the last. ``waited``
    returns the real seconds that people kept the agent waiting, which the time limit does not
    count. ``earlier`` are the turns of another agent that began this day. *listener* is notified of
    each turn as it happens. *thinking* lets time pass for each thought, and is None if thinking
    takes none.
    """

    def __init__(
        self,
        transport: ToolTransport,
        tools: Sequence[ToolInfo],
        prompt: str,
        day: WorkingDay,
        limits: EpisodeLimits,
        place: int = 0,
        days: int = 1,
        waited: Callable[[], float] = lambda: 0.0,
        *,
        earlier: Sequence[TurnRecord] = (),
        listener: TurnListener | None = None,
        thinking: TimedThinking | None = None,
    ):
        if (thinking is None) is not (limits.tokens_per_minute is None):
            raise ValueError("thinking is timed if the limits have a pace, and only then")
        self._thinking = thinking
        self.earlier = tuple(earlier)
        self._listener = listener
        self.waited = waited
        self.place = place
        self.another_day_follows = place + 1 < days
        self._tools = tuple(tools)
        self._prompt = prompt
        self._limits = limits
        self.counts = SessionCounts()
        self.record: list[TurnRecord] = []
        self.asides: list[Thought] = []
        self.sent = SentConversations()
        self.estimated_tokens = 0
        self.now = _last_time(self.earlier) or day.starts
        self.ended: EndReason | None = None
        self.fault: Exception | None = None
        self.scope = anyio.CancelScope()
        self.stopped = anyio.Event()
        self._transport = transport
        self._day = day

    @property
    def tools(self) -> tuple[ToolInfo, ...]:
        """The tools offered."""
        return self._tools

    @property
    def prompt(self) -> str:
        """The text that the agent gets when its day begins."""
        return self._prompt

    @property
    def day(self) -> WorkingDay:
        """The day's hours."""
        return self._day

    @property
    def limits(self) -> EpisodeLimits:
        """The limits of the episode."""
        return self._limits

    async def turn(
        self, calls: Sequence[ToolCall], thought: Thought = NO_THOUGHT
    ) -> tuple[ToolResult, ...]:
        """Make *calls* in this order, as one step; return an answer for each.

        Calls beyond the limit of a turn and calls that JSON cannot express are not made, and their
        answer says so. If the day is over or all steps are used, this cancels the agent.
        """
        if self.ended is not None:
            await self.end(self.ended)
        if self.over:
            await self.end(EndReason.DAY_OVER)
        if self.counts.steps >= self.limits.steps:
            await self.end(EndReason.STEP_LIMIT)
        began = self.now
        self.counts.steps += 1
        sound = [_is_json(call) for call in calls]
        named = tuple(
            self._named(call if fits else _UNSOUND, place)
            for place, (call, fits) in enumerate(zip(calls, sound, strict=True))
        )
        said, answers, minutes = sanitize_thought(thought), list[ToolResult](), 0
        await self._tell(lambda listener: listener.turn_begins(began, said, named))
        try:
            minutes = await self._think(said)
            for place, call in enumerate(named):
                made = self._execute_call(call, place) if sound[place] else self._refuse_unsound()
                answers.append(await made)
        finally:  # the session may end within a turn; calls without an answer are left out
            done = tuple(answers)
            self.record.append(TurnRecord(began, said, named[: len(done)], done, minutes))
        await self._tell(lambda listener: listener.turn_ends(done))
        await self._enforce_budgets()
        return done

    def restore(self, turns: Sequence[TurnRecord]) -> None:
        """Continue a day that was interrupted after *turns*; call this before any turn.

        Raises ValueError if thinking takes time, since turns to restore tell no tokens.
        """
        if self._thinking is not None:
            raise ValueError("a day on which thinking takes time cannot be continued")
        answers = [answer for turn in turns for answer in turn.answers]
        self.record += turns
        self.counts.steps += len(turns)
        self.counts.refused_calls += sum(answer.time is None for answer in answers)
        self.counts.tool_calls += sum(answer.time is not None for answer in answers)
        self.counts.failed_calls += sum(a.failed and a.time is not None for a in answers)
        self.now = _last_time(turns) or self.now

    async def _tell(self, tell: Callable[[TurnListener], None]) -> None:
        """Notify the listener; an exception that it raises is a fault of the infrastructure."""
        if self._listener is None:
            return
        try:
            tell(self._listener)
        except Exception as fault:  # noqa: BLE001 - such as a full disk
            self.break_off(fault)
            await self._cancel()

    async def aside(self, thought: Thought) -> None:
        """Record a thought outside of any turn: a summary, or an unusable reply."""
        said = sanitize_thought(thought)
        self.asides.append(said)
        await self._think(said)
        await self._enforce_budgets()

    async def _think(self, thought: Thought) -> int:
        """Let the time of *thought* pass; return its minutes, 0 if thinking takes no time."""
        if self._thinking is None or self.over:
            return 0
        if thought.completion_tokens is None:
            self.counts.incidents[UNCOUNTED] += 1
        before = self.now
        try:
            self.now = await self._thinking.take(thought.completion_tokens) or before
        except Exception as fault:  # noqa: BLE001 - anything a clock raises
            self.break_off(fault)
            await self._cancel()
        return (self.now - before) // _MINUTE

    @property
    def thoughts(self) -> list[Thought]:
        """All thoughts, of turns and asides."""
        return [*(turn.thought for turn in self.record), *self.asides]

    @property
    def over(self) -> bool:
        """Whether the simulated day has ended."""
        return self.now >= self._day.ends

    async def _enforce_budgets(self) -> None:
        """End the session if its limit of tokens or of money is reached."""
        spent = sum((t.prompt_tokens or 0) + (t.completion_tokens or 0) for t in self.thoughts)
        spent += self.estimated_tokens
        if self.limits.tokens is not None and spent >= self.limits.tokens:
            await self.end(EndReason.TOKEN_LIMIT)
        cost = sum(thought.cost_usd or 0 for thought in self.thoughts)
        if self.limits.cost_usd is not None and cost >= self.limits.cost_usd:
            await self.end(EndReason.COST_LIMIT)

    async def call(self, name: str, /, **arguments: JsonValue) -> ToolResult:
        """Make a turn of one call."""
        return (await self.turn([ToolCall(name, arguments)]))[0]

    def _named(self, call: ToolCall, place: int) -> ToolCall:
        """Return *call* with an id; a generated id is unique in the session."""
        number = f"call-{self.counts.steps}-{place + 1}"
        return ToolCall(call.name, dict(call.arguments), call.id or number)

    async def _execute_call(self, call: ToolCall, place: int) -> ToolResult:
        if place >= self.limits.calls_per_turn:
            most = pluralize(self.limits.calls_per_turn, "call")
            most += " is" if self.limits.calls_per_turn == 1 else " are"
            return await self._refuse(
                f"Not done: at most {most} made in one turn. Nothing happened and "
                f"{untimed(self.limits)}; make this call again in your next turn."
            )
        self.counts.tool_calls += 1
        try:
            answer = await self._transport.call(call.name, call.arguments)
        except Exception as fault:  # noqa: BLE001 - anything a transport raises
            self.break_off(fault)
            await self._cancel()
        self.counts.failed_calls += answer.failed
        self.now = answer.time or self.now
        return answer

    async def _refuse_unsound(self) -> ToolResult:
        """Return the result of a call that JSON cannot express."""
        return await self._refuse(_NOT_JSON.format(untimed=untimed(self.limits)))

    async def _refuse(self, why: str) -> ToolResult:
        """Return the result of a call that is not made."""
        self.counts.refused_calls += 1
        return ToolResult(why, None, None, failed=True)

    def break_off(self, fault: Exception) -> None:
        """Record *fault*, of the tools or of a model service: the agent is not to blame for it.

        Only a fault recorded here breaks an episode; every other exception counts as the agent's
        own.
        """
        self.fault = self.fault or fault

    async def end(self, why: EndReason) -> NoReturn:
        """End the session and cancel the agent; the first reason counts."""
        self.stop(why)
        await self._cancel()

    def stop(self, why: EndReason) -> None:
        """End the session from outside and cancel the agent wherever it waits."""
        self.ended = self.ended or why
        self.stopped.set()
        self.scope.cancel()

    async def _cancel(self) -> NoReturn:
        """Cancel the agent and never return, so that it cannot go on by catching an exception."""
        self.stopped.set()
        self.scope.cancel()
        await anyio.sleep_forever()
        raise AssertionError("a cancelled scope ends every sleep")


_MINUTE = timedelta(minutes=1)
_NOT_JSON = (
    "Not done: a call is a tool's name and arguments in JSON, without NaN, infinity or lone "
    f"surrogates, of at most {_MAX_CALL_BYTES:,} bytes and nested at most {_MAX_CALL_DEPTH} deep. "
    "Nothing happened and {untimed}; correct it and call again."
)
UNSOUND = "unsound_call"
"""The name that the record gives to a call that JSON cannot express."""
_UNSOUND = ToolCall(UNSOUND)


def _last_time(turns: Sequence[TurnRecord]) -> datetime | None:
    """Return the simulated time after the last of *turns*, None if they made no call."""
    times = (answer.time for turn in turns for answer in turn.answers)
    return max((time for time in times if time is not None), default=None)


def _is_json(call: ToolCall) -> bool:
    """Whether JSON can express *call*, which may come from any code or model."""
    try:
        name, given = str.encode(call.name), dict(call.arguments)
        text = json.dumps([call.id, given], ensure_ascii=False, allow_nan=False)
        return len(name) + len(text.encode()) <= _MAX_CALL_BYTES and not _is_deep(given)
    except (TypeError, ValueError, RecursionError):
        return False


def _is_deep(given: object) -> bool:
    """Whether *given*, which JSON can express, is nested deeper than `_MAX_CALL_DEPTH`."""
    level = [given]
    for _ in range(_MAX_CALL_DEPTH):
        inner: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                inner += value.values()
            elif isinstance(value, list | tuple):
                inner += value
        level = inner
        if not level:
            return False
    return any(isinstance(value, Mapping | list | tuple) for value in level)
