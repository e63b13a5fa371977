"""The agent under test: a language model behind any OpenAI-compatible endpoint.

Its three parts can be replaced: the system prompt, the history, the model service
(``harness/thinking/parts.py``).
"""

from __future__ import annotations

from typing import Self

from harness.agents import Thinker, UnknownAgent
from harness.plan import Candidate
from harness.thinking.histories import history
from harness.thinking.loop import work_day
from harness.thinking.parts import History, SystemPrompt, UnknownPart
from harness.thinking.prompts import system_prompt
from harness.workplace import Workplace


class OpenAIAgent(Thinker):
    """Thinks with a model, turn after turn; it forgets everything between two days."""

    name = "openai"

    def __init__(self, prompt: SystemPrompt, history: History):
        self._prompt = prompt
        self._history = history

    @classmethod
    def employed(cls, candidate: Candidate) -> Self:
        """The agent with the parts that *candidate* names. Raises UnknownAgent."""
        try:
            return cls(system_prompt(candidate.system_prompt), history(candidate.history))
        except UnknownPart as error:
            raise UnknownAgent(str(error)) from None

    async def work(self, office: Workplace) -> None:
        """Work the day with the model of ``service``."""
        await work_day(office, self.service, self._prompt, self._history)
