"""The drawn parts of an event: the town and its roads, the plan, the figures, and the calendars.

The roads are the minimum spanning tree of the straight-line distances. A map that would not be
legible is drawn again, so the map depends only on its own stream.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.absences import present_employees
from trainee_bench.meta_tasks.authoring import CompositionError, TaskContext, pick_free, text_key
from trainee_bench.meta_tasks.families.event_planning.brief import (
    DATES_WORDS,
    FREE_DATES,
    LUNCH_WORDS,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import TOLERANCE
from trainee_bench.meta_tasks.families.event_planning.subject import (
    MONTH_THIRDS,
    NOVEMBER,
    OFFICE,
    TENTHS_PER_MINUTE,
    DayPlan,
    MemberAnswer,
    PlanMetric,
    PlanRanking,
    Road,
    Stop,
    Town,
)
from trainee_bench.world.company.people import Person
from trainee_bench.world.pictures.label_placement import Point, RoadSegment, place_length_labels
from trainee_bench.world.pictures.road_map import MAP_WIDTH, DrawnRoad, Marker, MarkerKind, RoadMap

PLACES, RESTAURANTS = 6, 10
_OFFICE_AT = (31.2304, 121.4737)
_EARTH = 6371.0
_PLACES_WITHIN, _NEAR_OFFICE, _NEAR_PLACE = 25.0, 15.0, 9.0
_APART = 4.6
"""The least distance between two points in kilometres; closer markers would overlap on the map."""
_MARGIN = 60
_TITLE = "Road map (lengths in km)"


@dataclass(frozen=True)
class RoadNetwork:
    """The roads and their map."""

    roads: tuple[Road, ...]
    picture: RoadMap


def draw_road_network(draws: Random) -> RoadNetwork:
    """Draw roads with a legible map. Numbers: the office, then places, then restaurants."""
    while True:
        points = _points(draws)
        roads = _spanning_tree(points) if points is not None else ()
        picture = _picture(points, roads) if points is not None else None
        if picture is not None:
            return RoadNetwork(roads, picture)


def _points(draws: Random) -> list[Point] | None:
    """Draw the points of all stops, in kilometres from the office; None if they are too close."""
    points = [Point(0, 0)]
    for number in range(PLACES + RESTAURANTS):
        for _ in range(30):
            centre, radius = Point(0, 0), _PLACES_WITHIN
            if number >= PLACES + RESTAURANTS // 2:
                centre, radius = points[draws.randint(1, PLACES)], _NEAR_PLACE
            elif number >= PLACES:
                radius = _NEAR_OFFICE
            point = _within(draws, centre, radius)
            if all(math.dist(point, other) >= _APART for other in points):
                points.append(point)
                break
        else:
            return None
    return points


def _within(draws: Random, centre: Point, radius: float) -> Point:
    """Draw a point of a disc, uniformly."""
    far, angle = radius * math.sqrt(draws.random()), 2 * math.pi * draws.random()
    return Point(centre.x + far * math.cos(angle), centre.y + far * math.sin(angle))


def haversine_km(a: Point, b: Point) -> float:
    """Kilometres between two points given in kilometres east and north of the office."""
    (lat_a, lon_a), (lat_b, lon_b) = _radians(a), _radians(b)
    lat, lon = math.sin((lat_b - lat_a) / 2), math.sin((lon_b - lon_a) / 2)
    return 2 * _EARTH * math.asin(math.sqrt(lat**2 + math.cos(lat_a) * math.cos(lat_b) * lon**2))


def _radians(point: Point) -> tuple[float, float]:
    lat, lon = (math.radians(degrees) for degrees in _OFFICE_AT)
    return lat + point.y / _EARTH, lon + point.x / (_EARTH * math.cos(lat))


def _spanning_tree(points: Sequence[Point]) -> tuple[Road, ...]:
    """The minimum spanning tree, grown from the office, with lengths in tenths."""
    nearest = {n: (haversine_km(points[OFFICE], p), OFFICE) for n, p in enumerate(points) if n}
    roads = []
    while nearest:
        (length, inner), number = min((way, n) for n, way in nearest.items())
        del nearest[number]
        roads.append(Road(inner, number, round(10 * length)))
        for other, (known, _) in nearest.items():
            length = haversine_km(points[number], points[other])
            if length < known:
                nearest[other] = length, number
    return tuple(roads)


def _picture(points: Sequence[Point], roads: Sequence[Road]) -> RoadMap | None:
    """The map that fills its frame; None if a length would not be legible."""
    left, right = min(point.x for point in points), max(point.x for point in points)
    low, high = min(point.y for point in points), max(point.y for point in points)
    scale = (MAP_WIDTH - 2 * _MARGIN) / max(right - left, high - low)
    middle = Point((left + right) / 2, (low + high) / 2)
    at = {
        number: Point(
            round(MAP_WIDTH / 2 + scale * (point.x - middle.x)),
            round(MAP_WIDTH / 2 + scale * (point.y - middle.y)),
        )
        for number, point in enumerate(points)
    }
    segments = [RoadSegment(a, b, f"{tenths / 10:.1f}") for a, b, tenths in roads]
    labels = place_length_labels(at, segments)
    if labels is None:
        return None
    return RoadMap(
        title=_TITLE,
        markers=tuple(
            Marker(number=number, kind=_kind(number), x=int(point.x), y=int(point.y))
            for number, point in at.items()
        ),
        roads=tuple(
            DrawnRoad(
                a=segment.a, b=segment.b, length=segment.length, x=int(label.x), y=int(label.y)
            )
            for segment, label in zip(segments, labels, strict=True)
        ),
    )


def _kind(number: int) -> MarkerKind:
    if number == OFFICE:
        return MarkerKind.OFFICE
    return MarkerKind.PLACE if number <= PLACES else MarkerKind.RESTAURANT


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
"""The range of a ticket's price in each third of a month, relative to its usual price."""
_LEAST_INTEREST, _MOST_INTEREST = 320, 490
RETURN_TIMES = (17 * 60 + 30, 18 * 60, 19 * 60)
_MIDNIGHT = 24 * 60
_NAMELESS = tuple(Stop(n, "", 0, (0, 0, 0)) for n in range(1, PLACES + RESTAURANTS + 1))
_CLEAR = 10
"""The least number of minutes between the end of a given day and the return time."""
MOST_MEMBERS = 20
"""The number of dates outside one third, of which each member needs one."""
LONGEST_BLOCK = 3
_SURVIVES = 0.12
"""The probability that an unprotected date of the third suits everybody by chance."""
_VEGETARIAN = 0.4


# stops --------------------------------------------------------------------------------------


def draw_stops(draws: Random, fixed: Sequence[str] = ()) -> tuple[Stop, ...]:
    """Draw the stops of a town, places first; none has a name of *fixed*."""
    taken = {text_key(name) for name in fixed}
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
    """Draw *count* names of which no two share a name or a kind."""
    pairs = zip(
        draws.sample(names, count + len(taken)),
        draws.sample(kinds, count + len(taken)),
        strict=True,
    )
    return [name for pair in pairs if text_key(name := " ".join(pair)) not in taken][:count]


def _ticket(draws: Random) -> tuple[int, int, int]:
    """Draw a ticket's price; half of the paid ones depend on the third of the month."""
    usual = draws.choice(_TICKETS)
    if usual == 0 or draws.random() < 0.5:
        return usual, usual, usual
    early, mid, late = (round(usual * draws.uniform(*bounds)) for bounds in _SEASONS)
    return early, mid, late


# towns and plans ----------------------------------------------------------------------------


def draw_town(
    context: TaskContext,
    best: PlanMetric | None,
    fixed: Sequence[str] = (),
    back: int | None = None,
) -> tuple[Town, RoadNetwork]:
    """Draw a town and its roads; no stop has a name of *fixed*.

    If a plan has to be *best* in a figure, the best plans lead clearly on every date, though they
    may tie with each other. With a return time *back* (in minutes of the day), some plan ends
    clearly before or after it.
    """
    draws, names = context.stream("land"), context.stream("stops")
    network, stops = draw_short_day_network(draws, back), draw_stops(names, fixed)
    while True:
        town = Town(stops[:PLACES], stops[PLACES:], network.roads)
        if best is None or _leads(town, best):
            return town, network
        if best is PlanMetric.DISTANCE:
            network = draw_short_day_network(draws, back)
        else:
            stops = draw_stops(names, fixed)


def draw_short_day_network(draws: Random, back: int | None) -> RoadNetwork:
    """Draw roads on which every plan ends before midnight, and some plan clearly off *back*."""
    while True:
        network = draw_road_network(draws)
        town = Town(_NAMELESS[:PLACES], _NAMELESS[PLACES:], network.roads)
        if max(map(town.ends, town.plans)) < _MIDNIGHT and (back is None or _clear(town, back)):
            return network


def _leads(town: Town, figure: PlanMetric) -> bool:
    thirds = range(3) if figure in (PlanMetric.COST, PlanMetric.OVERALL) else range(1)
    return all(PlanRanking(town, third).lead(figure) >= 10 * TOLERANCE[figure] for third in thirds)


def draw_figures(draws: Random, count: int) -> tuple[PlanMetric, ...]:
    """Draw *count* figures in their usual order; one is the distance, which needs the map."""
    others = draws.sample((PlanMetric.INTEREST, PlanMetric.COST), count - 1)
    return tuple(figure for figure in PlanMetric if figure in (*others, PlanMetric.DISTANCE))


def draw_plan(draws: Random, town: Town, back: int | None) -> DayPlan:
    """Draw a plan to be given.

    With a return time *back* (in minutes of the day) it ends clearly before or clearly after it,
    with equal probability if both exist. *town* was drawn for that time.
    """
    if back is None:
        return draws.choice(town.plans)
    clear = _clear(town, back)
    late = [plan for plan in clear if town.ends(plan) > back]
    early = [plan for plan in clear if town.ends(plan) < back]
    first, second = (early, late) if draws.random() < 0.5 else (late, early)
    return draws.choice(first or second)


def _clear(town: Town, back: int) -> list[DayPlan]:
    """The plans that end clearly before or after *back*, under any rounding."""
    return [
        plan
        for plan in town.plans
        # with binary fractions, whole minutes could be rounded up by one
        if all(tenths % TENTHS_PER_MINUTE for tenths in town.legs(plan))
        and abs(town.ends(plan) - back) >= _CLEAR
    ]


# calendars ----------------------------------------------------------------------------------


def draw_answers(context: TaskContext, members: int) -> list[MemberAnswer]:
    """Draw the answers of so many members (MOST_MEMBERS at most).

    The open part, which is not visible before it is told, has three pieces. Everybody keeps a block
    of dates in one third of the month free. Each member excludes one date outside that third that
    nobody else excludes. The other dates outside it are dealt out to members.

    Each member's own secret decides which further dates they exclude, and their lunch. So the dates
    are wrong without any one member, and a different secret of any one member changes the right
    answer. Dates alone could not ensure that for 19 members: each would need two own dates.
    """
    excluded, shared = _open_part(context.stream("calendars"), members)
    rate = 1 - _SURVIVES ** (1 / members)
    answers = []
    for number, own in enumerate(excluded, start=1):
        draws = context.secret_stream(FREE_DATES.clue_name({"number": str(number)}))
        busy = own | {day for day in shared if draws.random() < rate}
        vegetarian = draws.random() < _VEGETARIAN
        lunch, dates = draws.choice(LUNCH_WORDS[vegetarian]), draws.choice(DATES_WORDS)
        free = tuple(day for day in NOVEMBER if day not in busy)
        answers.append(MemberAnswer(free, vegetarian, dates, lunch))
    return answers


def _open_part(draws: Random, members: int) -> tuple[list[set[int]], list[int]]:
    """Draw the dates that each member always excludes, and those that anybody may exclude."""
    third = MONTH_THIRDS[draws.randrange(3)]
    length = draws.randint(1, LONGEST_BLOCK)
    first = draws.choice(third[: len(third) - length + 1])
    outside = [day for day in NOVEMBER if day not in third]
    draws.shuffle(outside)
    excluded = [{day} for day in outside[:members]]
    rest = outside[members:]
    for day in rest:
        draws.choice(excluded).add(day)
    inside = [day for day in third if not first <= day < first + length]
    return excluded, sorted([*inside, *rest])


# the people ---------------------------------------------------------------------------------

FEWEST_MEMBERS = 3
"""A smaller department is drawn only if there are no others, a smaller team never."""


@dataclass(frozen=True)
class Party:
    """The people of an event: what they are called together, the start of the file's name, and
    the person who asks for it. Only the members of a team are named."""

    name: str
    people: tuple[Person, ...]
    file: str
    requester: Person
    is_team: bool = False


def draw_team(context: TaskContext, department: str | None) -> Party:
    """Draw a team whose members are all at work, with the person who leads it: if possible one for
    which no other task plans an event.

    Raises CompositionError if *department*, or every department, has no team of a fitting size.
    """
    teams = defaultdict[str, list[Person]](list)
    for person in context.company.people:
        teams[person.manager or ""].append(person)
    present = {person.id for person in present_employees(context)}
    leads = [
        lead
        for lead in context.company.staff(department, manager=True)
        if FEWEST_MEMBERS <= 1 + len(teams[lead.id]) <= MOST_MEMBERS
        and all(person.id in present for person in (lead, *teams[lead.id]))
    ]
    if not leads:
        raise CompositionError(
            f"{context.task} needs a team of {FEWEST_MEMBERS} to {MOST_MEMBERS} people in "
            f"{department or 'any department'} who are all at work; take a larger company"
        )
    lead = pick_free(context, "team", leads, "a team event")
    file = f"team_{re.sub(r'[^a-z0-9]+', '_', lead.id)}"
    return Party(f"{lead.name}'s team", (lead, *teams[lead.id]), file, lead, is_team=True)
