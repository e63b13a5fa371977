"""What lies on the drive: the guidelines, the list of stops, the roads as a table."""

from __future__ import annotations

from collections.abc import Iterable

from trainee_bench.meta_tasks.families.event_planning.town import OFFICE, Road, Stop, Town

FOLDER = "drive:/event_planning"


_PICTURE = """\
A picture; look at it. A line is a road, the number printed on it is its length in km, and the
numbers in the circles are those of the list"""
_TABLE = """\
A table with one row for each road: the two numbers it joins, and its length in km. The numbers
are those of the list"""


def guidelines(info: str, roads: str, drawn: bool) -> str:
    """How a day is planned and measured; *info* and *roads* are the paths of the data."""
    what = _PICTURE if drawn else _TABLE
    return f"""Guidelines for team events

A team event is one day that the whole department spends together.

WHERE THE DATA ARE
Places and restaurants, with their numbers, prices and interest scores:
{info}
Roads:
{roads}
{what}; {OFFICE} is our office. One can travel on these roads only, in both
directions, and there is just one way along them between any two points. Its length is the sum of
the lengths of its roads.

THE DAY
A plan names a place for the morning, a restaurant for lunch, and another place for the afternoon.
09:00  leave the office for the first place, stay there for 120 minutes
       travel to the restaurant, stay there for 90 minutes
       travel to the second place, stay there for 120 minutes
       travel back to the office, where the day ends
We travel by bus at 30 km/h. The minutes of each of the four legs are rounded up to whole minutes,
each leg by itself: a leg of 8.3 km takes 16.6 minutes, so 17. There is no other waiting.

FIGURES OF A PLAN
interest_score         the interest scores of both places and the restaurant added up, to 2 decimals
cost_per_person        both tickets and the meal added up, in EUR, to 2 decimals. Some tickets cost
                       more or less by the day of the month: from the 1st to the 10th, from the 11th
                       to the 20th, and from the 21st on. The price on the date of the event counts.
total_travel_distance  the lengths of all four legs added up, in km, to 2 decimals
overall_score          0.4 x interest + 0.4 x (1 - cost) + 0.2 x (1 - distance), to 4 decimals

For the overall score the three other figures are first brought between 0 and 1:
(value - lowest) / (highest - lowest), where lowest and highest are those over all possible plans
on the date of the event. With 6 places and 10 restaurants there are 6 x 5 x 10 = 300 plans; the
order of the two places counts as different. Where all plans are equal in a figure, it is 0.5.
Round only at the very end.

THE BEST PLAN
Of all possible plans, the one with the highest or lowest value of the figure asked for. Where
several plans are equally good, any one of them will do.

THE DATE
A date is possible if every member of the department is free on it; no majority decides. Saturdays
and Sundays count like other days. Members do not know of one another's dates: ask each of them.
The restaurant wants to know beforehand how many members take the vegetarian menu.
"""


def stops_text(town: Town) -> str:
    """The numbered entries of all places and restaurants."""
    parts = [
        "Places and restaurants\n\nThe roads have the same numbers. Prices are per person.",
        "PLACES",
        *(_entry(stop, _ticket(stop.prices)) for stop in town.places),
        "RESTAURANTS",
        *(_entry(stop, f"Meal: EUR {stop.prices[0]}") for stop in town.restaurants),
    ]
    return "\n\n".join(parts) + "\n"


def _entry(stop: Stop, price: str) -> str:
    interest = f"{stop.interest // 100}.{stop.interest % 100:02}"
    return f"{stop.number}. {stop.name}\n   Interest score: {interest}\n   {price}"


def _ticket(prices: tuple[int, int, int]) -> str:
    early, mid, late = prices
    if early == mid == late:
        return f"Ticket: EUR {early}" if early else "Ticket: free"
    return f"Ticket: EUR {early} (days 1-10), EUR {mid} (days 11-20), EUR {late} (days 21-31)"


def roads_csv(roads: Iterable[Road]) -> str:
    """The roads as CSV."""
    rows = (f"{a},{b},{tenths / 10:.1f}" for a, b, tenths in roads)
    return "\n".join(["from,to,distance_km", *rows]) + "\n"
