"""What places and restaurants are called, and what a visit costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from trainee_bench.meta_tasks.deliverable import fold_text
from trainee_bench.meta_tasks.families.event_planning.road_network import PLACES, RESTAURANTS
from trainee_bench.meta_tasks.families.event_planning.town import Stop

_PLACE_NAMES = (
    "Alder Brook", "Amber Hill", "Birch Meadow", "Blackwater", "Cinder Cone", "Clearwell",
    "Copper Ridge", "Dunmore", "Eastcliff", "Fernway", "Foxglove", "Granite Bay", "Hazel Down",
    "Ivory Gorge", "Juniper Heath", "Kestrel Point", "Larkspur", "Millrace", "Northgate",
    "Old Harbour", "Pinewood", "Quarry Lake", "Redfield", "Saltmarsh", "Thornbury", "Willow Bend",
)  # fmt: skip
_PLACE_KINDS = (
    "Adventure Park", "Bird Sanctuary", "Botanical Garden", "Boulder Hall", "Castle", "Caverns",
    "Craft Village", "Glassworks", "Lighthouse", "Maze", "Museum Railway", "Observatory",
    "Open-Air Museum", "Sculpture Park", "Steam Mill", "Treetop Walk", "Waterfalls",
    "Wildlife Park",
)  # fmt: skip
_RESTAURANT_NAMES = (
    "Almond Tree", "Basil & Bay", "Blue Heron", "Chestnut", "Copper Kettle", "Corner Lamp",
    "Crooked Spoon", "Ember", "Golden Pear", "Green Gate", "Harvest", "Juno", "Lantern",
    "Lemon Grove", "Little Anchor", "Long Table", "Marigold", "Nettle", "Olive Branch",
    "Paper Crane", "Red Clover", "Saffron", "Seven Steps", "Silver Birch", "Tin Roof", "Walnut",
)  # fmt: skip
_RESTAURANT_KINDS = (
    "Bistro", "Brasserie", "Canteen", "Curry House", "Dumpling Bar", "Farm Kitchen", "Fish House",
    "Garden Cafe", "Grill", "Noodle House", "Osteria", "Pizzeria", "Smokehouse", "Soup House",
    "Tapas Bar", "Tavern", "Tea House", "Trattoria",
)  # fmt: skip
_TICKETS = (0, 20, 30, 40, 50, 80, 100)
_MEALS = (50, 60, 70, 80, 90, 100, 120)
_SEASONS = ((0.80, 0.90), (0.95, 1.05), (1.10, 1.30))
"""What a ticket costs in each third of a month, at least and at most, of its usual price."""
_LEAST_INTEREST, _MOST_INTEREST = 320, 490
_SEPARATORS = re.compile(r"[\W_]+")


def normalize_name(name: str) -> str:
    """A name without regard to case and to the signs between its words."""
    return " ".join(_SEPARATORS.sub(" ", fold_text(name)).split())


def draw_stops(draws: Random, fixed: Sequence[str] = ()) -> tuple[Stop, ...]:
    """The stops of a town by number, places first, none of them called like one of *fixed*."""
    taken = {normalize_name(name) for name in fixed}
    names = [
        *_names(draws, _PLACE_NAMES, _PLACE_KINDS, PLACES, taken),
        *_names(draws, _RESTAURANT_NAMES, _RESTAURANT_KINDS, RESTAURANTS, taken),
    ]
    return tuple(
        Stop(
            number,
            name,
            draws.randint(_LEAST_INTEREST, _MOST_INTEREST),
            _ticket(draws) if number <= PLACES else (draws.choice(_MEALS),) * 3,
        )
        for number, name in enumerate(names, start=1)
    )


def _names(
    draws: Random, names: Sequence[str], kinds: Sequence[str], count: int, taken: set[str]
) -> list[str]:
    """*count* names of which no two share a word of either sort."""
    pairs = zip(
        draws.sample(names, count + len(taken)),
        draws.sample(kinds, count + len(taken)),
        strict=True,
    )
    return [name for pair in pairs if normalize_name(name := " ".join(pair)) not in taken][:count]


def _ticket(draws: Random) -> tuple[int, int, int]:
    """A ticket's price; of the paid ones half depend on the third of the month."""
    usual = draws.choice(_TICKETS)
    if usual == 0 or draws.random() < 0.5:
        return usual, usual, usual
    early, mid, late = (round(usual * draws.uniform(*bounds)) for bounds in _SEASONS)
    return early, mid, late
