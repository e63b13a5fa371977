"""Campaign terms: cities, target groups, channels, exposure, and the best selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.authoring import CsvFile
from trainee_bench.world.pictures.density_map import MAX_LEVEL

DensityLevels = tuple[tuple[int, ...], ...]
"""Levels from 0 to MAX_LEVEL, indexed ``[grid_j][grid_i]``."""


class City(StrEnum):
    """The city of a campaign, as the original's files spell it."""

    BEIJING = "Beijing"
    SHANGHAI = "Shanghai"
    GUANGZHOU = "Guangzhou"
    SHENZHEN = "Shenzhen"
    CHENGDU = "Chengdu"
    HANGZHOU = "Hangzhou"
    WUHAN = "Wuhan"
    NANJING = "Nanjing"
    CHONGQING = "Chongqing"
    XIAN = "XiAn"


class TargetGroup(StrEnum):
    """The target group of a campaign, as in file names."""

    COLLEGE_STUDENTS = "college_students"
    YOUNG_PROFESSIONALS = "young_professionals"
    SENIORS = "seniors"


GROUP_WORDS: Mapping[TargetGroup, str] = {
    TargetGroup.COLLEGE_STUDENTS: "college students (18-25)",
    TargetGroup.YOUNG_PROFESSIONALS: "young professionals (25-35)",
    TargetGroup.SENIORS: "seniors (60+)",
}


class ChannelType(StrEnum):
    """The type of an advertising channel."""

    SUBWAY = "subway"
    MALL_SCREEN = "mall_screen"
    BUS_STOP = "bus_stop"
    CAMPUS_SCREEN = "campus_screen"


Fits = Mapping[ChannelType, int]
"""The audience fit of each type, in tenths."""


@dataclass(frozen=True)
class Channel:
    """A row of the channel list."""

    id: str
    name: str
    type: ChannelType
    grid_i: int
    grid_j: int
    cost: int
    base_effect: int

    def exposure(self, levels: DensityLevels, fits: Fits) -> int:
        """Return the exposure in hundredths; the handbook's formula never has more decimals."""
        density = levels[self.grid_j][self.grid_i]
        return self.base_effect * (MAX_LEVEL + density) * fits[self.type]


CHANNELS = CsvFile(Channel, ("id", "name", "type", "grid_i", "grid_j", "cost", "base_effect"))


@dataclass(frozen=True)
class DensityCell:
    """A row of a density table."""

    i: int
    j: int
    density: int


DENSITIES = CsvFile(DensityCell, ("grid_i", "grid_j", "density"))


def levels_in(table: str) -> DensityLevels:
    """Return the densities of a CSV *table* whose cells are in order."""
    cells = DENSITIES.parse(table)
    rows = range(max(cell.j for cell in cells) + 1)
    return tuple(tuple(cell.density for cell in cells if cell.j == row) for row in rows)


def left_of(budget: int, cents: int) -> int:
    """Return the budget that is left after *cents*, in whole currency units."""
    return (100 * budget - cents) // 100


class ChannelMix(StrEnum):
    """The distribution of channels among the types."""

    BALANCED = "balanced"
    METRO_FOCUS = "metro_focus"
    CAMPUS_HEAVY = "campus_heavy"


CHANNEL_WEIGHTS: Mapping[ChannelMix, tuple[int, ...]] = {
    ChannelMix.BALANCED: (1, 1, 1, 1),
    ChannelMix.METRO_FOCUS: (3, 1, 1, 1),
    ChannelMix.CAMPUS_HEAVY: (1, 1, 1, 3),
}
"""Shares of the types, in the order of `ChannelType`."""


class CampaignDifficulty(StrEnum):
    """The size of the choice."""

    VERY_EASY = "very_easy"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    VERY_HARD = "very_hard"


@dataclass(frozen=True)
class CampaignSize:
    """Size of an instance; ``cost`` and ``effect`` are ranges for one channel."""

    budget: int
    channels: int
    grid: int
    hot_spots: int
    cost: tuple[int, int]
    effect: tuple[int, int]


CAMPAIGN_SIZES: Mapping[CampaignDifficulty, CampaignSize] = {
    CampaignDifficulty.VERY_EASY: CampaignSize(7_000, 8, 8, 1, (300, 2_500), (600, 3_000)),
    CampaignDifficulty.EASY: CampaignSize(8_000, 20, 10, 1, (350, 3_200), (700, 3_800)),
    CampaignDifficulty.MEDIUM: CampaignSize(10_000, 28, 12, 1, (400, 4_000), (800, 5_000)),
    CampaignDifficulty.HARD: CampaignSize(11_000, 32, 15, 2, (450, 4_500), (900, 5_600)),
    CampaignDifficulty.VERY_HARD: CampaignSize(12_000, 36, 18, 2, (500, 5_000), (1_000, 6_000)),
}


def best_selection(costs: Sequence[int], values: Sequence[int], budget: int) -> tuple[int, ...]:
    """Return the positions of the items with the highest total value within *budget*.

    Costs must be positive, values not negative. Ties are broken in a fixed way. This is a
    branch-and-bound search for the 0/1 knapsack problem.
    """
    order = sorted(range(len(costs)), key=lambda at: (-values[at] / costs[at], at))
    cost, value = [costs[at] for at in order], [values[at] for at in order]
    best, chosen = -1, 0
    open_choices = [(0, budget, 0, 0)]
    while open_choices:
        first, room, worth, taken = open_choices.pop()
        at, left, reached, filled = first, room, worth, taken
        while at < len(cost) and cost[at] <= left:
            left, reached, filled = left - cost[at], reached + value[at], filled | 1 << at
            at += 1
        if reached > best:
            best, chosen = reached, filled
        if at == len(cost) or reached + value[at] * left // cost[at] <= best:
            continue
        open_choices.append((first + 1, room, worth, taken))
        if cost[first] <= room:
            took = (first + 1, room - cost[first], worth + value[first], taken | 1 << first)
            open_choices.append(took)
    return tuple(sorted(order[at] for at in range(len(cost)) if chosen >> at & 1))
