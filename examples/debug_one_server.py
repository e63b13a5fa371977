"""Debug one tool server: serve a single app in memory, list its tools, call one.

    python examples/debug_one_server.py

From a shell, `trainee-bench serve mail --world my.world` serves the same app over stdio, for the
MCP Inspector or any other client.
"""

from __future__ import annotations

import asyncio

from mcp import Client

from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world


async def main() -> None:
    """Connect to the chat server of a fresh day."""
    async with await create_world(None, find_scenario()) as world:
        server = await build_office_server(world, app="chat")
        async with Client(server) as client:
            for tool in (await client.list_tools()).tools:
                print(f"{tool.name}: {tool.description.splitlines()[0]}")
            result = await client.call_tool("chat_list_people", {"department": "Finance"})
            print(result.content[0].text)  # for the model
            print(result.structured_content["data"]["total"], "people")  # the same as data
            result = await client.call_tool("chat_send_message", {"to": "nobody", "text": "Hi"})
            print("refused:", result.content[0].text)
        for entry in await world.log():
            print(f"{entry.seq}. {entry.at:%H:%M} {entry.tool}")


if __name__ == "__main__":
    asyncio.run(main())
