"""Capacity: the number of tasks at which the chance of a complete world falls to one half.

An agent that errs independently with chance p per task completes a world of n tasks with chance
(1 - p)^n. On the complementary log-log scale this is a line over log n with slope 1:

    log(-log P(n)) = log(log 2) + slope * (log n - log capacity)

or P(n) = 2^-(n / capacity)^slope. The slope is not fixed at 1, because errors need not be
independent. If whole worlds go well or badly, it is smaller; if errors become more frequent with
the load, it is greater. Few worlds tell little about a slope, so the likelihood has a penalty: log
slope is normal around 0 with `SLOPE_DEVIATION`.

The estimate maximises the penalised likelihood. The interval has every capacity whose profile
likelihood, the maximum over slopes, is near enough to the maximum: Venzon and Moolgavkar, "A method
for computing profile-likelihood-based confidence intervals", Applied Statistics 37 (1988) 87-94.
The likelihood is computed on a fixed grid and interpolated, so equal worlds give equal figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

HIGHEST = 64
"""The greatest capacity and the greatest lower bound that are told: the ladder ends at twice as
many tasks. A climb may end because the capacity is above it, so a greater bound would be one that
chance has chosen."""
SLOPE_DEVIATION = 0.35
"""Standard deviation of log slope: slopes of a half and of two are two deviations from 1."""
_DROP = 3.841_458_8 / 2
"""Half the 95 % quantile of the chi-squared distribution with one degree of freedom."""
_SURE_DROP = 6.634_896_6 / 2
"""Half its 99 % quantile."""
_UNLIKELY, _VERY_UNLIKELY = log(0.05), log(0.01)
"""The log chances of all worlds so far at one-sided bounds of 95 % and 99 %."""
_LOG_2 = log(2.0)
_STEP = 0.02
_CAPACITIES: Array = np.arange(log(1 / 32), log(8192), _STEP)
"""The grid of log capacities."""
_SLOPES: Array = np.linspace(-6 * SLOPE_DEVIATION, 6 * SLOPE_DEVIATION, 85)
"""The grid of log slopes: wide enough for outcomes that have nothing to do with the size."""


@dataclass(frozen=True)
class WorldOutcome:
    """A worked world: how many ``tasks`` it had, and whether every one was a success."""

    tasks: int
    complete: bool


@dataclass(frozen=True)
class Capacity:
    """An agent's capacity with its 95 % interval, in tasks.

    ``estimate`` is None if all worlds were complete or none was; then there is one bound, which
    holds with 95 %. A bound is None where the worlds set none, and the lower one is at most
    `HIGHEST`. ``slope`` is 1 for independent errors. ``sure_low`` is the lower bound at 99 %,
    however high. It may end a climb: chance would pass a bound at 95 % too often, because it is
    tried after each round.
    """

    estimate: float | None
    low: float | None
    high: float | None
    slope: float
    worlds: int
    sure_low: float | None = None

    @property
    def factor(self) -> float | None:
        """How many times the lower bound the upper one is; None without both."""
        if self.low is None or self.high is None:
            return None
        return self.high / self.low

    @property
    def only_lower_bound(self) -> bool:
        """Whether only a lower bound is told: the estimate is above `HIGHEST`, or there is none."""
        if self.estimate is None:
            return self.low is not None
        return self.estimate > HIGHEST

    def chance(self, tasks: float) -> float | None:
        """Return the fitted chance of a complete world of *tasks*; None without an estimate."""
        if self.estimate is None:
            return None
        return exp(-_LOG_2 * (tasks / self.estimate) ** self.slope)

    def __str__(self) -> str:
        """The capacity as it is told: ``14 (7.3 to 25)``, ``50 (31 or more)``, ``at least 59`` or
        ``at most 0.8``."""
        if self.only_lower_bound:
            return "unknown" if self.low is None else f"at least {format_capacity(self.low)}"
        if self.estimate is None:
            return "unknown" if self.high is None else f"at most {format_capacity(self.high)}"
        told = format_capacity(self.estimate)
        low = "0" if self.low is None else format_capacity(self.low)
        if self.high is None or self.high > 2 * HIGHEST:
            return f"{told} ({low} or more)"
        return f"{told} ({low} to {format_capacity(self.high)})"


def format_capacity(tasks: float) -> str:
    """Return a number of tasks with two digits, or as a whole number from 10 on."""
    return f"{tasks:.0f}" if tasks >= 9.95 else f"{tasks:.1f}" if tasks >= 0.95 else f"{tasks:.2f}"


def fit_capacity(outcomes: Sequence[WorldOutcome]) -> Capacity:
    """Return the capacity that *outcomes* show, and its interval.

    The complementary log-log link, for the chance of an incomplete world, is that of McCullagh and
    Nelder, Generalized Linear Models (2nd edition, 1989), section 4.3.
    """
    worlds = len(outcomes)
    complete = sum(outcome.complete for outcome in outcomes)
    if complete == worlds:
        low, sure = (
            _lowest_without_failure(outcomes, chance) for chance in (_UNLIKELY, _VERY_UNLIKELY)
        )
        return Capacity(None, _told(low), None, 1.0, worlds, sure)
    if complete == 0:
        return Capacity(None, None, _highest_without_success(outcomes), 1.0, worlds)
    profile, slopes = _profile(outcomes)
    place = int(profile.argmax())
    shift, top = _vertex(profile, place)
    return Capacity(
        estimate=exp(_CAPACITIES[place] + shift * _STEP),
        low=_told(_crossing(profile, place, top - _DROP, -1)),
        high=_crossing(profile, place, top - _DROP, +1),
        slope=exp(slopes[place]),
        worlds=worlds,
        sure_low=_crossing(profile, place, top - _SURE_DROP, -1),
    )


def information(tasks: int, capacity: float, slope: float) -> tuple[float, float, float]:
    """Return what one world of *tasks* is expected to tell about log capacity and log slope.

    The Fisher information of a binary outcome under this link (McCullagh and Nelder, section
    4.4): both diagonal elements, log capacity first, and the element between them.
    """
    distance = log(tasks) - log(capacity)
    hazard = _LOG_2 * exp(slope * distance)
    weight = hazard / np.expm1(hazard) * hazard * slope**2 if hazard < 700 else 0.0
    return weight, weight * distance**2, -weight * distance


def slope_information() -> float:
    """Return the information about log slope that the penalty stands for."""
    return SLOPE_DEVIATION**-2


def _told(low: float | None) -> float | None:
    """Return the lower bound that is told: `HIGHEST` for a greater one."""
    return None if low is None else min(low, float(HIGHEST))


def _lowest_without_failure(outcomes: Sequence[WorldOutcome], log_chance: float) -> float | None:
    """Return the capacity at which only successes in *outcomes* have this *log_chance*, but at most
    the largest world; None without a world.

    This is the rule of three: Hanley and Lippman-Hand, "If nothing goes wrong, is everything all
    right?", Journal of the American Medical Association 249 (1983) 1743-1745. Errors count as
    independent. Beyond the largest world that would be a guess: an agent may fail in every world
    that is a little larger.
    """
    if not outcomes:
        return None
    sizes = [outcome.tasks for outcome in outcomes]
    return min(sum(sizes) * _LOG_2 / -log_chance, float(max(sizes)))


def _highest_without_success(outcomes: Sequence[WorldOutcome]) -> float:
    """Return the capacity at which no success in all *outcomes* has the chance of 5 %.

    Errors count as independent, because without a success nothing is known about a slope.
    """
    tasks = np.array([outcome.tasks for outcome in outcomes], dtype=np.float64)
    low, high = log(1e-6), log(1e6)
    for _ in range(60):
        middle = (low + high) / 2
        chance = float(np.log(-np.expm1(-_LOG_2 * tasks / exp(middle))).sum())
        low, high = (middle, high) if chance > _UNLIKELY else (low, middle)
    return exp(low)


@cache
def _log_chances(tasks: int) -> tuple[Array, Array]:
    """Return the log chances of a complete and an incomplete world on the grid of both."""
    slopes = np.exp(_SLOPES)[np.newaxis, :]
    hazard = _LOG_2 * np.exp(slopes * (log(tasks) - _CAPACITIES[:, np.newaxis]))
    return -hazard, np.log(-np.expm1(-hazard))


def _profile(outcomes: Sequence[WorldOutcome]) -> tuple[Array, Array]:
    """Return the profile of the penalised log likelihood over `_CAPACITIES`, and the log slopes at
    which it is reached."""
    total = np.tile(-(_SLOPES**2) / (2 * SLOPE_DEVIATION**2), (len(_CAPACITIES), 1))
    for outcome, count in sorted(Counter(outcomes).items(), key=lambda item: _order(item[0])):
        total += count * _log_chances(outcome.tasks)[0 if outcome.complete else 1]
    places = total.argmax(axis=1)
    rows = np.arange(len(_CAPACITIES))
    inner = np.clip(places, 1, len(_SLOPES) - 2)
    before, at, after = (total[rows, inner + side] for side in (-1, 0, 1))
    bend = before - 2 * at + after
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(bend < 0, (before - after) / (2 * bend), 0.0)
    shift = np.where((np.abs(shift) <= 1) & (places == inner), shift, 0.0)
    profile = np.where(shift != 0.0, at - (before - after) * shift / 4, total[rows, places])
    return profile, _SLOPES[places] + shift * (_SLOPES[1] - _SLOPES[0])


def _order(outcome: WorldOutcome) -> tuple[int, bool]:
    return outcome.tasks, outcome.complete


def _vertex(profile: Array, place: int) -> tuple[float, float]:
    """Return where the parabola through *place* and its neighbours is highest, in steps, and how
    high."""
    if not 0 < place < len(profile) - 1:
        return 0.0, float(profile[place])
    before, at, after = (float(profile[place + side]) for side in (-1, 0, 1))
    bend = before - 2 * at + after
    if not bend < 0:
        return 0.0, at
    shift = (before - after) / (2 * bend)
    return shift, at - (before - after) * shift / 4


def _crossing(profile: Array, place: int, least: float, side: int) -> float | None:
    """Return the capacity next to *place* on one *side* at which *profile* falls to *least*; None
    if it does so nowhere on the grid."""
    while profile[place] >= least:
        place += side
        if not 0 <= place < len(profile):
            return None
    inside, outside = float(profile[place - side]), float(profile[place])
    share = (inside - least) / (inside - outside)
    return exp(_CAPACITIES[place - side] + side * share * _STEP)
