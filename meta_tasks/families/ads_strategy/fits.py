"""The audience fit of a campaign: what only one colleague knows, and what changes the plan.

A plan made with any fit one would assume reaches clearly less than the best; so the draw is
repeated until that holds. Whether it can hold at all is seen from what lies open.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from meta_tasks.families.ads_strategy.campaign import Type
from meta_tasks.families.ads_strategy.channels import Channel, Fits
from meta_tasks.families.ads_strategy.density import Levels
from meta_tasks.families.ads_strategy.knapsack import best_choice

EQUAL: Fits = dict.fromkeys(Type, 1)
PUBLISHED: Fits = dict(zip(Type, (6, 6, 5, 9), strict=True))
"""The original's, which somebody may remember."""
ASSUMED = (EQUAL, PUBLISHED)
WORSE = 0.975
"""What a plan made with an assumed fit reaches of the best, at most."""
_LOWEST, _HIGHEST = 3, 9
_PATTERNS = (
    *((3, 5, 7, 9), (9, 7, 5, 3), (5, 9, 3, 7), (7, 3, 9, 5), (3, 9, 5, 7), (7, 5, 9, 3)),
    *((9, 3, 7, 5), (5, 7, 3, 9), (9, 5, 3, 7), (3, 7, 9, 5), (5, 3, 7, 9), (7, 9, 5, 3)),
)
_ENOUGH = 4
"""So many of the patterns have to be possible: then a draw soon comes upon a possible fit."""


class Choices:
    """What there is to choose from, and what one would choose with the fits one assumes."""

    def __init__(self, channels: Sequence[Channel], levels: Levels, budget: int):
        self.channels = channels
        self._levels = levels
        self._budget = budget
        self._costs = [channel.cost for channel in channels]
        self._assumed = [self.best(fits) for fits in ASSUMED]

    def exposures(self, fits: Fits) -> list[int]:
        """What each channel reaches, in hundredths."""
        return [channel.exposure(self._levels, fits) for channel in self.channels]

    def best(self, fits: Fits) -> tuple[int, ...]:
        """The positions of the best selection."""
        return best_choice(self._costs, self.exposures(fits), self._budget)

    def needs(self, fits: Fits) -> bool:
        """Whether whoever assumes another fit than *fits* makes a clearly worse plan."""
        exposures = self.exposures(fits)
        best = sum(exposures[at] for at in self.best(fits))
        return all(sum(exposures[at] for at in assumed) < WORSE * best for assumed in self._assumed)

    def can_need(self) -> bool:
        """Whether there are enough fits that one needs to know."""
        found = 0
        for pattern in _PATTERNS:
            found += self.needs(dict(zip(Type, pattern, strict=True)))
            if found == _ENOUGH:
                return True
        return False

    def draw_fits(self, secret: Random) -> Fits:
        """Fits that differ between all types and that one needs to know."""
        while True:
            drawn = secret.sample(range(_LOWEST, _HIGHEST + 1), len(Type))
            fits = dict(zip(Type, drawn, strict=True))
            if self.needs(fits):
                return fits
