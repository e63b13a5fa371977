"""Bootstrap intervals over scenarios: how much a mean would vary with other scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from trainee_bench.harness.documents.formatting import NO_VALUE
from trainee_bench.world.random_streams import random_stream

T = TypeVar("T")
RESAMPLES = 2_000
CONFIDENCE_LEVEL = 0.95
_DIGITS = 12
"""Decimals within which means are equal."""


@dataclass(frozen=True)
class Estimate:
    """A mean with the interval that contains it in 95 of 100 resamplings of the scenarios.

    ``low`` and ``high`` are None with fewer than two scenarios.
    """

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ScenarioTotal:
    """The contribution of one scenario to a mean: the sum of its values, and their number."""

    total: float
    count: int


def bootstrap_mean(units: Sequence[ScenarioTotal], *names: str) -> Estimate | None:
    """Return the mean of all values and its interval, resampling *units*; None without a value.

    *names* name the stream of the draws, so that the same results give the same report.
    """
    counted = tuple(unit for unit in units if unit.count)
    return _estimate(counted, names) if counted else None


def bootstrap_chance(units: Sequence[ScenarioTotal], *names: str) -> Estimate | None:
    """Return the mean of all values, which lie from 0 to 1, and its interval; None without a value.

    It is that of `bootstrap_mean`, unless all *units* have the same mean: resampling them shows
    no spread, but other scenarios may differ. With a chance of at most 5 %, n scenarios all agree
    although fewer than 0.05 to the power of 1 / n of all do. The interval lets the remaining ones
    have any value. See Hanley and Lippman-Hand 1983 (If nothing goes wrong, is everything all
    right?, JAMA 249:1743).
    """
    estimate = bootstrap_mean(units, *names)
    means = {round(unit.total / unit.count, _DIGITS) for unit in units if unit.count}
    if estimate is None or estimate.low is None or len(means) > 1:
        return estimate
    agree = (1 - CONFIDENCE_LEVEL) ** (1 / sum(unit.count > 0 for unit in units))
    low = agree * estimate.mean
    return Estimate(estimate.mean, low, low + 1 - agree)


@lru_cache(maxsize=10_000)
def _estimate(units: tuple[ScenarioTotal, ...], names: tuple[str, ...]) -> Estimate:
    """Cached, because the console and several pages show the same figures."""
    mean = _mean(units)
    if len(units) < 2:
        return Estimate(mean, None, None)
    draws = random_stream("report", "bootstrap", *names)
    means = sorted(_mean(draws.choices(units, k=len(units))) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1 - CONFIDENCE_LEVEL) / 2)
    return Estimate(mean, means[outside], means[-1 - outside])


def bootstrap_statistic(
    units: Sequence[T], statistic: Callable[[Sequence[T]], float | None], *names: str
) -> Estimate | None:
    """Return any *statistic* of all *units* (one per scenario) and its interval, resampling them.

    Resamplings for which it is None are left out. Return None if it is None for the units
    themselves.
    """
    value = statistic(units)
    if value is None:
        return None
    if len(units) < 2:
        return Estimate(value, None, None)
    draws = random_stream("report", "bootstrap", *names)
    drawn = (statistic(draws.choices(units, k=len(units))) for _ in range(RESAMPLES))
    values = sorted(round(found, _DIGITS) for found in drawn if found is not None)
    outside = round(len(values) * (1 - CONFIDENCE_LEVEL) / 2)
    return Estimate(value, values[outside], values[-1 - outside])


def format_difference(estimate: Estimate | None) -> str:
    """Format an estimate that may be negative, with signs: "+0.12 (-0.03 to +0.27)"."""
    if estimate is None:
        return NO_VALUE
    mean = f"{estimate.mean:+z.2f}"
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return mean
    return f"{mean} ({estimate.low:+z.2f} to {estimate.high:+z.2f})"


def format_estimate(estimate: Estimate | None) -> str:
    """Format a mean and, if there is one, its interval: "0.42 (0.31-0.55)"."""
    if estimate is None:
        return NO_VALUE
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return f"{estimate.mean:.2f}"
    return f"{estimate.mean:.2f} ({estimate.low:.2f}-{estimate.high:.2f})"


def _mean(units: Sequence[ScenarioTotal]) -> float:
    return sum(unit.total for unit in units) / sum(unit.count for unit in units)
