"""The lie of the land: where places and restaurants are, and the roads between them.

The roads are the minimum spanning tree of the distances as the crow flies. Land that could
not be drawn legibly is drawn anew, so the map depends on nothing but its own stream.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.families.event_planning.town import OFFICE, Road
from trainee_bench.world.pictures.label_placement import Point, RoadSegment, place_length_labels
from trainee_bench.world.pictures.road_map import MAP_WIDTH, DrawnRoad, Marker, MarkerKind, RoadMap

PLACES, RESTAURANTS = 6, 10
_OFFICE_AT = (31.2304, 121.4737)
_EARTH = 6371.0
_PLACES_WITHIN, _NEAR_OFFICE, _NEAR_PLACE = 25.0, 15.0, 9.0
_APART = 4.6
"""Kilometres between any two of them, at least: else their markers crowd on the map."""
_MARGIN = 60
_TITLE = "Road map (lengths in km)"


@dataclass(frozen=True)
class RoadNetwork:
    """The roads, and the map of them."""

    roads: tuple[Road, ...]
    picture: RoadMap


def draw_road_network(draws: Random) -> RoadNetwork:
    """Land that can be drawn legibly. Numbers: the office, then places, then restaurants."""
    while True:
        points = _points(draws)
        roads = _spanning_tree(points) if points is not None else ()
        picture = _picture(points, roads) if points is not None else None
        if picture is not None:
            return RoadNetwork(roads, picture)


def _points(draws: Random) -> list[Point] | None:
    """Office, places and restaurants in kilometres from the office; None if they crowd."""
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
    """A point of a disc, each part of which is as likely."""
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
    left, right = min(p.x for p in points), max(p.x for p in points)
    low, high = min(p.y for p in points), max(p.y for p in points)
    scale = (MAP_WIDTH - 2 * _MARGIN) / max(right - left, high - low)
    middle = Point((left + right) / 2, (low + high) / 2)
    at = {
        number: Point(
            round(MAP_WIDTH / 2 + scale * (p.x - middle.x)),
            round(MAP_WIDTH / 2 + scale * (p.y - middle.y)),
        )
        for number, p in enumerate(points)
    }
    stretches = [RoadSegment(a, b, f"{tenths / 10:.1f}") for a, b, tenths in roads]
    places = place_length_labels(at, stretches)
    if places is None:
        return None
    return RoadMap(
        title=_TITLE,
        markers=tuple(
            Marker(number=n, kind=_kind(n), x=int(p.x), y=int(p.y)) for n, p in at.items()
        ),
        roads=tuple(
            DrawnRoad(a=s.a, b=s.b, length=s.length, x=int(p.x), y=int(p.y))
            for s, p in zip(stretches, places, strict=True)
        ),
    )


def _kind(number: int) -> MarkerKind:
    if number == OFFICE:
        return MarkerKind.OFFICE
    return MarkerKind.PLACE if number <= PLACES else MarkerKind.RESTAURANT
