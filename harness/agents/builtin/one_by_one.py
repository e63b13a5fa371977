"""The oracle with deadlines and without planning: the task that is due first, to its end."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.meta_tasks.tool_client import ToolData


class OneByOne(InOrder):
    """Works on the task that is due first of those it has not tried yet, then on the next."""

    name = "one_by_one"

    def choose(self, waiting: Sequence[ToolData]) -> ToolData:
        """The one with the earliest deadline."""
        return min(waiting, key=lambda task: str(task["deadline"]))
