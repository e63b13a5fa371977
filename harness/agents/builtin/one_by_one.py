"""The oracle with deadlines and without planning: the task that is due first, to its end."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.meta_tasks.work.sources import ListedTask


class OneByOne(InOrder):
    """Works honestly, one task after the other, in each case on that which is due first."""

    name = "one_by_one"

    @staticmethod
    def choose(waiting: Mapping[str, ListedTask]) -> str:
        """The one with the earliest deadline."""
        return min(waiting, key=lambda task: waiting[task].deadline)
