"""Road maps are read from their pixels: numbers, roads and lengths, and nothing else helps."""

from __future__ import annotations

import pytest

from tests import quick_round
from trainee_bench.meta_tasks.families.event_planning.data import RoadNetwork, draw_road_network
from trainee_bench.meta_tasks.vision.road_map import read_road_map
from trainee_bench.world.pictures.render import render_png
from trainee_bench.world.pictures.road_map import DrawnRoad, Marker, MarkerKind, RoadMap
from trainee_bench.world.random_streams import random_stream


def land(seed: int) -> RoadNetwork:
    return draw_road_network(random_stream("eyes", seed))


@pytest.mark.parametrize("seed", quick_round.quick_first(range(8), 3))
def test_what_is_read_is_what_was_drawn(seed: int) -> None:
    drawn = land(seed)
    expected = {(min(a, b), max(a, b)): tenths / 10 for a, b, tenths in drawn.roads}
    assert read_road_map(render_png(drawn.picture)) == expected


def test_every_digit_is_told_from_every_other_in_every_place() -> None:
    lengths = [f"{9 - n}{n}.{(n + 3) % 10}" for n in range(9)]
    markers = [
        Marker(
            number=n + 10 * side, kind=list(MarkerKind)[n % 3], x=150 + 300 * side, y=900 - 90 * n
        )
        for n in range(9)
        for side in (0, 1)
    ]
    roads = [
        DrawnRoad(a=n, b=n + 10, length=length, x=300, y=900 - 90 * n)
        for n, length in enumerate(lengths)
    ]
    picture = render_png(RoadMap(title="Map 12.3", markers=tuple(markers), roads=tuple(roads)))
    assert read_road_map(picture) == {(n, n + 10): float(lengths[n]) for n in range(9)}


def test_a_road_through_a_marker_is_two_roads() -> None:
    markers = tuple(
        Marker(number=n, kind=MarkerKind.PLACE, x=100 + 200 * n, y=500) for n in range(3)
    )
    roads = tuple(
        DrawnRoad(a=n, b=n + 1, length=f"{n + 4}.5", x=200 + 200 * n, y=500) for n in range(2)
    )
    picture = render_png(RoadMap(title="", markers=markers, roads=roads))
    assert read_road_map(picture) == {(0, 1): 4.5, (1, 2): 5.5}


def test_what_is_no_map_is_not_read() -> None:
    picture = render_png(land(1).picture)
    with pytest.raises((ValueError, OSError)):
        read_road_map(picture[: len(picture) // 2])
