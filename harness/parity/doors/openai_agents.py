"""The OpenAI Agents SDK, with its model for responses, which shows pictures."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class OpenAiAgentsStdioDoor(ProgramDoor):
    """Over stdio."""

    name: ClassVar[str] = "openai_agents-stdio"
    packages: ClassVar[tuple[str, ...]] = ("openai-agents",)


class OpenAiAgentsHttpDoor(OpenAiAgentsStdioDoor):
    """Over HTTP."""

    name: ClassVar[str] = "openai_agents-http"
    transport: ClassVar[ClientTransport] = ClientTransport.HTTP
