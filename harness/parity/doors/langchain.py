"""LangChain with its MCP adapters, which need another SDK for MCP than we do."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class LangChainStdioDoor(ProgramDoor):
    """Over stdio."""

    name: ClassVar[str] = "langchain-stdio"
    packages: ClassVar[tuple[str, ...]] = (
        "langchain",
        "langchain-mcp-adapters",
    )


class LangChainHttpDoor(LangChainStdioDoor):
    """Over HTTP."""

    name: ClassVar[str] = "langchain-http"
    transport: ClassVar[ClientTransport] = ClientTransport.HTTP
