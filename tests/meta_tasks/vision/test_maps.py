"""Maps are read from their pixels, and nothing else helps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import quick_round
from trainee_bench.meta_tasks.families.event_planning.data import RoadNetwork, draw_road_network
from trainee_bench.meta_tasks.vision.density_map import read_density_map
from trainee_bench.meta_tasks.vision.road_map import read_road_map
from trainee_bench.world.pictures.density_map import MAX_LEVEL, DensityMap
from trainee_bench.world.pictures.render import render_png
from trainee_bench.world.pictures.road_map import DrawnRoad, Marker, MarkerKind, RoadMap
from trainee_bench.world.random_streams import random_stream


def land(seed: int) -> RoadNetwork:
    return draw_road_network(random_stream("eyes", seed))


@pytest.mark.parametrize("seed", quick_round.quick_first(range(8), 3))
def test_the_read_map_is_the_drawn_map(seed: int) -> None:
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


def test_a_picture_that_is_not_a_map_is_not_read() -> None:
    picture = render_png(land(1).picture)
    with pytest.raises((ValueError, OSError)):
        read_road_map(picture[: len(picture) // 2])


# density maps -----------------------------------------------------------------------------


LEVELS = st.integers(0, MAX_LEVEL)
SIZES = (8, 12, 18)
TITLES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)


def maps(wide: int, high: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    row = st.lists(LEVELS, min_size=wide, max_size=wide).map(tuple)
    return st.lists(row, min_size=high, max_size=high).map(tuple)


@pytest.mark.parametrize("size", quick_round.quick_first(SIZES))
@settings(max_examples=max(1, settings().max_examples // 20))
@given(st.data(), TITLES)
def test_the_density_that_is_read_is_what_was_drawn(
    size: int, data: st.DataObject, title: str
) -> None:
    levels = data.draw(maps(size, size))
    assert read_density_map(render_png(DensityMap(title=title, levels=levels))) == levels


@pytest.mark.parametrize(
    "shape", quick_round.quick_first([(2, 3), (1, 1), (3, 2), (24, 2), (1, 4)], 2), ids=str
)
def test_maps_of_any_shape_are_read(shape: tuple[int, int]) -> None:
    wide, high = shape
    levels = tuple(tuple((7 * j + 2 * i) % 6 for i in range(wide)) for j in range(high))
    assert read_density_map(render_png(DensityMap(title="A map", levels=levels))) == levels


def test_a_picture_that_is_not_a_density_map_is_not_read() -> None:
    picture = render_png(DensityMap(title="A map", levels=((1, 2), (3, 4))))
    with pytest.raises((ValueError, OSError)):
        read_density_map(picture[: len(picture) // 2])
