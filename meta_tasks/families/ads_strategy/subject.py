"""A campaign: cities, groups, channels, what each of these reaches, and the best choice of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.authoring import CsvFile
from trainee_bench.world.pictures.density_map import MAX_LEVEL

DensityLevels = tuple[tuple[int, ...], ...]
"""``[grid_j][grid_i]``, each from 0 to MAX_LEVEL."""


class City(StrEnum):
    """Where a campaign runs, as the original's files spell it."""

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
    """Whom a campaign is for, as in file names."""

    COLLEGE_STUDENTS = "college_students"
    YOUNG_PROFESSIONALS = "young_professionals"
    SENIORS = "seniors"


GROUP_WORDS: Mapping[TargetGroup, str] = {
    TargetGroup.COLLEGE_STUDENTS: "college students (18-25)",
    TargetGroup.YOUNG_PROFESSIONALS: "young professionals (25-35)",
    TargetGroup.SENIORS: "seniors (60+)",
}


class ChannelType(StrEnum):
    """What kind of channel it is."""

    SUBWAY = "subway"
    MALL_SCREEN = "mall_screen"
    BUS_STOP = "bus_stop"
    CAMPUS_SCREEN = "campus_screen"


Fits = Mapping[ChannelType, int]
"""The audience fit of each type, in tenths."""


@dataclass(frozen=True)
class Channel:
    """A line of the list of channels."""

    id: str
    name: str
    type: ChannelType
    grid_i: int
    grid_j: int
    cost: int
    base_effect: int

    def exposure(self, levels: DensityLevels, fits: Fits) -> int:
        """What it reaches, in hundredths: the handbook's formula never has more decimals."""
        density = levels[self.grid_j][self.grid_i]
        return self.base_effect * (MAX_LEVEL + density) * fits[self.type]


CHANNELS = CsvFile(Channel, ("id", "name", "type", "grid_i", "grid_j", "cost", "base_effect"))


@dataclass(frozen=True)
class DensityCell:
    """A line of a table of densities."""

    i: int
    j: int
    density: int


DENSITIES = CsvFile(DensityCell, ("grid_i", "grid_j", "density"))


def levels_in(table: str) -> DensityLevels:
    """The densities that a table (CSV) shows, which has its cells in order."""
    cells = DENSITIES.parse(table)
    rows = range(max(cell.j for cell in cells) + 1)
    return tuple(tuple(cell.density for cell in cells if cell.j == row) for row in rows)


def left_of(budget: int, cents: int) -> int:
    """What is left of the budget after *cents*, in whole units of currency."""
    return (100 * budget - cents) // 100


class ChannelMix(StrEnum):
    """Which types have the most channels."""

    BALANCED = "balanced"
    METRO_FOCUS = "metro_focus"
    CAMPUS_HEAVY = "campus_heavy"


CHANNEL_WEIGHTS: Mapping[ChannelMix, tuple[int, ...]] = {
    ChannelMix.BALANCED: (1, 1, 1, 1),
    ChannelMix.METRO_FOCUS: (3, 1, 1, 1),
    ChannelMix.CAMPUS_HEAVY: (1, 1, 1, 3),
}
"""How channels are divided among the types, in the order of `ChannelType`."""


class CampaignDifficulty(StrEnum):
    """How much there is to choose from."""

    VERY_EASY = "very_easy"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    VERY_HARD = "very_hard"


@dataclass(frozen=True)
class CampaignSize:
    """How large an instance is; ``cost`` and ``effect`` are the ranges for one channel."""

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
    """The positions of the items with the highest total value that cost at most *budget*.

    Costs are positive, values not negative. It always returns the same of equally good choices.
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
