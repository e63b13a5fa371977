"""The setup of our tasks, which runs before any solver."""

from __future__ import annotations

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from trainee_bench.harness.integrations.inspect_ai.native_tools import native_tools
from trainee_bench.harness.integrations.inspect_ai.staged_days import (
    SampleDay,
    close_day,
    keep_day,
)
from trainee_bench.meta_tasks.scenario import Scenario


@solver
def stage_day() -> Solver:
    """Stage the sample's day, give its tools, and say what its employee is told in the morning."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scenario = Scenario.model_validate(state.metadata["scenario"])
        day = SampleDay(scenario, int(state.metadata["day"]))
        keep_day(state, day)
        state.messages = [ChatMessageUser(content=day.day.start().prompt)]
        state.tools = native_tools(day)
        return state

    return solve


async def leave_day(state: TaskState) -> None:
    """Free the world of a sample that has been scored, or has failed."""
    close_day(state)
