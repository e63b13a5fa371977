"""How much of a score's variance lies between days, and how much between attempts at one day.

    values by day ──variance_components()──► VarianceComponents ──► standard errors
    two agents' values by day ──difference_components()──► DifferenceComponents ──► differences

From these components follow the figures of a benchmark of any other size.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist, fmean, harmonic_mean, variance
from typing import TypeVar

from trainee_bench.harness.analysis.statistics.bootstrap import CONFIDENCE_LEVEL

Day = TypeVar("Day", bound=Hashable)
STATISTICAL_POWER = 0.8
FEW_DAYS = 20
"""With fewer days than this, the normal approximation is poor."""
UNLIMITED = inf
"""A number of attempts so large that only the days matter."""


def smallest_difference(standard_error: float) -> float:
    """Return the smallest true difference that is detected with 80 % power at the 5 % level, on
    both sides.

    It is (z(0.975) + z(0.8)) times the standard error of the difference: Bloom 1995 (Minimum
    detectable effects, Evaluation Review 19:5) and, for benchmarks, Miller 2024 (arXiv 2411.00640).
    The normal approximation calls equal agents different too often with fewer than `FEW_DAYS`.
    """
    normal = NormalDist()
    quantiles = normal.inv_cdf((1 + CONFIDENCE_LEVEL) / 2) + normal.inv_cdf(STATISTICAL_POWER)
    return quantiles * standard_error


@dataclass(frozen=True)
class VarianceComponents:
    """The variance of an agent's values, split by a one-way model with random effects.

    The value of an attempt is the mean plus an effect of the day plus one of the attempt. ``day``
    and ``attempt`` are the unbiased estimates of the variances of these effects, and ``day`` may
    therefore be below 0. ``mean`` is the mean over ``days`` of the mean of their values.
    ``attempts`` is the harmonic mean of their numbers of values: so many at each day give a mean
    over days as exact as this one.
    """

    days: int
    attempts: float
    mean: float
    day: float
    attempt: float

    @property
    def day_share(self) -> float | None:
        """The intraclass correlation: the share of the variance that lies between days, from 0 to
        1.

        None if all values are equal.
        """
        between = max(self.day, 0.0)
        total = between + self.attempt
        return between / total if total > 0 else None

    def standard_error(self, days: float, attempts: float) -> float:
        """Return the standard error of the mean over *days* with so many *attempts* at each.

        The days count as drawn from many such days.
        """
        return sqrt(max(self.day, 0.0) / days + self.attempt / (days * attempts))


@dataclass(frozen=True)
class DaySummary:
    """The values of one day or of none: their number, their mean, and the sum of the squares of
    their distances from it."""

    count: int
    mean: float
    squares: float

    @classmethod
    def of(cls, values: Sequence[float]) -> DaySummary:
        """Summarise the *values* of one day."""
        mean = fmean(values) if values else 0.0
        return cls(len(values), mean, sum((value - mean) ** 2 for value in values))


def variance_components(values: Iterable[Sequence[float]]) -> VarianceComponents | None:
    """Return the components of *values*, which are given by day (`split_variance`)."""
    return split_variance([DaySummary.of(own) for own in values])


def split_variance(summaries: Sequence[DaySummary]) -> VarianceComponents | None:
    """Return the components of the values with these *summaries*, one for each day.

    They are the estimates of the analysis of variance for one random factor with unequal numbers:
    the variance of attempts is the mean square within days, that of days is (mean square between -
    mean square within) / n0. See Searle, Casella and McCulloch 1992 (Variance Components, section
    3.6). With equal numbers they are unbiased whatever the distribution, so also for complete days,
    which are 0 or 1 (Ridout, Demetrio and Firth 1999, Biometrics 55:137). Days without a value are
    left out.

    None with fewer than two days, or if no day has two attempts.
    """
    days = [own for own in summaries if own.count]
    total = sum(own.count for own in days)
    if len(days) < 2 or total == len(days):
        return None
    mean = sum(own.count * own.mean for own in days) / total
    between = sum(own.count * (own.mean - mean) ** 2 for own in days) / (len(days) - 1)
    attempt = sum(own.squares for own in days) / (total - len(days))
    usual = (total - sum(own.count**2 for own in days) / total) / (len(days) - 1)
    return VarianceComponents(
        days=len(days),
        attempts=harmonic_mean([own.count for own in days]),
        mean=fmean(own.mean for own in days),
        day=(between - attempt) / usual,
        attempt=attempt,
    )


@dataclass(frozen=True)
class DifferenceComponents:
    """The variance of the difference between two agents, paired by day.

    ``day`` is the variance between days of the true difference, estimated without bias, and may
    therefore be below 0. ``attempt`` is the sum of both agents' variances of attempts. ``days`` are
    those that both attempted. So many ``attempts`` of both at each day give a difference as exact
    as this one.
    """

    days: int
    attempts: float
    mean: float
    day: float
    attempt: float

    def standard_error(self, days: float, attempts: float) -> float:
        """Return the standard error of the mean difference over *days*, with so many *attempts* of
        both agents at each."""
        return sqrt(max(self.day, 0.0) / days + self.attempt / (days * attempts))

    def detectable(self, days: float, attempts: float) -> float:
        """Return the smallest difference that a benchmark of this size can tell
        (`smallest_difference`)."""
        return smallest_difference(self.standard_error(days, attempts))


def difference_components(
    one: Mapping[Day, Sequence[float]], other: Mapping[Day, Sequence[float]]
) -> DifferenceComponents | None:
    """Return the components of the difference of two agents, whose values are given by day.

    The variance of the daily differences of means is that of the true differences plus the
    variances of both agents' attempts, each divided by their number. See Miller 2024 (arXiv
    2411.00640) for paired questions with several answers.

    None with fewer than two common days, or if either agent attempted no common day twice.
    """
    shared = [day for day in one if one[day] and other.get(day)]
    components = [variance_components([own[day] for day in shared]) for own in (one, other)]
    first, second = components
    if first is None or second is None:
        return None
    differences = [fmean(one[day]) - fmean(other[day]) for day in shared]
    noise = fmean(
        first.attempt / len(one[day]) + second.attempt / len(other[day]) for day in shared
    )
    harmonic = (first.attempt + second.attempt) / noise if noise else None
    plain = fmean((len(one[day]) + len(other[day])) / 2 for day in shared)
    return DifferenceComponents(
        days=len(shared),
        attempts=harmonic or plain,
        mean=fmean(differences),
        day=variance(differences) - noise,
        attempt=first.attempt + second.attempt,
    )


def alike_agents(components: VarianceComponents, *, days_in_common: bool) -> DifferenceComponents:
    """Return the components of the difference between an agent and another with the same variances.

    With *days_in_common*, the same days are hard for both, so that the days cancel out. Otherwise
    the other agent finds other days hard, which is the worst case for a benchmark.
    """
    return DifferenceComponents(
        days=components.days,
        attempts=components.attempts,
        mean=0.0,
        day=0.0 if days_in_common else 2 * max(components.day, 0.0),
        attempt=2 * components.attempt,
    )
