"""The baseline for our server: an MCP server of the bare SDK, without a world.

    python benchmarks/bare_sdk.py PAYLOADS

serves tools with our names and arguments over stdio. Each returns a recorded payload of our tool,
from PAYLOADS (JSON, by tool). Without PAYLOADS it serves one empty tool.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, create_model


def bare_server(payloads: dict[str, dict[str, Any]]) -> MCPServer[Any]:
    """A server of desk_now, mail_list and files_write; the last one stores nothing."""
    # imported here, so that the empty server does not pay for it
    from trainee_bench.mcp_servers import default_toolboxes
    from trainee_bench.world.transaction import Notice

    server: MCPServer[Any] = MCPServer("bare", log_level="WARNING")
    tools = {tool.name: tool for box in default_toolboxes().values() for tool in box}

    def answer_of(name: str) -> type[BaseModel]:
        return create_model(
            f"{name}_answer",
            data=(tools[name].data, ...),
            time=(str, ...),
            notices=(tuple[Notice, ...], ...),
        )

    def answer(name: str) -> CallToolResult:
        payload = payloads[name]
        return CallToolResult(
            content=[TextContent(type="text", text=payload["text"])],
            structured_content=payload["structured"],
        )

    @server.tool()
    async def desk_now() -> Annotated[CallToolResult, answer_of("desk_now")]:
        """The time, and when the day ends. Every result shows the time, too. (1 min)"""
        return answer("desk_now")

    @server.tool()
    async def mail_list(
        label: Annotated[str, Field(description="inbox, unread, sent, all, or yours")] = "inbox",
        before: Annotated[int, Field(description="Only mails with a smaller number")] = 0,
    ) -> Annotated[CallToolResult, answer_of("mail_list")]:
        """List your mails with a label, newest first, ten at a time. (1 min)"""
        return answer("mail_list")

    @server.tool()
    async def files_write(
        path: Annotated[str, Field(description="e.g. drive:/hr/rules.md")],
        text: Annotated[str, Field(description="The whole text")],
    ) -> Annotated[CallToolResult, answer_of("files_write")]:
        """Write a text file. (1 min)"""
        return answer("files_write")

    return server


def empty_server() -> MCPServer[Any]:
    """A server of one tool that does nothing."""
    server: MCPServer[Any] = MCPServer("empty", log_level="WARNING")

    @server.tool()
    async def nothing() -> str:
        """Do nothing."""
        return "done"

    return server


if __name__ == "__main__":
    given = sys.argv[1:]
    chosen = bare_server(json.loads(Path(given[0]).read_text())) if given else empty_server()
    chosen.run()
