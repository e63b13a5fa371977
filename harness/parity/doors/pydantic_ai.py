"""Pydantic AI, with Anthropic's messages, streamed."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class PydanticAiStdioDoor(ProgramDoor):
    """Over stdio."""

    name: ClassVar[str] = "pydantic_ai-stdio"
    packages: ClassVar[tuple[str, ...]] = ("pydantic-ai-slim",)


class PydanticAiHttpDoor(PydanticAiStdioDoor):
    """Over HTTP."""

    name: ClassVar[str] = "pydantic_ai-http"
    transport: ClassVar[ClientTransport] = ClientTransport.HTTP
