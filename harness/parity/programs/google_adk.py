"""An agent of Google's ADK, with Gemini's generateContent."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset
from google.adk.tools.mcp_tool.mcp_session_manager import (
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from google.genai import types
from mcp import StdioServerParameters


async def main() -> None:
    """Do the task."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    office = task["office"]
    os.environ |= {"GOOGLE_GEMINI_BASE_URL": task["model"], "GOOGLE_API_KEY": "none"}
    if office["url"]:
        connection = StreamableHTTPConnectionParams(
            url=office["url"], headers=office["headers"], timeout=60
        )
    else:
        command, *arguments = office["command"]
        parameters = StdioServerParameters(
            command=command, args=arguments, env=office["environment"]
        )
        connection = StdioConnectionParams(server_params=parameters, timeout=60)
    toolset = McpToolset(connection_params=connection)
    agent = LlmAgent(name="trainee", model="gemini-2.5-flash", tools=[toolset])
    runner = InMemoryRunner(agent=agent, app_name="trainee")
    session = await runner.session_service.create_session(app_name="trainee", user_id="trainee")
    message = types.Content(role="user", parts=[types.Part(text=task["prompt"])])
    async for event in runner.run_async(
        user_id="trainee",
        session_id=session.id,
        new_message=message,
        run_config=RunConfig(max_llm_calls=200, streaming_mode=StreamingMode.SSE),
    ):
        if event.is_final_response() and event.content:
            print(event.content.parts[0].text)
    await toolset.close()


asyncio.run(main())
