"""The oracle that loses its notes each night; it fails only what needs memory of earlier days.

On a world of one day it is the oracle.
"""

from __future__ import annotations

from typing import Self

from trainee_bench.harness.agents.builtin.oracle import Oracle
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.notes import NOTES_FOLDER


class OracleWithoutNotes(Oracle):
    """Agent that works as the oracle does, but deletes its notes when a day after the first
    begins."""

    name = "oracle_without_notes"
    forgets = False

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the agent for this day."""
        made = await super().for_day(composition)
        made.forgets = composition.place > 0
        return made

    async def work(self, session: AgentSession) -> None:
        """Delete the notes, if there are any, and work. Raises OracleFailed."""
        if self.forgets:
            await session.call("files_delete", path=NOTES_FOLDER)
        await super().work(session)
