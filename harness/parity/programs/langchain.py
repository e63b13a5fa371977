"""An agent of LangChain, with chat completions."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def main() -> None:
    """Do the task."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    office = task["office"]
    if office["url"]:
        connection = {
            "transport": "streamable_http",
            "url": office["url"],
            "headers": office["headers"],
        }
    else:
        command, *arguments = office["command"]
        connection = {
            "transport": "stdio",
            "command": command,
            "args": arguments,
            "env": office["environment"],
        }
    model = ChatOpenAI(
        model="scripted-model", base_url=f"{task['model']}/v1", api_key="none", streaming=True
    )
    client = MultiServerMCPClient({"office": connection})
    # Without a session, each call would start a new server.
    async with client.session("office") as session:
        agent = create_agent(model, await load_mcp_tools(session))
        messages = {"messages": [{"role": "user", "content": task["prompt"]}]}
        done = await agent.ainvoke(messages, {"recursion_limit": 400})
    print(done["messages"][-1].content)


asyncio.run(main())
