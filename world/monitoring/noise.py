"""Deterministic noise: the same seed, name and minute always give the same value."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from trainee_bench.world.random_streams import stable_id

_EPOCH = datetime(2000, 1, 1)
_DIGITS = 12
_PERIOD = 18
"""Minutes between two interpolation points of a drift."""
_TRAFFIC = (
    0.35, 0.28, 0.24, 0.22, 0.24, 0.32, 0.48, 0.68, 0.88, 1.0, 1.04, 1.0,
    0.92, 0.96, 1.02, 1.04, 1.0, 0.92, 0.86, 0.84, 0.8, 0.72, 0.58, 0.45,
)  # fmt: skip
"""The website's traffic at each full hour, relative to a usual working hour."""


def minute_of(time: datetime) -> int:
    """The number of whole minutes since a fixed moment long ago."""
    return (time - _EPOCH) // timedelta(minutes=1)


@lru_cache(maxsize=65_536)
def hashed_fraction(seed: str, name: str, number: int = 0) -> float:
    """A value in [0, 1) that depends only on the arguments."""
    return float(int(stable_id(seed, name, number, length=_DIGITS), 16)) / float(16**_DIGITS)


def hashed_between(low: float, high: float, seed: str, name: str) -> float:
    """A value in [low, high) that depends only on the arguments."""
    return low + (high - low) * hashed_fraction(seed, name)


def drift(seed: str, name: str, time: datetime) -> float:
    """A value in [-1, 1] that changes smoothly over time, with a little jitter."""
    minute = minute_of(time)
    step, rest = divmod(minute, _PERIOD)
    part = rest / _PERIOD
    part = part * part * (3 - 2 * part)
    here, there = hashed_fraction(seed, name, step), hashed_fraction(seed, name, step + 1)
    jitter = hashed_fraction(seed, f"{name} jitter", minute)
    return 0.8 * (2 * (here + (there - here) * part) - 1) + 0.2 * (2 * jitter - 1)


def traffic(time: datetime) -> float:
    """The website's usual traffic at this time of day; 1.0 is a usual working hour."""
    here, there = _TRAFFIC[time.hour], _TRAFFIC[(time.hour + 1) % 24]
    return here + (there - here) * time.minute / 60


@lru_cache(maxsize=1_024)
def shuffled(seed: str, name: str, items: tuple[str, ...]) -> tuple[str, ...]:
    """*items* in an order that depends only on the arguments."""
    return tuple(sorted(items, key=lambda item: (hashed_fraction(seed, f"{name} {item}"), item)))
