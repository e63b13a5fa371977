"""An agent written with pydantic-ai whose model is a function; .ci/outside_agent runs it.

    python pydantic_ai_agent.py MCP_CONFIG PROMPT_FILE

It reads its tasks, asks the colleague who invited it to a meeting what is new, and goes home. Its
environment has nothing of Trainee-Bench.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.mcp import load_mcp_toolsets
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

PREFIX = "office_"
"""The framework's prefix of tool names."""


def decide(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Return the next step of a model with a fixed plan."""
    offered = {tool.name for tool in info.function_tools}
    answers = [
        part
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    print(f"{len(offered)} tools, {len(answers)} answers so far", flush=True)
    latest = str(answers[-1].content) if answers else ""
    match len(answers):
        case 0:
            call = ToolCallPart(f"{PREFIX}desk_tasks", {})
        case 1:
            inviting = re.search(r"([a-z]+\.[a-z]+) invites you", latest)
            to = inviting[1] if inviting else "nobody"
            call = ToolCallPart(
                f"{PREFIX}chat_send_message", {"to": to, "text": "What is the meeting about?"}
            )
        case 2:
            call = ToolCallPart(f"{PREFIX}desk_wait", {"minutes": 15})
        case 3:
            call = ToolCallPart(f"{PREFIX}desk_finish_day", {})
        case _:
            return ModelResponse(parts=[TextPart("I have gone home.")])
    if call.tool_name not in offered:
        sys.exit(f"there is no {call.tool_name} among {sorted(offered)}")
    return ModelResponse(parts=[call])


async def main() -> None:
    """Work the day."""
    config, prompt = sys.argv[1:]
    if importlib.util.find_spec("trainee_bench") is not None:
        sys.exit("this environment is not its own")
    agent = Agent(FunctionModel(decide), toolsets=load_mcp_toolsets(config))
    async with agent:
        done = await agent.run(Path(prompt).read_text(encoding="utf-8"))
    print(done.output)


asyncio.run(main())
