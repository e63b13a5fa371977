"""An agent loop for verl: a rollout works the day of its row, with the tools of that day.

    row ──► OfficeAgentLoop.run ──► verl's tool loop ◄──► Episode ──► reward_score

verl makes an instance for each rollout. Everything but the day is verl's own `ToolAgentLoop`: the
prompt's tokens, the parser of calls, the masks and the limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from pydantic import JsonValue
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput
from verl.experimental.agent_loop.tool_agent_loop import AgentState, ToolAgentLoop
from verl.tools.function_tool import FunctionTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse

from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.integrations.training.rows import day_of_row, training_rows
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.models.chat_format import to_chat_tools

__all__ = ["AGENT_NAME", "OfficeAgentLoop", "verl_rows"]

AGENT_NAME = "trainee_bench"
"""The name of the agent loop in verl's configuration and in the rows."""


def verl_rows(options: SplitOptions, system_prompt: str = "") -> Iterator[dict[str, object]]:
    """Yield the days of a split with the columns that verl requires. Raises what `training_rows`
    raises."""
    for row in training_rows(options, system_prompt):
        yield {
            **row,
            "data_source": AGENT_NAME,
            "agent_name": AGENT_NAME,
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {"index": row["index"]},
        }


class OfficeAgentLoop(ToolAgentLoop):
    """A day for one rollout; its reward is the day's score, from 0 to 1."""

    _episode: Episode | None = None
    _done = False
    _failure: Exception | None = None

    async def run(self, sampling_params: dict[str, object], **row: Any) -> AgentLoopOutput:
        """Work the day of *row*, which comes from `verl_rows`.

        Raises NoDayGiven for a different row, and what `Episode.begin` raises.
        """
        given = day_of_row(row)
        episode = await asyncio.get_running_loop().run_in_executor(None, Episode.begin, given)
        self._episode, self._done, self._failure = episode, False, None
        self._offer(episode)
        *before, last = row["raw_prompt"]
        asked = [*before, {**last, "content": f"{last['content']}{episode.start.prompt}"}]
        try:
            output = await super().run(sampling_params, **{**row, "raw_prompt": asked})
            output.reward_score = episode.score
        finally:
            self._episode = None
            episode.close()
        return output

    def _offer(self, episode: Episode) -> None:
        """Offer the tools of the day instead of those in verl's configuration."""
        described = to_chat_tools(episode.start.tools)
        self.tools = {
            tool.name: FunctionTool(
                name=tool.name,
                fn=partial(self._call, tool.name),
                tool_schema=OpenAIFunctionToolSchema.model_validate(schema),
                is_async=True,
            )
            for tool, schema in zip(episode.start.tools, described, strict=True)
        }
        self.tool_schemas = [dict(schema) for schema in described]

    async def _call(
        self, tool_name: str, /, **arguments: JsonValue
    ) -> tuple[ToolResponse, float, dict[str, object]]:
        """Make a call. It takes milliseconds and waits for nothing, so that the calls of a turn
        keep their order."""
        assert self._episode is not None
        try:
            made = self._episode.call(tool_name, arguments)
        except Exception as failure:
            self._failure = failure  # verl would show it to the model as an answer
            raise
        self._done = made.done
        return ToolResponse(text=made.answer.text), made.reward, {}

    async def _handle_processing_tools_state(self, agent_data: Any) -> AgentState:
        """Make the calls of a turn; the rollout ends with the working day. Raises what the office
        raised, which is a bug."""
        state = await super()._handle_processing_tools_state(agent_data)
        if self._failure is not None:
            raise self._failure
        return AgentState.TERMINATED if self._done else state
