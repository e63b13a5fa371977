"""The agent for language models behind any OpenAI-compatible endpoint.

Three components can be replaced: system prompt, history and model service
(``agents/llm/components.py``).
"""

from __future__ import annotations

from typing import Self

from trainee_bench.harness.agents.agent import ModelAgent, UnknownAgent
from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    SystemPrompt,
    UnknownComponent,
)
from trainee_bench.harness.agents.llm.histories import create_history
from trainee_bench.harness.agents.llm.loop import run_model_loop
from trainee_bench.harness.agents.llm.prompts import create_system_prompt
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession


class OpenAIAgent(ModelAgent):
    """Agent that asks a model what to do in every turn; it forgets everything between two days."""

    name = "openai"

    def __init__(self, prompt: SystemPrompt, history: ConversationHistory):
        self._prompt = prompt
        self._history = history

    @classmethod
    def from_config(cls, config: AgentConfig) -> Self:
        """Return the agent with the components that *config* names. Raises UnknownAgent."""
        try:
            return cls(create_system_prompt(config.system_prompt), create_history(config.history))
        except UnknownComponent as error:
            raise UnknownAgent(str(error)) from None

    async def work(self, session: AgentSession) -> None:
        """Work the day with the model of ``service``."""
        await run_model_loop(session, self.service, self._prompt, self._history)
