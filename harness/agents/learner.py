"""The continual agent: it thinks over each day with what was found, and takes notes to the next."""

from __future__ import annotations

from collections import Counter

from harness.agents.openai import OpenAIAgent
from harness.learning.reflection import LONGEST_ACCOUNT, Reminded, asked_to_reflect, kept
from harness.models.conversation import Finish, ModelReply
from harness.models.service import ContextOverflow
from harness.thinking.loop import work_day
from harness.workplace import Thought, Workplace

_ROOMS = (LONGEST_ACCOUNT, LONGEST_ACCOUNT // 4, 0)
"""Characters for a day's turns: less where the model cannot read so much."""


class Learner(OpenAIAgent):
    """The agent ``openai`` with a memory: ``memory`` holds its notes, in Markdown.

    Feedback says what was missed and where to look (tier 2); how, is for the agent to find out.
    """

    name = "learner"
    feedback_tier = 2
    memory: str = ""
    _office: Workplace | None = None

    async def work(self, office: Workplace) -> None:
        """Work the day, reminded of the notes."""
        self._office = office
        reminded = Reminded(self._prompt, self.memory)
        await work_day(office, self.service, reminded, self._history)

    async def reflect(self, feedback: str) -> list[Thought]:
        """Think over the day just worked, and write the notes anew; what was thought.

        A reply of no use leaves them as they are. Raises InfrastructureFault where the model
        cannot be asked.
        """
        office = self._office
        if office is None:
            return []
        before = Counter(self.service.incidents)
        reply = await self._reflection(office, feedback)
        office.counts.incidents.update(self.service.incidents - before)
        if reply is None:
            return []
        notes = kept(reply.text)
        if reply.finish is Finish.REFUSAL or not notes:
            office.counts.incidents["reflection_failed"] += 1
        else:
            self.memory = notes
        return [reply.thought]

    async def _reflection(self, office: Workplace, feedback: str) -> ModelReply | None:
        """The model's reply, None if it cannot even read the shortest account."""
        for room in _ROOMS:
            try:
                asked = asked_to_reflect(office, feedback, self.memory, room)
                return await self.service.reply(asked)
            except ContextOverflow:
                office.counts.incidents["context_overflow"] += 1
        office.counts.incidents["reflection_failed"] += 1
        return None
