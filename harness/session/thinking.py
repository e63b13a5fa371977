"""The simulated time that an agent's thinking takes.

output tokens of a reply ──ThinkingPace──► minutes ──OfficeClock──► the world's clock
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.world.thinking import MOST_MINUTES, ThinkingTime, think
from trainee_bench.world.world import World

UNCOUNTED = "uncounted_thinking"
"""The incident that a reply came without its tokens, so that no time passed."""
_MOST_UNCOUNTED = 4
"""Successive replies without tokens that are tolerated, such as replies that nobody can parse."""
_NO_TOKENS = (
    "The agent does not report the tokens of its replies, so its thinking cannot take time. Leave "
    "out --thinking, or use a model service that reports tokens."
)


@dataclass
class ThinkingPace:
    """The pace of an agent's thinking on one day.

    Each ``tokens_per_minute`` output tokens take a minute. ``carried`` are the tokens since the
    last whole minute, which count with the next reply. Raises ValueError for a pace below 1.
    """

    tokens_per_minute: int
    carried: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.tokens_per_minute, int) or self.tokens_per_minute < 1:
            raise ValueError(
                f"tokens_per_minute={self.tokens_per_minute!r}: give a whole number of at least 1, "
                "or None if thinking takes no time"
            )

    def minutes(self, tokens: int) -> int:
        """Return the whole minutes that *tokens* take, together with those carried over."""
        minutes, self.carried = divmod(self.carried + tokens, self.tokens_per_minute)
        return minutes


class OfficeClock(Protocol):
    """The clock of an office in which thinking takes time."""

    async def pass_minutes(self, minutes: int) -> datetime:
        """Let *minutes* of thinking pass, at most until the day ends; return the time afterwards.

        Any exception is a fault of the infrastructure.
        """


@dataclass(frozen=True)
class WorldClock:
    """The clock of an open world."""

    world: World

    async def pass_minutes(self, minutes: int) -> datetime:
        """Let *minutes*, at least 1, pass in the world; return the time afterwards."""
        time = ThinkingTime(minutes=min(minutes, MOST_MINUTES))
        return (await think(self.world, time)).now


class TimedThinking:
    """An agent's thinking on one day, at *tokens_per_minute*. *clock* lets the time pass."""

    def __init__(self, tokens_per_minute: int, clock: OfficeClock):
        self._pace = ThinkingPace(tokens_per_minute)
        self._clock = clock
        self._uncounted = 0

    async def take(self, tokens: int | None) -> datetime | None:
        """Let the time of a reply of *tokens* pass; return the time afterwards.

        Returns None if no whole minute passed. None as *tokens* is unknown. Raises
        InfrastructureFault if too many successive replies come without tokens, and whatever the
        clock raises.
        """
        if tokens is None:
            self._uncounted += 1
            if self._uncounted > _MOST_UNCOUNTED:
                raise InfrastructureFault(_NO_TOKENS)
            return None
        self._uncounted = 0
        minutes = self._pace.minutes(tokens)
        return await self._clock.pass_minutes(minutes) if minutes else None


def untimed(limits: EpisodeLimits) -> str:
    """Return the words that say how little time a call took that was not made."""
    return "no time passed" if limits.tokens_per_minute is None else "the call took no time"
