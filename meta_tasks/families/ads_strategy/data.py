"""What is drawn for a campaign: where each group lives, and which channels can be booked."""

from __future__ import annotations

import math
from random import Random

from trainee_bench.meta_tasks.families.ads_strategy.campaign import (
    CHANNEL_WEIGHTS,
    CampaignSize,
    Channel,
    ChannelMix,
    ChannelType,
    DensityLevels,
)
from trainee_bench.world.company.org_chart import apportion
from trainee_bench.world.pictures.density_map import MAX_LEVEL

_EXACT = 10**9
"""Bell curves are rounded to this precision, because machines differ in the last digits."""
_STEP = 10
"""Costs are multiples of this."""
_FIRST = "Lotus Willow Harbour Jade Maple Pearl River Temple Bridge Lake Market Orchard".split()
_SECOND = "Gate Square Hill Park Bay Corner".split()


def draw_density(draws: Random, grid: int, hot_spots: int) -> DensityLevels:
    """A sum of bell curves around *hot_spots* points, scaled from 0 to MAX_LEVEL."""
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
    """Points in the middle 60 % of the map, in tenths of a cell, at least 0.22 of it apart."""
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
    """A bell curve, evaluated at the centres of the cells of a line."""
    return [
        round(_EXACT * math.exp(-((at + 0.5 - middle) ** 2) / (2 * spread**2)))
        for at in range(grid)
    ]


def draw_channels(draws: Random, size: CampaignSize, mix: ChannelMix) -> tuple[Channel, ...]:
    """Channels in the proportions of *mix*, shuffled, each in a cell of its own. More expensive
    ones usually reach more."""
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
    """Half proportional to the cost, half at random."""
    low, high = size.effect
    by_cost = (high - low) * (cost - size.cost[0]) // (size.cost[1] - size.cost[0])
    return low + (by_cost + draws.randint(0, high - low)) // 2
