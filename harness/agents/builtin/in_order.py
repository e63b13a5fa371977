"""The oracle without planning: one task after the other, in the order listed.

While it waits for answers or a meeting, it never works on a second task. Its score therefore shows
how much planning a day requires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from trainee_bench.harness.agents.builtin.oracle import Oracle, SessionToolBackend, costs_in
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.work_plan import outline_of, standing_work
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.work.need import TaskWork
from trainee_bench.meta_tasks.work.sources import ListedTask


class InOrder(Oracle):
    """Honest agent without a plan: it works on the first listed open task, then on the next."""

    name = "in_order"

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the agent for all tasks of *composition*; it does not choose among them by their
        worth."""
        works: dict[str, TaskWork] = standing_work(composition)
        for task in composition.tasks:
            works[task.id] = task.meta_task.family_class.honest_work
        outline = outline_of(composition, planned=False)
        return cls(composition, works, replace(outline, one_by_one=cls.choose))

    @staticmethod
    def choose(waiting: Mapping[str, ListedTask]) -> str:
        """Choose the next of the listed tasks that are *waiting* (at least one, by id)."""
        return next(iter(waiting))

    async def work(self, session: AgentSession) -> None:
        """Work one task after the other until the day is over; leave tasks that are late."""
        await self.work_with(SessionToolBackend(session), costs_in(session))
