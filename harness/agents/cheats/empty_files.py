"""The cheat that hands in empty files under the right names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.composition import ComposedDay


class EmptyFiles(PrivilegedAgent):
    """Cheat that hands in empty files under the right names, even names announced only in a
    meeting."""

    name = "empty_files"
    score_ceiling = 0.05

    def __init__(self, paths: Sequence[str]):
        self._paths = tuple(paths)

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat for this day's deliverables."""
        return cls(composition.deliverable_paths)

    async def work(self, session: AgentSession) -> None:
        """Write the deliverables as empty files."""
        for path in self._paths:
            await write_as(session.call, path, "")
