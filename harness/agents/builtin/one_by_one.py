"""The oracle with deadlines and without planning: the task that is due first, to its end."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.meta_tasks.tool_client import ToolData


class OneByOne(InOrder):
    """Works honestly, one task after the other, in each case on that which is due first."""

    name = "one_by_one"

    def choose(self, waiting: Sequence[ToolData]) -> ToolData:
        """The one with the earliest deadline."""
        return min(waiting, key=lambda task: str(task["deadline"]))
