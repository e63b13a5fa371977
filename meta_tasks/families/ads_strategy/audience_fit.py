"""The audience fit of a campaign, which only one colleague knows and which changes the best plan.

A plan made with a fit that somebody may assume reaches clearly less than the best. A plan that
books channels by exposure for cost misses the best, and one made from a misread map is wrong. The
fit is drawn until all of this holds; public data decides whether it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from trainee_bench.meta_tasks.families.ads_strategy.campaign import (
    Channel,
    ChannelType,
    DensityLevels,
    Fits,
)
from trainee_bench.meta_tasks.families.ads_strategy.knapsack import best_selection

PUBLISHED_FITS: Fits = dict(zip(ChannelType, (6, 6, 5, 9), strict=True))
"""The original benchmark's, which somebody may remember."""
ASSUMED_FITS: tuple[Fits, ...] = (dict.fromkeys(ChannelType, 10), PUBLISHED_FITS)
MAX_GUESSED_SHARE = 0.975
"""A plan made with an assumed fit reaches less than this share of the best."""
_LOWEST, _HIGHEST = 3, 9
_PATTERNS = (
    *((3, 5, 7, 9), (9, 7, 5, 3), (5, 9, 3, 7), (7, 3, 9, 5), (3, 9, 5, 7), (7, 5, 9, 3)),
    *((9, 3, 7, 5), (5, 7, 3, 9), (9, 5, 3, 7), (3, 7, 9, 5), (5, 3, 7, 9), (7, 9, 5, 3)),
)
_ENOUGH = 3
"""At least this many patterns have to matter; then a draw soon finds a fit that matters."""


class ChannelOptions:
    """The channels to choose from, and what somebody would choose by mistake.

    *levels* is the map of the target group, *others* are those of the other groups.
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
        """The same channels and maps with another budget."""
        return ChannelOptions(self.channels, self._levels, self._others, budget)

    def exposures(self, fits: Fits, levels: DensityLevels = ()) -> list[int]:
        """What each channel reaches in hundredths; with other *levels*, what it seems to reach."""
        return [channel.exposure(levels or self._levels, fits) for channel in self.channels]

    def highest(self, fits: Fits) -> int:
        """What the best selection reaches."""
        exposures = self.exposures(fits)
        return _total(exposures, self._best(exposures))

    def fits_can_matter(self) -> bool:
        """Whether enough fits change the plan, so that the fit has to be asked for."""
        found = 0
        for pattern in _PATTERNS:
            found += self._matters(dict(zip(ChannelType, pattern, strict=True)))
            if found == _ENOUGH:
                return True
        return False

    def draw_fits(self, secret: Random) -> Fits:
        """Fits that differ between all types and change the plan."""
        while True:
            drawn = secret.sample(range(_LOWEST, _HIGHEST + 1), len(ChannelType))
            fits = dict(zip(ChannelType, drawn, strict=True))
            if self._matters(fits):
                return fits

    def _matters(self, fits: Fits) -> bool:
        """Whether the best plan takes knowing *fits*, reading the right map correctly and comparing
        selections."""
        exposures = self.exposures(fits)
        selection = self._best(exposures)
        best = _total(exposures, selection)
        if any(_total(exposures, one) >= MAX_GUESSED_SHARE * best for one in self._assumed):
            return False
        if self._by_ratio(exposures) >= best:
            return False
        for levels in self._misread:
            seeming = self.exposures(fits, levels)
            if _total(seeming, selection) > best:
                continue  # with this map they choose another selection
            chosen = self._best(seeming)
            if _total(seeming, chosen) == best == _total(exposures, chosen):
                return False
        return True

    def _by_ratio(self, exposures: Sequence[int]) -> int:
        """What booking by exposure for cost reaches, while there is room in the budget."""
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
