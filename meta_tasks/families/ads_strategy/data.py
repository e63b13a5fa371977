"""Random draws for a campaign: density maps, channels, and fits that change the best plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    CHANNEL_WEIGHTS,
    CampaignSize,
    Channel,
    ChannelMix,
    ChannelType,
    DensityLevels,
    Fits,
    best_selection,
)
from trainee_bench.world.company.org_chart import apportion
from trainee_bench.world.pictures.density_map import MAX_LEVEL

_EXACT = 10**9
"""Scale of bell curves, which are rounded because machines differ in the last digits."""
_STEP = 10
"""Costs are multiples of this."""
_FIRST = "Lotus Willow Harbour Jade Maple Pearl River Temple Bridge Lake Market Orchard".split()
_SECOND = "Gate Square Hill Park Bay Corner".split()


def draw_density(draws: Random, grid: int, hot_spots: int) -> DensityLevels:
    """Return a sum of bell curves around *hot_spots* points, scaled from 0 to MAX_LEVEL."""
    total = [[0] * grid for _ in range(grid)]
    for x, y in _centres(draws, grid, hot_spots):
        spread = draws.randint(40, 100) / 10
        across, up = _bell(grid, x / 10, spread), _bell(grid, y / 10, spread)
        for j, row in enumerate(total):
            for i, share in enumerate(across):
                row[i] += share * up[j]
    low, high = min(map(min, total)), max(map(max, total))
    # Levels are in proportion, rounded to the nearest.
    return tuple(
        tuple((2 * MAX_LEVEL * (cell - low) + high - low) // (2 * (high - low)) for cell in row)
        for row in total
    )


def _centres(draws: Random, grid: int, count: int) -> list[tuple[int, int]]:
    """Draw points in the middle 60 % of the map, in tenths of a cell.

    Their distance is at least 0.22 of the map's width.
    """
    apart = (2.2 * grid) ** 2
    while True:
        points = [
            (draws.randint(2 * grid, 8 * grid), draws.randint(2 * grid, 8 * grid))
            for _ in range(count)
        ]
        pairs = [(a, b) for at, a in enumerate(points) for b in points[:at]]
        if all((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 >= apart for a, b in pairs):
            return points


def _bell(grid: int, middle: float, spread: float) -> list[int]:
    """Return a bell curve at the centres of the cells of a line."""
    return [
        round(_EXACT * math.exp(-((at + 0.5 - middle) ** 2) / (2 * spread**2)))
        for at in range(grid)
    ]


def draw_channels(draws: Random, size: CampaignSize, mix: ChannelMix) -> tuple[Channel, ...]:
    """Draw shuffled channels in the proportions of *mix*, at most one per cell.

    Expensive channels usually reach more.
    """
    counts = apportion(size.channels, CHANNEL_WEIGHTS[mix])
    types = [type for type, count in zip(ChannelType, counts, strict=True) for _ in range(count)]
    draws.shuffle(types)
    cells = draws.sample(range(size.grid**2), size.channels)
    places = [f"{first} {second}" for first in _FIRST for second in _SECOND]
    names = draws.sample(places, size.channels)
    made = []
    for number, (type, cell, name) in enumerate(zip(types, cells, names, strict=True), start=1):
        cost = _STEP * draws.randint(size.cost[0] // _STEP, size.cost[1] // _STEP)
        kind = "subway hall" if type is ChannelType.SUBWAY else type.replace("_", " ")
        made.append(
            Channel(
                id=f"CH{number:03}",
                name=f"{name} {kind}",
                type=type,
                grid_i=cell % size.grid,
                grid_j=cell // size.grid,
                cost=cost,
                base_effect=_effect(draws, size, cost),
            )
        )
    return tuple(made)


def _effect(draws: Random, size: CampaignSize, cost: int) -> int:
    """Draw a base effect: half of it follows the cost, half is random."""
    low, high = size.effect
    by_cost = (high - low) * (cost - size.cost[0]) // (size.cost[1] - size.cost[0])
    return low + (by_cost + draws.randint(0, high - low)) // 2


PUBLISHED_FITS: Fits = dict(zip(ChannelType, (6, 6, 5, 9), strict=True))
"""Fits of the original benchmark, which an agent may remember."""
ASSUMED_FITS: tuple[Fits, ...] = (dict.fromkeys(ChannelType, 10), PUBLISHED_FITS)
MAX_GUESSED_SHARE = 0.975
"""A plan based on an assumed fit reaches less than this share of the best exposure."""
_LOWEST, _HIGHEST = 3, 9
_PATTERNS = (
    *((3, 5, 7, 9), (9, 7, 5, 3), (5, 9, 3, 7), (7, 3, 9, 5), (3, 9, 5, 7), (7, 5, 9, 3)),
    *((9, 3, 7, 5), (5, 7, 3, 9), (9, 5, 3, 7), (3, 7, 9, 5), (5, 3, 7, 9), (7, 9, 5, 3)),
)
_ENOUGH = 3
"""Number of patterns that must matter, so that a draw soon finds a fit that matters."""


class ChannelOptions:
    """The channels to choose from, and the selections that typical mistakes lead to.

    *levels* is the target group's map; *others* are the maps of the other groups.
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        levels: DensityLevels,
        others: Sequence[DensityLevels],
        budget: int,
    ):
        self.channels = channels
        self.budget = budget
        self._levels = levels
        self._others = others
        upside_down, indices_exchanged = levels[::-1], tuple(zip(*levels, strict=True))
        self._misread = (upside_down, indices_exchanged, *others)
        self._costs = [channel.cost for channel in channels]
        self._assumed = [self._best(self.exposures(fits)) for fits in ASSUMED_FITS]

    def with_budget(self, budget: int) -> ChannelOptions:
        """Return the same channels and maps with another budget."""
        return ChannelOptions(self.channels, self._levels, self._others, budget)

    def exposures(self, fits: Fits, levels: DensityLevels = ()) -> list[int]:
        """Return each channel's exposure in hundredths, by *levels* if given."""
        return [channel.exposure(levels or self._levels, fits) for channel in self.channels]

    def highest(self, fits: Fits) -> int:
        """Return the exposure of the best selection."""
        exposures = self.exposures(fits)
        return _total(exposures, self._best(exposures))

    def fits_can_matter(self) -> bool:
        """Return whether enough fits change the plan, so that agents must ask for the fit."""
        found = 0
        for pattern in _PATTERNS:
            found += self._matters(dict(zip(ChannelType, pattern, strict=True)))
            if found == _ENOUGH:
                return True
        return False

    def draw_fits(self, secret: Random) -> Fits:
        """Draw fits that differ between all types and change the plan."""
        while True:
            drawn = secret.sample(range(_LOWEST, _HIGHEST + 1), len(ChannelType))
            fits = dict(zip(ChannelType, drawn, strict=True))
            if self._matters(fits):
                return fits

    def _matters(self, fits: Fits) -> bool:
        """Return whether no typical mistake leads to the best plan.

        The mistakes: assumed fits, a wrong or misread map, and booking by exposure per cost.
        """
        exposures = self.exposures(fits)
        selection = self._best(exposures)
        best = _total(exposures, selection)
        if any(_total(exposures, guess) >= MAX_GUESSED_SHARE * best for guess in self._assumed):
            return False
        if self._by_ratio(exposures) >= best:
            return False
        for levels in self._misread:
            seeming = self.exposures(fits, levels)
            if _total(seeming, selection) > best:
                continue  # this map leads to another selection
            chosen = self._best(seeming)
            if _total(seeming, chosen) == best == _total(exposures, chosen):
                return False
        return True

    def _by_ratio(self, exposures: Sequence[int]) -> int:
        """Return the exposure of booking greedily by exposure per cost within the budget."""
        room, reached = self.budget, 0
        order = range(len(exposures))
        for at in sorted(order, key=lambda at: -exposures[at] / self._costs[at]):
            if self._costs[at] <= room:
                room, reached = room - self._costs[at], reached + exposures[at]
        return reached

    def _best(self, exposures: Sequence[int]) -> tuple[int, ...]:
        return best_selection(self._costs, exposures, self.budget)


def _total(exposures: Sequence[int], selection: Sequence[int]) -> int:
    return sum(exposures[at] for at in selection)
