"""A model service in memory that says what a test tells it to and notes what it was asked, and days
worked with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.harness.agents.builtin.openai import OpenAIAgent
from trainee_bench.harness.agents.llm.tokens import message_tokens, text_tokens, tool_tokens
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import AgentExit, run_agent
from trainee_bench.harness.session.turns import (
    InfrastructureFault,
    Thought,
    ToolInfo,
    ToolResult,
    TurnRecord,
)
from trainee_bench.world.transaction import WorkingDay

Saying = ModelReply | Exception | Callable[[ModelRequest], ModelReply]
NOTES = "- the notes of a patient model"


def says(
    text: str = "", *calls: ModelToolCall, finish: FinishReason = FinishReason.DONE
) -> ModelReply:
    thought = Thought(text, None, "fake", completion_tokens=10, cost_usd=0.01)
    return ModelReply(text, calls, finish, thought)


def call(name: str, id: str = "", **arguments: object) -> ModelToolCall:
    text = json.dumps(arguments)
    return ModelToolCall(id, name, text, json.loads(text))


def malformed(name: str, text: str = '{"path": "x') -> ModelToolCall:
    return ModelToolCall("", name, text, None)


FINISH = says("", call("desk_finish_day"))


class FakeService:
    """Says *sayings* in turn, the last one for ever; writes notes where it is given no tools."""

    model = "fake"

    def __init__(self, *sayings: Saying, reads: int | None = None, factor: float = 1.0):
        self.incidents: Counter[str] = Counter()
        self.asked: list[ModelRequest] = []
        self.tokens: list[int] = []
        self.notes: Saying = says(NOTES)
        self.report: Callable[[Exception], None] | None = None
        self._sayings = list(sayings)
        self._reads = reads
        self._factor = factor

    async def reply(self, request: ModelRequest) -> ModelReply:
        assert_sound(request)
        tokens = int(self._factor * length(request))
        if self._reads is not None and tokens > self._reads:
            raise ContextOverflow(f"{tokens} tokens")
        self.asked.append(request)
        self.tokens.append(tokens)
        said = self.notes if not request.tools else self._next()
        if isinstance(said, InfrastructureFault) and self.report is not None:
            self.report(said)
        if isinstance(said, Exception):
            raise said
        reply = said if isinstance(said, ModelReply) else said(request)
        thought = reply.thought
        counted = Thought(
            thought.message, thought.reasoning, thought.model, tokens, 10, thought.cost_usd
        )
        return ModelReply(reply.text, reply.calls, reply.finish, counted)

    def _next(self) -> Saying:
        return self._sayings.pop(0) if len(self._sayings) > 1 else self._sayings[0]

    @property
    def turns(self) -> list[ModelRequest]:
        """The requests that were no summaries."""
        return [request for request in self.asked if request.tools]


def length(request: ModelRequest) -> int:
    messages = sum(map(message_tokens, request.messages))
    return text_tokens(request.system) + tool_tokens(request.tools) + messages


def assert_sound(request: ModelRequest) -> None:
    """What every service asks for: replies with calls are followed by exactly their answers."""
    left: list[str] = []
    seen: set[str] = set()
    before: type[object] | None = None
    assert isinstance(request.messages[0], UserMessage)
    for message in request.messages:
        if isinstance(message, ToolMessage):
            assert left and message.call.id == left.pop(0)
        else:
            assert not left, "a call without its answer"
            assert type(message) is not before, "somebody speaks twice in a row"
        if isinstance(message, ModelReply):
            assert message.text.strip() or message.calls
            left = [call.id for call in message.calls]
            assert all(left) and len({*left}) == len(left) and not seen & {*left}
            seen |= {*left}
        before = type(message)
    assert not left


def text_of(request: ModelRequest) -> str:
    """All that a model reads."""
    said = [request.system]
    for message in request.messages:
        said.append(message.answer.text if isinstance(message, ToolMessage) else message.text)
        if isinstance(message, ModelReply):
            said += [call.text for call in message.calls]
    return "\n".join(said)


DAY = WorkingDay(datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 20))
TOOLS = [
    ToolInfo(name, "…", {"type": "object"}, 1)
    for name in ("desk_now", "desk_wait", "files_write", "desk_finish_day")
]


class FakeTransport:
    def __init__(self) -> None:
        self.now = DAY.starts
        self.made: list[tuple[str, Mapping[str, JsonValue]]] = []
        self.answer = "done"

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        self.made.append((name, arguments))
        ended = name in ("desk_wait", "desk_finish_day")
        self.now = DAY.ends if ended else self.now + timedelta(minutes=1)
        failed = name not in {tool.name for tool in TOOLS}
        return ToolResult("no such tool" if failed else self.answer, {}, self.now, failed=failed)


class Worked:
    """A day worked with a fake service."""

    def __init__(
        self,
        service: FakeService,
        limits: EpisodeLimits | None = None,
        earlier: Sequence[TurnRecord] = (),
    ):
        self.service = service
        self.transport = FakeTransport()
        told, allowed = "Your tasks: T1.", limits or EpisodeLimits()
        self.session = AgentSession(self.transport, TOOLS, told, DAY, allowed, earlier=earlier)
        self.conduct = AgentExit(EndReason.AGENT_ERROR)

    @property
    def incidents(self) -> dict[str, int]:
        return dict(self.session.counts.incidents)

    @property
    def made(self) -> list[str]:
        return [name for name, _ in self.transport.made]

    def answers(self, request: int) -> list[ToolResult]:
        asked = self.service.asked[request]
        return [one.answer for one in asked.messages if isinstance(one, ToolMessage)]

    def said(self, request: int) -> str:
        last = self.service.asked[request].messages[-1]
        return last.text if isinstance(last, UserMessage) else ""


async def worked(
    *sayings: Saying,
    limits: EpisodeLimits | None = None,
    history: str = "",
    service: FakeService | None = None,
    earlier: Sequence[TurnRecord] = (),
) -> Worked:
    day = Worked(service or FakeService(*sayings), limits, earlier)
    agent = OpenAIAgent.from_config(AgentConfig(name="x", agent="openai", history=history))
    agent.service, day.service.report = day.service, day.session.break_off
    day.conduct = await run_agent(agent, day.session)
    return day
