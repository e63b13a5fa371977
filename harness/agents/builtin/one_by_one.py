"""The oracle with deadlines but without planning: it finishes the task due first, then the next."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.meta_tasks.work.sources import ListedTask


class OneByOne(InOrder):
    """Honest agent that works one task after the other, always the one with the next deadline."""

    name = "one_by_one"

    @staticmethod
    def choose(waiting: Mapping[str, ListedTask]) -> str:
        """Choose the task with the earliest deadline."""
        return min(waiting, key=lambda task: waiting[task].deadline)
