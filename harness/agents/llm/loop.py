"""The loop of a model agent: ask the model, make its calls, return their results to it.

    history ──ModelRequest──► service ──ModelReply──► session.turn ──results──► history

Model errors are returned to the model as text, counted in ``session.counts.incidents``, and
limited, so that the loop always ends.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import anyio

from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    Exchange,
    HistoryContext,
    SystemPrompt,
)
from trainee_bench.harness.agents.llm.conversation_recorder import ConversationRecorder
from trainee_bench.harness.agents.llm.tokens import message_tokens, request_tokens
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelService,
    ModelToolCall,
    ToolMessage,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.thinking import untimed
from trainee_bench.harness.session.turns import InfrastructureFault, Thought, ToolCall, ToolResult
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL

MAX_UNUSABLE_REPLIES = 4
"""Successive replies without a valid call after which the agent gives up."""
MAX_CALLS_READ = 50
"""Calls of one reply that are read; further ones are only counted. A higher limit of a turn counts
instead."""
MAX_SHORTENINGS = 2
"""How often a conversation that is too long is shortened before the session ends."""
_MAX_SHOWN_CHARS = 500
_HANGS_SHARE = 0.5
"""The share of a day's real time after which a model that has not answered is treated as
hanging."""
_UNAVAILABLE = ("connection_lost", "rate_limited", "server_error", "timed_out")
"""Incidents of a service that did not answer."""

_MALFORMED = (
    "Not done: the arguments are not a JSON object ({why}). Nothing happened and {untimed}; "
    "correct the arguments and call again."
)
_TORN = (
    "Not done: your reply was cut at the token limit, so this call may be incomplete. Nothing "
    "happened and {untimed}; call again with less text or in smaller parts."
)
_SURPLUS = (
    "Not done: your reply had {all:,} calls, and only the first {read:,} are read. Nothing "
    "happened and {untimed}; make at most {made} calls in one reply."
)
_CUT = "Your reply was cut at the token limit before it called a tool. Be brief and call one."
_EMPTY = f"Your reply was empty. Call a tool, or end the day with {FINISH_DAY_TOOL}."
_REFUSED = (
    "You refused. The company, its people and its data are simulated for a test of office work. "
    f"Call a tool, or end the day with {FINISH_DAY_TOOL}."
)
_NO_CALL = (
    "Nobody reads this text, and nothing happened: only tool calls get work done. Go on with "
    f"your tasks, or end the day with {FINISH_DAY_TOOL} if nothing is left to do."
)
_TAKEN_OVER = (
    "Another agent made all turns so far and has stopped here. It is {now:%H:%M}. Its work "
    "stays done. From now on the day is yours: go on with what is left."
)
_NEVER_REPLIED = (
    "The model has not replied at all: its server refuses even the first request as too long: "
    "{words} Choose a model with a longer context, or raise the server's limit."
)
_NO_COST = (
    "The model's service reports neither tokens nor cost, so cost cannot be limited. Limit "
    "tokens instead (--max-tokens); they are estimated then."
)


async def run_model_loop(
    session: AgentSession, service: ModelService, prompt: SystemPrompt, history: ConversationHistory
) -> None:
    """Work the day of *session* with the model of *service* until it is finished or ended."""
    before = Counter(service.incidents)
    day = _ModelLoop(session, service, history)
    try:
        await day.work(prompt.text(session))
    finally:
        session.counts.incidents.update(service.incidents - before)
        if session.ended is EndReason.TIME_LIMIT and (why := day.unavailable_reason()):
            session.break_off(InfrastructureFault(why))


class _ModelLoop:
    def __init__(self, session: AgentSession, service: ModelService, history: ConversationHistory):
        self._session = session
        self._service = service
        self._history = history
        self._recorder = ConversationRecorder(session.sent)
        self._tools = {tool.name for tool in session.tools}
        self._ids: set[str] = set()
        self._incidents_before: Counter[str] | None = None
        self._asked_at = 0.0
        self._uncounted = 0
        self._replied = False
        self._untimed = untimed(session.limits)

    async def work(self, system: str) -> None:
        """Make turns until the day ends."""
        session = self._session
        self._history.begin(
            HistoryContext(system, session.prompt, session.tools, self._ask, self._count)
        )
        self._remember_earlier()
        unusable = 0
        while True:
            exchange = await self._make_calls(await self._reply())
            self._recorder.answered(exchange.answers, exchange.said)
            self._history.add(exchange)
            if session.over and any(_is_finish(answered) for answered in exchange.answers):
                return
            if session.over:
                await session.end(EndReason.DAY_OVER)
            unusable = unusable + 1 if exchange.said or not _made(exchange) else 0
            if unusable >= MAX_UNUSABLE_REPLIES:
                await session.end(EndReason.GAVE_UP)

    def _remember_earlier(self) -> None:
        """Begin the history with the turns of another agent, if this one continues its day."""
        earlier = self._session.earlier
        for turn in earlier:
            calls = tuple(
                ModelToolCall(call.id, call.name, json.dumps(dict(call.arguments)), call.arguments)
                for call in turn.calls
            )
            self._ids.update(call.id for call in calls)
            answers = tuple(map(ToolMessage, calls, turn.answers))
            said = _TAKEN_OVER.format(now=self._session.now) if turn is earlier[-1] else ""
            self._history.add(Exchange(ModelReply(turn.thought.message, calls), answers, said))

    def _count(self, incident: str) -> None:
        self._session.counts.incidents[incident] += 1

    async def _ask(self, request: ModelRequest) -> ModelReply:
        """Ask the model outside of any turn."""
        reply = await self._send(request)
        self._recorder.aside(request, reply)
        await self._session.aside(reply.thought)
        return reply

    async def _send(self, request: ModelRequest) -> ModelReply:
        """Return the service's reply; estimate tokens that it does not count, so that limits apply.

        Raises InfrastructureFault if cost is limited and the service never reports any.
        """
        self._incidents_before = Counter(self._service.incidents)
        self._asked_at = anyio.current_time()
        reply = await self._service.reply(request)
        self._replied = True
        self._incidents_before = None
        told = reply.thought.prompt_tokens is not None
        if not told:
            self._session.estimated_tokens += request_tokens(request) + message_tokens(reply)
        self._uncounted = 0 if told or reply.thought.cost_usd is not None else self._uncounted + 1
        if self._session.limits.cost_usd is not None and self._uncounted > MAX_UNUSABLE_REPLIES:
            raise self._broken(_NO_COST)
        return reply

    def _broken(self, why: str) -> InfrastructureFault:
        """Record and return the fault, for which the agent is not to blame."""
        fault = InfrastructureFault(why)
        self._session.break_off(fault)
        return fault

    def unavailable_reason(self) -> str:
        """Return why it is the service's fault that the time was up; "" if it is not.

        A slow model uses up its time over many replies. A model that leaves a single request
        unanswered for half of the day's time counts as unavailable.
        """
        if self._incidents_before is None:
            return ""
        met = self._service.incidents - self._incidents_before
        kinds = ", ".join(kind for kind in _UNAVAILABLE if met[kind])
        if kinds:
            return f"The time was up while the model was unavailable: {kinds}."
        waited = anyio.current_time() - self._asked_at
        if waited >= _HANGS_SHARE * (self._session.limits.seconds or math.inf):
            return (
                f"The time was up while the model had not answered one request for {waited:.0f} "
                "seconds. Check the server, or raise --max-seconds."
            )
        return ""

    async def _reply(self) -> ModelReply:
        """Return the model's next message; end the session if the request stays too long.

        Raises InfrastructureFault if the model has never replied: then there is no work to grade.
        """
        shortened = 0
        while True:
            request = await self._history.request()
            try:
                reply = await self._send(request)
            except ContextOverflow as error:
                self._count("context_overflow")
                words = str(error).strip() or "it gives no reason."
            else:
                self._recorder.sent(request)
                return reply
            if shortened == MAX_SHORTENINGS or not await self._history.shorten():
                if not self._replied:
                    raise self._broken(_NEVER_REPLIED.format(words=words))
                await self._session.end(EndReason.CONTEXT_OVERFLOW)
            shortened += 1

    def _read(self, reply: ModelReply) -> ModelReply:
        """Return *reply* with only those calls that are read.

        Neither the conversation nor the record may grow without limit.
        """
        most = max(MAX_CALLS_READ, self._session.limits.calls_per_turn + 1)
        return reply if len(reply.calls) <= most else replace(reply, calls=reply.calls[:most])

    def _leave_out(self, count: int, read: int) -> ToolResult:
        """Count the calls that are not read; return the answer to the last one that is."""
        counts = self._session.counts
        counts.incidents["surplus_calls"] += count - read
        counts.refused_calls += count - read + 1
        made = self._session.limits.calls_per_turn
        return _not_made(_SURPLUS.format(all=count, read=read, made=made, untimed=self._untimed))

    def _with_ids(self, reply: ModelReply) -> ModelReply:
        """Return *reply* with call ids that are unique in the day; not every server makes
        them so."""
        calls = []
        for call in reply.calls:
            id = call.id
            while not id or id in self._ids:
                id = f"call_{len(self._ids) + 1}" if id == call.id else f"{id}_"
            self._ids.add(id)
            calls.append(call if id == call.id else replace(call, id=id))
        return replace(reply, calls=tuple(calls))

    async def _make_calls(self, reply: ModelReply) -> Exchange:
        """Make the valid calls of *reply*; return a result for each of its calls that are read."""
        if not reply.calls:
            self._recorder.said(reply)
            return await self._without_calls(reply)
        count, reply = len(reply.calls), self._with_ids(self._read(reply))
        self._recorder.said(reply)
        refused: dict[str, ToolResult] = {}
        if count > len(reply.calls):
            refused[reply.calls[-1].id] = self._leave_out(count, len(reply.calls))
        if reply.finish is FinishReason.LENGTH:
            self._count("cut_reply")
            refused.setdefault(reply.calls[-1].id, _not_made(_TORN.format(untimed=self._untimed)))
        for call in reply.calls:
            if call.id not in refused and call.arguments is None:
                self._count("malformed_arguments")
                why = _flaw(call.text)
                refused[call.id] = _not_made(_MALFORMED.format(why=why, untimed=self._untimed))
            elif call.id not in refused and call.name not in self._tools:
                self._count("unknown_tool")
        sound = [call for call in reply.calls if call.id not in refused]
        calls = [ToolCall(call.name, call.arguments or {}, call.id) for call in sound]
        answers = await self._session.turn(calls, _thought(reply, refused, count))
        given = {call.id: answer for call, answer in zip(sound, answers, strict=True)} | refused
        return Exchange(reply, tuple(ToolMessage(call, given[call.id]) for call in reply.calls))

    async def _without_calls(self, reply: ModelReply) -> Exchange:
        """Record a reply without calls: as a turn, or as an aside if it is empty."""
        if reply.finish is FinishReason.REFUSAL:
            incident, message = "refusal", _REFUSED
        elif reply.finish is FinishReason.LENGTH:
            incident, message = "cut_reply", _CUT
        elif not reply.text.strip():
            incident, message = "empty_reply", _EMPTY
        else:
            incident, message = "no_call", _NO_CALL
        self._count(incident)
        if reply.text.strip():
            await self._session.turn([], reply.thought)
        else:
            await self._session.aside(reply.thought)
        return Exchange(reply, said=message)


def _made(exchange: Exchange) -> bool:
    """Whether any call was made: its result then has a time."""
    return any(answered.answer.time is not None for answered in exchange.answers)


def _is_finish(answered: ToolMessage) -> bool:
    return answered.call.name == FINISH_DAY_TOOL and not answered.answer.failed


def _not_made(why: str) -> ToolResult:
    return ToolResult(why, None, None, failed=True)


def _flaw(text: str) -> str:
    """Return the reason why *text* is not a JSON object."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error)[:200] or type(error).__name__
    return "it is other JSON, or it contains NaN or infinity"


def _thought(reply: ModelReply, refused: dict[str, ToolResult], count: int) -> Thought:
    """Return the thought of *reply* and add the calls that were not made to its message.

    These are the calls that were read but refused, and how many of all *count* were not read.
    """
    lost = [_shown(call) for call in reply.calls if call.id in refused]
    if count > len(reply.calls):
        lost.append(f"[not read: {count - len(reply.calls):,} more calls]")
    if not lost:
        return reply.thought
    message = "\n".join([reply.thought.message, *lost]).strip()
    return replace(reply.thought, message=message)


def _shown(call: ModelToolCall) -> str:
    return f"[not made: {call.name} {call.text[:_MAX_SHOWN_CHARS]}]"
