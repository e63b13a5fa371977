"""Pydantic AI, with Anthropic's messages, streamed."""

from __future__ import annotations

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class PydanticAiStdioDoor(ProgramDoor):
    """Over stdio."""

    name = "pydantic_ai-stdio"
    packages = ("pydantic-ai-slim",)


class PydanticAiHttpDoor(PydanticAiStdioDoor):
    """Over HTTP."""

    name = "pydantic_ai-http"
    transport = ClientTransport.HTTP
