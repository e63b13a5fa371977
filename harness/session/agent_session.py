"""The office as an agent has it: tools, a prompt, turns, and the limits it works under.

    Agent.work(office) ──turn(calls)──► Workplace ──call──► Door ──► servers

The door is an MCP client or, in process, a seat; the workplace knows neither. It alone
knows turns: it holds the limits, counts, and keeps the record of which a trajectory is made.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn

import anyio
from pydantic import JsonValue

from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.thought import NO_THOUGHT, Thought, sanitize_thought
from trainee_bench.harness.session.tool_types import ToolCall, ToolInfo, ToolResult, ToolTransport
from trainee_bench.world.transaction import WorkingDay

_LONGEST_CALL = 8_000_000
"""Bytes of a call as JSON; any transport carries so much, and no tool takes it."""


@dataclass(frozen=True)
class TurnRecord:
    """One turn as it went: what was thought, called and answered, and when it began."""

    began: datetime
    thought: Thought
    calls: tuple[ToolCall, ...]
    answers: tuple[ToolResult, ...]


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
        transport: ToolTransport,
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
        self._transport = transport
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
            answer = await self._transport.call(call.name, call.arguments)
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
