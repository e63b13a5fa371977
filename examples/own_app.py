"""Your own app: tables, a verb and a tool, served over MCP in memory and called.

    python examples/own_app.py

An app that ships with the project is two files of the same name, one in `world/apps` and one in
`mcp_servers`, and needs no registration. Here both fit into one script.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated

from mcp import Client
from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World, WorldConfig

SCHEMA = "CREATE TABLE ticket (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE) STRICT"
TOOLS = Toolbox("tickets", "Open tickets with the help desk.")
DAY = WorldConfig("robin", starts=datetime(2025, 10, 1, 8), ends=datetime(2025, 10, 1, 18))


class Ticket(BaseModel):
    """A row as agents see it."""

    id: int
    title: str


@TOOLS.tool(minutes=3)
def tickets_open(
    tx: Transaction, title: Annotated[str, Field(description="What is broken")]
) -> Result[Ticket]:
    """Open a ticket. Use it once for each broken thing."""
    if tx.row("SELECT id FROM ticket WHERE title = ?", title):
        raise Refused(f"There is a ticket {title!r} already.")  # the agent reads this text
    number = tx.run("INSERT INTO ticket (title) VALUES (?)", title)
    return Result(f"Ticket {number} is open.", Ticket(id=number, title=title))


async def main() -> None:
    """Serve the app to one employee and use it as any MCP client would."""
    async with await World.create(None, DAY, lambda tx: tx.run(SCHEMA)) as world:
        server = build_server("tickets", ToolDispatcher(world, "robin", [TOOLS]), TOOLS.about, {})
        async with Client(server) as client:
            for title in ("Printer is dark", "Printer is dark", "No coffee"):
                result = await client.call_tool("tickets_open", {"title": title})
                print("failed" if result.is_error else "done", "-", result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main())
