"""Where people of a group live in a city: a few hot spots, thinning out around them."""

from __future__ import annotations

import math
from random import Random

from trainee_bench.world.pictures.density_map import MAX_LEVEL

DensityLevels = tuple[tuple[int, ...], ...]
"""``[grid_j][grid_i]``, each from 0 to HIGHEST."""
_EXACT = 10**9
"""What a bell curve is rounded to, far above the last digit: machines differ there."""


def draw_density(draws: Random, grid: int, hot_spots: int) -> DensityLevels:
    """A sum of bell curves around as many points, spread out from 0 to HIGHEST."""
    total = [[0] * grid for _ in range(grid)]
    for x, y in _centres(draws, grid, hot_spots):
        spread = draws.randint(40, 100) / 10
        across, up = _bell(grid, x / 10, spread), _bell(grid, y / 10, spread)
        for j, row in enumerate(total):
            for i, share in enumerate(across):
                row[i] += share * up[j]
    low, high = min(map(min, total)), max(map(max, total))
    return tuple(tuple(_level(cell - low, high - low) for cell in row) for row in total)


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
    """A bell curve at the middles of the cells in a line."""
    return [
        round(_EXACT * math.exp(-((at + 0.5 - middle) ** 2) / (2 * spread**2)))
        for at in range(grid)
    ]


def _level(above: int, most: int) -> int:
    """A level in proportion, rounded to the nearest."""
    return (2 * MAX_LEVEL * above + most) // (2 * most)
