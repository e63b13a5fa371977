"""The continual agent: it reflects on the feedback on each day and keeps notes for the next."""

from __future__ import annotations

from collections import Counter

from trainee_bench.harness.agents.builtin.openai import OpenAIAgent
from trainee_bench.harness.agents.llm.loop import run_model_loop
from trainee_bench.harness.agents.llm.reflection import (
    MAX_TRANSCRIPT_CHARS,
    PromptWithNotes,
    reflection_request,
    truncate_notes,
)
from trainee_bench.harness.models.conversation import ContextOverflow, FinishReason, ModelReply
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import Thought

_TRANSCRIPT_BUDGETS = (MAX_TRANSCRIPT_CHARS, MAX_TRANSCRIPT_CHARS // 4, 0)
"""Characters of a day's turns in the request, tried in order until the model accepts one."""


class Learner(OpenAIAgent):
    """Model agent like ``openai`` that keeps notes from day to day in its ``memory``.

    It gets feedback of tier 2: what was missed and where to look, but not how to do it.
    """

    name = "learner"
    feedback_tier = 2
    memory: str = ""
    _session: AgentSession | None = None

    async def work(self, session: AgentSession) -> None:
        """Work the day with the notes in the system prompt."""
        self._session = session
        reminded = PromptWithNotes(self._prompt, self.memory)
        await run_model_loop(session, self.service, reminded, self._history)

    async def reflect(self, feedback: str) -> list[Thought]:
        """Let the model rewrite the notes from *feedback*; return the thoughts this took.

        An unusable reply leaves the notes unchanged. Raises InfrastructureFault if the model is
        unavailable.
        """
        session = self._session
        if session is None:
            return []
        before = Counter(self.service.incidents)
        reply = await self._reflection(session, feedback)
        session.counts.incidents.update(self.service.incidents - before)
        if reply is None:
            return []
        notes = truncate_notes(reply.text)
        if reply.finish is FinishReason.REFUSAL or not notes:
            session.counts.incidents["reflection_failed"] += 1
        else:
            self.memory = notes
        return [reply.thought]

    async def _reflection(self, session: AgentSession, feedback: str) -> ModelReply | None:
        """Return the model's reply, None if even the shortest request is too long for the model."""
        for room in _TRANSCRIPT_BUDGETS:
            try:
                request = reflection_request(session, feedback, self.memory, room)
                return await self.service.reply(request)
            except ContextOverflow:
                session.counts.incidents["context_overflow"] += 1
        session.counts.incidents["reflection_failed"] += 1
        return None
