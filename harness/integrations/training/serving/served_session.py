"""A session that a server has open, and why it may take no step."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from trainee_bench.harness.environment.pool.day_pool import PooledDay
from trainee_bench.harness.integrations.training.serving.day_store import Hold
from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.harness.session.turns import ToolCall

__all__ = ["NoSuchSession", "ServedSession", "SessionFull"]


class NoSuchSession(Exception):
    """The token belongs to no session of this tenant."""


class SessionFull(Exception):
    """A session has as many steps or bytes as it may have; the step was not made."""


@dataclass(eq=False)
class ServedSession:
    """A day that a client works. ``name`` is what the client calls the episode."""

    tenant: str
    token: str
    name: str
    card: DayCard
    day: PooledDay
    steps: list[tuple[ToolCall, ...]]
    lines: list[bytes]
    """Its saved lines: see `SavedSession`. Empty on a server that saves nothing."""
    hold: Hold | None
    rewards: float = 0.0
    rewarded: dict[int, float] = field(default_factory=dict)
    """The rewards of steps (from 1) that were made over this object, without those of 0."""
    used: float = field(default_factory=time.monotonic)
    unsaved: int = 0
    """Steps since it was saved."""
    saved: float = field(default_factory=time.monotonic)
    save_failed: bool = False
    """Whether the last save failed."""
    left: bool = False
    """Whether it stays open only until it can be saved."""
    broken: bool = False
    """Whether its world may differ from its steps; then only its steps count."""
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def size(self) -> int:
        """The bytes that it takes when it is saved."""
        return sum(map(len, self.lines)) + len(self.lines)
