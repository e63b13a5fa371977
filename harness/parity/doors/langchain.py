"""LangChain with its MCP adapters, which need a different MCP SDK than ours."""

from __future__ import annotations

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class LangChainStdioDoor(ProgramDoor):
    """Over stdio."""

    name = "langchain-stdio"
    packages = (
        "langchain",
        "langchain-mcp-adapters",
    )


class LangChainHttpDoor(LangChainStdioDoor):
    """Over HTTP."""

    name = "langchain-http"
    transport = ClientTransport.HTTP
