"""How often the interval of a climb covers the true capacity, and how wide it is.

    python -m benchmarks.ladder_coverage [--climbs N] [--episodes N] [--batch N]

Simulated workers climb the ladder; no world is staged. The independent workers err with 1, 5 and
20 % per task. The others break the model: errors that come in bad worlds, errors that become more
frequent with the load, and a share of worlds that fail at any size. Three figures are printed for
climbs of all episodes, and again for climbs that stop like those of the command, at an interval
within a factor of 3 or surely above the highest capacity that is told:

- covers: the share of climbs whose interval contains the true capacity;
- told: the share in which the sentence that is printed is true, where an estimate above 64 is told
  as its lower bound alone;
- factor: the median of upper bound over lower bound, infinite without an upper bound.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from trainee_bench.harness.analysis.statistics.capacity import (
    HIGHEST,
    Capacity,
    WorldOutcome,
    fit_capacity,
)
from trainee_bench.harness.ladder.sizes import next_sizes
from trainee_bench.world.random_streams import random_stream

RUNGS = (1, 2, 4, 8, 16, 32, 64, 128)
EPISODES, BATCH, CLIMBS, FACTOR = 40, 4, 500, 3.0
Chance = Callable[[float], float]


@dataclass(frozen=True)
class Worker:
    """A simulated worker: the ``chance`` that it completes a world of so many tasks."""

    name: str
    chance: Chance

    @property
    def capacity(self) -> float:
        """The number of tasks, not necessarily whole, at which the chance is one half."""
        low, high = math.log(1e-3), math.log(1e6)
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self.chance(math.exp(middle)) > 0.5 else (low, middle)
        return math.exp(low)


def independent(error: float) -> Worker:
    """Return a worker that errs with chance *error* in each task."""
    return Worker(f"independent, {error:.0%}", lambda tasks: (1 - error) ** tasks)


def bad_worlds(error: float, spread: float) -> Worker:
    """Return a worker whose error rate differs from world to world, gamma with mean *error* and
    squared coefficient of variation *spread*."""
    rate = -math.log(1 - error)
    return Worker(
        f"bad worlds, {error:.0%}, spread {spread:g}",
        lambda tasks: (1 + spread * rate * tasks) ** (-1 / spread),
    )


def loaded(error: float, growth: float) -> Worker:
    """Return a worker whose errors become more frequent with the load: hazard to the power
    *growth*."""
    rate = -math.log(1 - error)
    return Worker(
        f"load, {error:.0%}, power {growth:g}", lambda tasks: math.exp(-((rate * tasks) ** growth))
    )


def lapses(error: float, share: float) -> Worker:
    """Return a worker that errs independently, and besides fails in a *share* of all worlds."""
    return Worker(
        f"lapses in {share:.0%}, {error:.0%}", lambda tasks: (1 - share) * (1 - error) ** tasks
    )


WORKERS = (
    independent(0.01),
    independent(0.05),
    independent(0.20),
    bad_worlds(0.05, 0.5),
    bad_worlds(0.05, 1.0),
    loaded(0.05, 1.5),
    loaded(0.05, 2.0),
    lapses(0.05, 0.05),
    lapses(0.05, 0.10),
)


@dataclass(frozen=True)
class Climbs:
    """The capacities at the ends of simulated climbs of one worker."""

    worker: Worker
    ends: Sequence[Capacity]

    @property
    def covers(self) -> float:
        """The share of intervals with the true capacity."""
        true = self.worker.capacity
        return sum((end.low or 0.0) <= true <= (end.high or math.inf) for end in self.ends) / len(
            self.ends
        )

    @property
    def told(self) -> float:
        """The share of printed sentences that are true."""
        true = self.worker.capacity
        return sum(
            (end.low or 0.0) <= true and (end.only_lower_bound or true <= (end.high or math.inf))
            for end in self.ends
        ) / len(self.ends)

    @property
    def factor(self) -> float:
        """The median of upper bound over lower bound."""
        return median(end.factor or math.inf for end in self.ends)

    @property
    def middle(self) -> float:
        """The median estimate."""
        return median(end.estimate or math.inf for end in self.ends)

    @property
    def worlds(self) -> float:
        """The median number of worlds."""
        return median(end.worlds for end in self.ends)


def climb(worker: Worker, number: int, episodes: int, batch: int, factor: float | None) -> Capacity:
    """Return the capacity at the end of simulated climb *number* of *worker*.

    It has *episodes* worlds, *batch* at a time. With a *factor* it has fewer if the interval is
    within it, or if the capacity is surely above the highest that is told.
    """
    chance = random_stream("ladder coverage", worker.name, number)
    available = dict.fromkeys(RUNGS)
    outcomes: list[WorldOutcome] = []
    while len(outcomes) < episodes:
        for size in next_sizes(outcomes, available, min(batch, episodes - len(outcomes))):
            outcomes.append(WorldOutcome(size, chance.random() < worker.chance(size)))
        capacity = fit_capacity(outcomes)
        if factor is not None and capacity.factor is not None and capacity.factor <= factor:
            break
        if factor is not None and (capacity.sure_low or 0.0) > HIGHEST:
            break
    return fit_capacity(outcomes)


def simulate(
    worker: Worker,
    climbs: int = CLIMBS,
    episodes: int = EPISODES,
    batch: int = BATCH,
    factor: float | None = None,
) -> Climbs:
    """Return *climbs* simulated climbs of *worker*."""
    ends = [climb(worker, number, episodes, batch, factor) for number in range(climbs)]
    return Climbs(worker, ends)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--climbs", type=int, default=CLIMBS)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--batch", type=int, default=BATCH)
    given = parser.parse_args()
    print(f"{given.climbs} climbs of {given.episodes} worlds, {given.batch} at a time")
    print(f"{'worker':<30} {'true':>6}  worlds {'median':>6}  covers    told  factor")
    for worker in WORKERS:
        for factor in (None, FACTOR):
            found = simulate(worker, given.climbs, given.episodes, given.batch, factor)
            print(
                f"{worker.name if factor is None else '  stopped at a factor of 3':<30} "
                f"{worker.capacity:>6.2f}  {found.worlds:>6g} {found.middle:>6.2f} "
                f"{found.covers:>7.1%} {found.told:>7.1%} {found.factor:>7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
