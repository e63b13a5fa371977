"""Solvers with tools of Inspect: an agent on each day, and Inspect's `react` for such an agent."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, react
from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, chain

from trainee_bench.harness.agents.llm.loop import MAX_UNUSABLE_REPLIES
from trainee_bench.harness.integrations.inspect_ai.native_tools import office_tools
from trainee_bench.harness.integrations.inspect_ai.staged_days import day_of, sample_day
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL

_GO_ON = f"Go on by calling tools, or end the day with {FINISH_DAY_TOOL} if nothing is left to do."


def work_each_day(agent: Agent | Solver) -> Solver:
    """Let *agent* work the sample's day; of a week each day, with nothing remembered over night."""
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
    """Inspect's `react` with the tools of the office, until the day is over."""
    return react(tools=[office_tools()], submit=False, on_continue=_until_over)


async def _until_over(state: AgentState) -> bool | str:
    """Whether the agent goes on: as long as it is day, unless it has long stopped calling tools."""
    if sample_day().day.done:
        return False
    if state.output.message.tool_calls:
        return True
    said = [one for one in state.messages if one.role == "assistant"][-MAX_UNUSABLE_REPLIES:]
    idle = len(said) == MAX_UNUSABLE_REPLIES and not any(one.tool_calls for one in said)
    return False if idle else _GO_ON
