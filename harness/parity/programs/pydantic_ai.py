"""An agent of pydantic-ai, with Anthropic's messages, streamed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterable
from pathlib import Path

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from pydantic_ai import Agent, RunContext, UsageLimits
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import AgentStreamEvent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider


async def watch(context: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
    """Read all events, so that the reply is streamed."""
    async for _ in events:
        pass


async def main() -> None:
    """Do the task."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    office = task["office"]
    if office["url"]:
        transport = StreamableHttpTransport(office["url"], headers=office["headers"])
    else:
        command, *arguments = office["command"]
        transport = StdioTransport(command, arguments, env=office["environment"])
    provider = AnthropicProvider(api_key="none", base_url=task["model"])
    agent = Agent(
        AnthropicModel("scripted-model", provider=provider),
        # With the default, two errors of one tool end the run.
        toolsets=[MCPToolset(transport, max_retries=1000)],
        retries=1000,
    )
    async with agent:
        done = await agent.run(
            task["prompt"],
            usage_limits=UsageLimits(request_limit=200),
            event_stream_handler=watch,
        )
    print(done.output)


asyncio.run(main())
