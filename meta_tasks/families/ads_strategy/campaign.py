"""What a campaign is made of: cities, groups, types of channels, and how much there is of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


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
    """Whom a campaign is for, as file names have it."""

    COLLEGE_STUDENTS = "college_students"
    YOUNG_PROFESSIONALS = "young_professionals"
    SENIORS = "seniors"

    @property
    def words(self) -> str:
        """Such as "seniors (60+)"."""
        return f"{self.replace('_', ' ')} ({_AGES[self]})"


_AGES = {
    TargetGroup.COLLEGE_STUDENTS: "18-25",
    TargetGroup.YOUNG_PROFESSIONALS: "25-35",
    TargetGroup.SENIORS: "60+",
}


class ChannelType(StrEnum):
    """What kind of channel it is."""

    SUBWAY = "subway"
    MALL_SCREEN = "mall_screen"
    BUS_STOP = "bus_stop"
    CAMPUS_SCREEN = "campus_screen"


class ChannelMix(StrEnum):
    """Of which types there are most channels."""

    BALANCED = "balanced"
    METRO_FOCUS = "metro_focus"
    CAMPUS_HEAVY = "campus_heavy"


CHANNEL_WEIGHTS: Mapping[ChannelMix, tuple[int, ...]] = {
    ChannelMix.BALANCED: (1, 1, 1, 1),
    ChannelMix.METRO_FOCUS: (3, 1, 1, 1),
    ChannelMix.CAMPUS_HEAVY: (1, 1, 1, 3),
}
"""How the channels are split over the types, in the order of `Type`."""


class CampaignDifficulty(StrEnum):
    """How much there is to choose from."""

    VERY_EASY = "very_easy"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    VERY_HARD = "very_hard"


@dataclass(frozen=True)
class CampaignSize:
    """How large an instance is. Ranges are of the cost and the base effect of one channel."""

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
