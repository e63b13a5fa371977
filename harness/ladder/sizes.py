"""The choice of the next worlds of a climb: how many tasks each has.

Until the agent has failed once and succeeded once, sizes double or halve. Then each next world is
the one that is expected to narrow the interval of the capacity most: a sequential c-optimal design
(Wu, "Efficient sequential designs with binary data", Journal of the American Statistical
Association 80 (1985) 974-984). The choice depends on the outcomes so far and on nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.analysis.statistics.capacity import (
    Capacity,
    WorldOutcome,
    fit_capacity,
    information,
    slope_information,
)


def next_sizes(
    outcomes: Sequence[WorldOutcome], available: Mapping[int, int | None], count: int
) -> list[int]:
    """Return the sizes of the next *count* worlds, to be worked at the same time.

    *available* has the number of worlds left of each size, None for no limit. Fewer are returned
    if fewer are left.
    """
    left = {size: number for size, number in sorted(available.items()) if number != 0}
    capacity = fit_capacity(outcomes)
    chosen: list[int] = []
    while left and len(chosen) < count:
        if capacity.estimate is None:
            size = _bracketing(outcomes, chosen, list(left))
        else:
            size = _most_telling(outcomes, chosen, capacity, list(left))
        chosen.append(size)
        number = left[size]
        if number is not None:
            left[size] = number - 1
            if number == 1:
                del left[size]
    return chosen


def _bracketing(
    outcomes: Sequence[WorldOutcome], chosen: Sequence[int], sizes: Sequence[int]
) -> int:
    """Return the next size above all worlds so far, or the smallest if all of them failed."""
    if any(not outcome.complete for outcome in outcomes):
        return sizes[0]
    most = max([outcome.tasks for outcome in outcomes] + list(chosen), default=0)
    return next((size for size in sizes if size > most), sizes[-1])


def _most_telling(
    outcomes: Sequence[WorldOutcome],
    chosen: Sequence[int],
    capacity: Capacity,
    sizes: Sequence[int],
) -> int:
    """Return the size after whose world the variance of log capacity is expected to be smallest.

    Among equals it is the smallest size, which costs least.
    """
    assert capacity.estimate is not None
    known = [0.0, slope_information(), 0.0]
    for size in (*(outcome.tasks for outcome in outcomes), *chosen):
        told = information(size, capacity.estimate, capacity.slope)
        known = [before + new for before, new in zip(known, told, strict=True)]

    def variance(size: int) -> float:
        told = information(size, capacity.estimate or 0.0, capacity.slope)
        own, slope, both = (before + new for before, new in zip(known, told, strict=True))
        determinant = own * slope - both**2
        return slope / determinant if determinant > 0 else float("inf")

    return min(sizes, key=lambda size: (round(variance(size), 9), size))
