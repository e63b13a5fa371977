"""An agent of the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI


async def main() -> None:
    """Do the task."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    office = task["office"]
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{task['model']}/v1", api_key="none")
    model = OpenAIResponsesModel("scripted-model", client)
    if office["url"]:
        address = {"url": office["url"], "headers": office["headers"]}
        server = MCPServerStreamableHttp(address, client_session_timeout_seconds=60)
    else:
        command, *arguments = office["command"]
        start = {"command": command, "args": arguments, "env": office["environment"]}
        server = MCPServerStdio(start, client_session_timeout_seconds=60)
    async with server:
        agent = Agent("trainee", model=model, mcp_servers=[server])
        # Otherwise a call of an unknown tool ends the run.
        config = RunConfig(tool_not_found_behavior="return_error_to_model")
        done = await Runner.run(agent, task["prompt"], max_turns=200, run_config=config)
    print(done.final_output)


asyncio.run(main())
