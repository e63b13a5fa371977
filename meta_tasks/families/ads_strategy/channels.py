"""The channels that can be booked, and what each of them comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.families.ads_strategy.campaign import (
    CHANNEL_WEIGHTS,
    CampaignSize,
    ChannelMix,
    ChannelType,
)
from trainee_bench.meta_tasks.families.ads_strategy.density import DensityLevels
from trainee_bench.world.company.org_chart import apportion
from trainee_bench.world.pictures.density_map import MAX_LEVEL

_STEP = 10
"""Costs are round."""
_FIRST = "Lotus Willow Harbour Jade Maple Pearl River Temple Bridge Lake Market Orchard".split()
_SECOND = "Gate Square Hill Park Bay Corner".split()
_KINDS = {
    ChannelType.SUBWAY: "subway hall",
    ChannelType.MALL_SCREEN: "mall screen",
    ChannelType.BUS_STOP: "bus stop",
    ChannelType.CAMPUS_SCREEN: "campus screen",
}
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


def draw_channels(draws: Random, size: CampaignSize, mix: ChannelMix) -> tuple[Channel, ...]:
    """Channels in the mix, in no order, each in a cell of its own; what costs more usually
    reaches more."""
    counts = apportion(size.channels, CHANNEL_WEIGHTS[mix])
    types = [type for type, count in zip(ChannelType, counts, strict=True) for _ in range(count)]
    draws.shuffle(types)
    cells = draws.sample(range(size.grid**2), size.channels)
    places = [f"{first} {second}" for first in _FIRST for second in _SECOND]
    names = draws.sample(places, size.channels)
    made = []
    for number, (type, cell, name) in enumerate(zip(types, cells, names, strict=True), start=1):
        cost = _STEP * draws.randint(size.cost[0] // _STEP, size.cost[1] // _STEP)
        made.append(
            Channel(
                id=f"CH{number:03}",
                name=f"{name} {_KINDS[type]}",
                type=type,
                grid_i=cell % size.grid,
                grid_j=cell // size.grid,
                cost=cost,
                base_effect=_effect(draws, size, cost),
            )
        )
    return tuple(made)


def _effect(draws: Random, size: CampaignSize, cost: int) -> int:
    """Half by what it costs, half by lot."""
    low, high = size.effect
    by_cost = (high - low) * (cost - size.cost[0]) // (size.cost[1] - size.cost[0])
    return low + (by_cost + draws.randint(0, high - low)) // 2


def channels_csv(channels: Sequence[Channel]) -> str:
    """The list as it lies on the drive."""
    lines = ["id,name,type,grid_i,grid_j,cost,base_effect"]
    lines += [
        f"{c.id},{c.name},{c.type},{c.grid_i},{c.grid_j},{c.cost},{c.base_effect}" for c in channels
    ]
    return "\n".join(lines) + "\n"
