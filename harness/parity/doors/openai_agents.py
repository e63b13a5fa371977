"""The OpenAI Agents SDK, with its model for responses, which shows pictures."""

from __future__ import annotations

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class OpenAiAgentsStdioDoor(ProgramDoor):
    """Over stdio."""

    name = "openai_agents-stdio"
    packages = ("openai-agents",)


class OpenAiAgentsHttpDoor(OpenAiAgentsStdioDoor):
    """Over HTTP."""

    name = "openai_agents-http"
    transport = ClientTransport.HTTP
