"""What lies on the drive, as it is written and read: guidelines, list of stops, table of roads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import (
    PATH,
    Converter,
    Modality,
    TaskContext,
    TextTemplate,
    one_of,
    resource_text,
)
from trainee_bench.meta_tasks.families.event_planning.town import Road, Stop, Town

FOLDER = "drive:/event_planning"


@dataclass(frozen=True)
class DataFiles:
    """Where the data are, and whether the roads are *drawn* or lie in a table."""

    info: str
    roads: str
    drawn: bool


GUIDELINES = TextTemplate(
    DataFiles,
    resource_text("trainee_bench.meta_tasks.families.event_planning/guidelines.txt"),
    {
        "info": PATH,
        "roads": PATH,
        "drawn": one_of(
            {
                True: "A picture; look at it. A line is a road, the number printed on it is its "
                "length in km, and the\nnumbers in the circles are those in the list",
                False: "A table with one row per road: the two numbers that it joins, and its "
                "length in km. The numbers\nare those in the list",
            }
        ),
    },
)
"""How a day is planned and measured."""


def reserve_files(context: TaskContext) -> tuple[DataFiles, str]:
    """Free paths of the data, and of the guidelines that name them."""
    drawn = context.modality is Modality.PICTURES
    info = context.reserve_path(f"{FOLDER}/locations_restaurants_info.txt")
    roads = context.reserve_path(f"{FOLDER}/mst_map.{'png' if drawn else 'csv'}")
    guidelines = context.reserve_path(f"{FOLDER}/event_planning_guidelines.txt")
    return DataFiles(info, roads, drawn), guidelines


# the list of stops --------------------------------------------------------------------------


def _parse_prices(text: str) -> tuple[int, int, int]:
    prices = [int(price) for price in re.findall(r"EUR (\d+)", text)] or [0]
    early, mid, late = prices if len(prices) == 3 else prices * 3
    return early, mid, late


def _render_ticket(prices: tuple[int, int, int]) -> str:
    early, mid, late = prices
    if early == mid == late:
        return f"EUR {early}" if early else "free"
    return f"EUR {early} (days 1-10), EUR {mid} (days 11-20), EUR {late} (days 21-31)"


_INTEREST = Converter(
    r"\d+\.\d\d", lambda text: int(text.replace(".", "")), lambda n: f"{n // 100}.{n % 100:02}"
)
_TICKET = Converter(r"(?:free|EUR .+)", _parse_prices, _render_ticket)
_MEAL = Converter(r"EUR \d+", _parse_prices, lambda prices: f"EUR {prices[0]}")
_ENTRY = "{number}. {name}\n   Interest score: {interest}\n   "
PLACE = TextTemplate(Stop, _ENTRY + "Ticket: {prices}", {"interest": _INTEREST, "prices": _TICKET})
RESTAURANT = TextTemplate(Stop, _ENTRY + "Meal: {prices}", {"interest": _INTEREST, "prices": _MEAL})


def stops_text(town: Town) -> str:
    """The numbered entries of all places and restaurants."""
    parts = [
        "Places and restaurants\n\nThe roads use the same numbers. Prices are per person.",
        "PLACES",
        *map(PLACE.render, town.places),
        "RESTAURANTS",
        *map(RESTAURANT.render, town.restaurants),
    ]
    return "\n\n".join(parts) + "\n"


# the roads ----------------------------------------------------------------------------------


def roads_csv(roads: Iterable[Road]) -> str:
    """The roads as CSV."""
    rows = (f"{a},{b},{tenths / 10:.1f}" for a, b, tenths in roads)
    return "\n".join(["from,to,distance_km", *rows]) + "\n"


def parse_roads(text: str) -> tuple[Road, ...]:
    """The roads in a CSV text."""
    rows = (line.split(",") for line in text.split()[1:])
    return tuple(Road(int(a), int(b), round(10 * float(km))) for a, b, km in rows)
