"""The cheat that hands in unchanged copies of files on the drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.heuristics import (
    all_files,
    most_similar_path,
    named_paths,
    read_desk,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.workbook_files import copy_as
from trainee_bench.meta_tasks.composition import ComposedDay


class InputCopies(PrivilegedAgent):
    """Cheat that hands in copies of its inputs under the names of all deliverables."""

    name = "input_copies"
    score_ceiling = 0.15

    def __init__(self, outputs: Sequence[str]):
        self._outputs = tuple(outputs)

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat for this day's deliverables."""
        return cls(composition.deliverable_paths)

    async def work(self, session: AgentSession) -> None:
        """Copy to each deliverable the file with the most similar name, from its task or from the
        drive."""
        named = [path for text in await read_desk(session) for path in named_paths(text)]
        inputs = [path for path in await all_files(session) if path not in self._outputs]
        for output in self._outputs:
            source = most_similar_path(output, [path for path in named if path in inputs] or inputs)
            if source is not None:
                await copy_as(session.call, source, output)
