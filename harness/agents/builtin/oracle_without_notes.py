"""The oracle without its notes: what it writes down on one day is gone on the next.

What it misses of a week shows how much of the week has to be remembered.
"""

from __future__ import annotations

from contextlib import suppress

from trainee_bench.harness.agents.builtin.oracle import Oracle, SessionToolBackend
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.meta_tasks.tool_client import ToolFailed

NOTES = "workspace:/notes"
"""Where oracles keep what they need on later days."""


class OracleWithoutNotes(Oracle):
    """Throws its notes away each morning, and works on as the oracle does."""

    name = "oracle_without_notes"

    async def work(self, session: AgentSession) -> None:
        """Let the oracles work, with nothing noted. Raises OracleFailed if any gave up."""
        with suppress(ToolFailed):  # there are no notes on the first day
            await SessionToolBackend(session).call("files_delete", {"path": NOTES})
        await super().work(session)
