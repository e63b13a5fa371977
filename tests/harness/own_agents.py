"""Agents of somebody's own, for tests: found by module and class."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.harness.session.agent_session import AgentSession

POLITE, STUBBORN, COUNTING = (f"{__name__}:{name}" for name in ("Polite", "Stubborn", "Counting"))


class Polite:
    """Looks at its tasks and goes home."""

    async def work(self, session: AgentSession) -> None:
        """Work one day."""
        await session.call("desk_tasks")


class Stubborn:
    """Never stops by itself."""

    async def work(self, session: AgentSession) -> None:
        """Work one day."""
        while True:
            await session.call("desk_now")


class Counting:
    """Makes as many calls as it has seen days, and keeps outside of itself what it was told."""

    seen: ClassVar[list[int]] = []
    told: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.days = 0

    async def work(self, session: AgentSession) -> None:
        """Work one day."""
        self.days += 1
        self.seen.append(self.days)
        self.told.append(session.prompt)
        for _ in range(self.days):
            await session.call("desk_tasks")
