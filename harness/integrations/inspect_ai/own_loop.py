"""The solvers. The default is our own loop around the model that Inspect evaluates.

It is the loop of ``trainee-bench run --model``: the same prompts, histories, limits and answers to
malformed calls, all of which reach the office. With Inspect's tools some calls would not reach it.
The other solvers, such as Inspect's `react`, use those tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inspect_ai.agent import Agent, AgentState, react
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, chain
from inspect_ai.tool import ToolCall, ToolDef, ToolError, ToolParams
from pydantic import JsonValue

from trainee_bench.harness.agents.llm.histories import create_history
from trainee_bench.harness.agents.llm.loop import MAX_UNUSABLE_REPLIES, run_model_loop
from trainee_bench.harness.agents.llm.prompts import create_system_prompt
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.inspect_ai.conversation import (
    InspectModelService,
    MessageBook,
    RecordingHistory,
)
from trainee_bench.harness.integrations.inspect_ai.native_tools import (
    UNLIMITED,
    ToolContent,
    office_tools,
    tool_content,
    tool_infos,
)
from trainee_bench.harness.integrations.inspect_ai.scoring import OWN_MODELS
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, day_of, sample_day
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.thinking import TimedThinking
from trainee_bench.harness.session.turns import ToolResult
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL

_ANYTHING = ToolParams(additionalProperties=True)
_NO_TOKENS = (
    "{model} writes no tokens, so its thinking cannot take time. Leave out -S thinking={pace}, or "
    "evaluate a language model."
)


def own_loop(limits: EpisodeLimits, history: str, system_prompt: str) -> Solver:
    """Return our own loop under *limits*, which hold for each day of a week.

    *history* and *system_prompt* name components; "" means the default. Raises UnknownComponent.
    The solver raises PlanError if thinking takes time and the model is one of ours, since those
    write no tokens.
    """
    create_history(history)
    prompt = create_system_prompt(system_prompt)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        day = day_of(state)
        if limits.tokens_per_minute is not None and state.model.api == OWN_MODELS:
            raise PlanError(_NO_TOKENS.format(model=state.model, pace=limits.tokens_per_minute))
        day.limits = limits
        state.messages = []
        while True:
            book = MessageBook()
            service = InspectModelService(get_model(), tool_infos(day), book)
            session = _session(day, limits, _RecordedSeat(day, service, state))
            remembered = RecordingHistory(create_history(history), book, state.messages)
            try:
                with session.scope:
                    await run_model_loop(session, service, prompt, remembered)
                if session.fault is not None:  # an office error, or a stop that Inspect requested
                    raise session.fault
                day.ended.append(session.ended or EndReason.AGENT)
            finally:
                day.steps += session.counts.steps
                day.refused_calls += session.counts.refused_calls
                day.incidents.update(session.counts.incidents)
                state.output = service.latest
            if not day.next_morning():
                return state

    return solve


def _session(day: SampleDay, limits: EpisodeLimits, seat: _RecordedSeat) -> AgentSession:
    days = day.day.composition.days
    prompt = day.day.start(limits).prompt
    pace = limits.tokens_per_minute
    return AgentSession(
        seat,
        day.tools,
        prompt,
        days[day.place],
        limits,
        day.place,
        len(days),
        thinking=None if pace is None else TimedThinking(pace, _DayClock(day.day)),
    )


@dataclass(frozen=True)
class _DayClock:
    """The clock of a sample's day."""

    day: Day

    async def pass_minutes(self, minutes: int) -> datetime:
        """Let *minutes* of thinking pass; return the time afterwards."""
        return self.day.pass_minutes(minutes)


class _RecordedSeat:
    """A seat whose calls go through Inspect, so that its transcript has them and its approvers are
    asked. Its tools take any arguments."""

    def __init__(self, day: SampleDay, service: InspectModelService, state: TaskState):
        self._day = day
        self._service = service
        self._state = state

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call."""
        answers: list[ToolResult] = []
        tool = ToolDef(
            self._made(name, arguments, answers),
            name=name,
            description=name,
            parameters=_ANYTHING,
            parallel=False,
            max_output=UNLIMITED,
        )
        call = ToolCall(self._id(name, arguments), name, dict(arguments))
        said = ChatMessageAssistant(content="", tool_calls=[call])
        done = await execute_tools([*self._state.messages, said], [tool])
        return answers[0] if answers else _not_made(done.messages)

    def _made(
        self, name: str, arguments: Mapping[str, JsonValue], answers: list[ToolResult]
    ) -> Callable[..., Any]:
        async def execute(**kwargs: Any) -> ToolContent:
            answers.append(self._day.call(name, arguments))
            if answers[0].failed:
                raise ToolError(answers[0].text)
            return tool_content(answers[0])

        return execute

    def _id(self, name: str, arguments: Mapping[str, JsonValue]) -> str:
        """Return the id that the model gave the call."""
        for place, call in enumerate(self._service.calls):
            if call.function == name and call.arguments == arguments:
                return self._service.calls.pop(place).id
        return f"call-{self._day.calls + 1}"


def _not_made(messages: list[ChatMessage]) -> ToolResult:
    """Return the result of a call that an approver refused."""
    errors = [
        message.error.message
        for message in messages
        if isinstance(message, ChatMessageTool) and message.error
    ]
    return ToolResult("\n".join(errors), None, None, failed=True)


_GO_ON = (
    f"Continue by calling tools, or end the day with {FINISH_DAY_TOOL} if nothing is left to do."
)


def work_each_day(agent: Agent | Solver) -> Solver:
    """Let *agent* work the sample's day, or each day of its week. It remembers nothing over
    night."""
    worker = chain(agent)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        day = day_of(state)
        before: list[ChatMessage] = []
        try:
            while True:
                state = await worker(state, generate)
                if not day.next_morning():
                    return state
                before += state.messages
                state.messages = [ChatMessageUser(content=day.day.start().prompt)]
        finally:
            if before:
                state.messages = [*before, *state.messages]

    return solve


def worker() -> Agent:
    """Return Inspect's `react` with the tools of the office, to work until the day is over."""
    return react(tools=[office_tools()], submit=False, on_continue=_until_over)


async def _until_over(state: AgentState) -> bool | str:
    """Return whether the agent continues: until the day is over or it has stopped calling tools."""
    if sample_day().day.done:
        return False
    if state.output.message.tool_calls:
        return True
    replies = [message for message in state.messages if message.role == "assistant"][
        -MAX_UNUSABLE_REPLIES:
    ]
    idle = len(replies) == MAX_UNUSABLE_REPLIES and not any(reply.tool_calls for reply in replies)
    return False if idle else _GO_ON
