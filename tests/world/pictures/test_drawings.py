"""Drawings and their pictures: the same data, the same bytes; road maps that can be read."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import pytest
from pydantic import ValidationError

from trainee_bench.world.filesystem.content import FileKind, drawing_content
from trainee_bench.world.pictures import render
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.label_placement import (
    MARKER_RADIUS,
    Box,
    Point,
    RoadSegment,
    label_box,
    place_length_labels,
)
from trainee_bench.world.pictures.render import deserialize_drawing, serialize_drawing
from trainee_bench.world.pictures.road_map import DrawnRoad, Marker, MarkerKind, RoadMap

MAP = DensityMap(title="Students in Wuhan", levels=((0, 1, 2), (3, 4, 5)))
OTHER = DensityMap(title="Students in Wuhan", levels=((0, 1, 2), (3, 4, 4)))


def chunks(png: bytes) -> list[str]:
    """The names of the parts that a PNG consists of."""
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append(png[at + 4 : at + 8].decode())
        at += 12 + length
    return found


def afresh(of: DensityMap) -> bytes:
    """The picture, drawn anew."""
    render.render_stored_drawing.cache_clear()
    return render.render_png(of)


def test_the_same_data_give_the_same_picture_and_other_data_another() -> None:
    assert afresh(MAP) == afresh(MAP) != afresh(OTHER)


def test_a_picture_has_no_date_no_author_and_the_size_that_its_sort_has() -> None:
    picture = render.render_png(MAP)
    assert set(chunks(picture)) <= {"IHDR", "pHYs", "IDAT", "IEND"}
    assert struct.unpack(">II", picture[16:24]) == DensityMap.size


def test_many_may_draw_at_once() -> None:
    maps = [DensityMap(title=f"Map {n}", levels=((n, 0), (0, n))) for n in range(6)]
    alone = [afresh(of) for of in maps]
    render.render_stored_drawing.cache_clear()
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(render.render_png, maps)) == alone


def test_a_world_stores_the_data_of_a_picture_and_reads_it_again() -> None:
    content = drawing_content(MAP)
    assert content.kind is FileKind.PICTURE
    assert content.data == serialize_drawing(MAP) and deserialize_drawing(content.data) == MAP
    assert content.shown == render.render_png(MAP)


@pytest.mark.parametrize("levels", [(), ((),), ((1, 2), (3,)), ((6,),), ((-1,),)])
def test_a_map_is_a_rectangle_of_levels(levels: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ValidationError):
        DensityMap(title="", levels=levels)


def test_servers_start_without_the_library_that_draws() -> None:
    code = """
import sys
from trainee_bench import mcp_servers
from trainee_bench.mcp_servers import __main__, office
from trainee_bench.world import apps
mcp_servers.discover_toolboxes(); apps.discover_apps()
sys.exit(any(name.split(".")[0] in ("numpy", "PIL") for name in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# road maps --------------------------------------------------------------------------------


A = Marker(number=0, kind=MarkerKind.OFFICE, x=100, y=100)
B = Marker(number=1, kind=MarkerKind.PLACE, x=300, y=100)
ROAD = DrawnRoad(a=0, b=1, length="4.2", x=200, y=100)


def test_a_map_lies_in_a_world_as_its_data_and_is_read_again() -> None:
    drawn = RoadMap(title="Roads", markers=(A, B), roads=(ROAD,))
    assert deserialize_drawing(serialize_drawing(drawn)) == drawn


@pytest.mark.parametrize(
    "roads",
    [
        (ROAD.model_copy(update={"b": 2}),),
        (ROAD.model_copy(update={"b": 0}),),
        (),
    ],
)
def test_roads_join_two_different_markers(roads: tuple[DrawnRoad, ...]) -> None:
    with pytest.raises(ValidationError):
        RoadMap(title="", markers=(A, B), roads=roads)


def test_markers_have_different_numbers() -> None:
    twice = B.model_copy(update={"number": 0})
    with pytest.raises(ValidationError):
        RoadMap(title="", markers=(A, twice), roads=(ROAD,))


@pytest.mark.parametrize("length", ["4", "4.25", "123.4", "-1.0", "4,2"])
def test_lengths_have_one_decimal(length: str) -> None:
    with pytest.raises(ValidationError):
        DrawnRoad(a=0, b=1, length=length, x=0, y=0)


def test_a_length_stands_in_the_middle_of_a_road_with_room() -> None:
    markers = {0: Point(100, 100), 1: Point(300, 200)}
    assert place_length_labels(markers, [RoadSegment(0, 1, "4.2")]) == (Point(200, 150),)


@pytest.mark.parametrize("end", [Point(180, 100), Point(100, 170)])
def test_on_too_short_a_road_there_is_no_room(end: Point) -> None:
    assert place_length_labels({0: Point(100, 100), 1: end}, [RoadSegment(0, 1, "4.2")]) is None


def test_a_length_makes_way_for_markers_roads_and_lengths() -> None:
    markers = {
        0: Point(100, 500),
        1: Point(500, 500),
        2: Point(300, 530),
        3: Point(260, 300),
        4: Point(260, 700),
    }
    roads = [RoadSegment(0, 1, "12.5"), RoadSegment(3, 4, "9.9")]
    placed = place_length_labels(markers, roads)
    assert placed is not None
    one, other = (label_box(road.length, at) for road, at in zip(roads, placed, strict=True))
    assert not one.meets(other)
    assert one.span(markers[3], markers[4]) is None and other.span(markers[0], markers[1]) is None
    for box, marker in ((b, m) for b in (one, other) for m in markers.values()):
        assert box.distance(marker) > MARKER_RADIUS


def test_nothing_is_placed_if_every_spot_is_taken() -> None:
    markers = {0: Point(100, 500), 1: Point(220, 500), 2: Point(160, 400), 3: Point(160, 600)}
    assert (
        place_length_labels(markers, [RoadSegment(0, 1, "1.5"), RoadSegment(2, 3, "2.5")]) is None
    )


def test_boxes_know_what_they_meet() -> None:
    box = Box(0, 0, 10, 10)
    assert box.meets(Box(9, 9, 12, 12)) and not box.meets(Box(10, 0, 12, 10))
    assert box.distance(Point(13, 14)) == 5 and box.distance(Point(5, 5)) == 0
    assert box.span(Point(-10, 5), Point(30, 5)) == (0.25, 0.5)
    assert box.span(Point(-10, 11), Point(30, 11)) is None
    corners = [Point(x, y) for x in (-5, 15) for y in (-5, 15)]
    assert all(box.span(a, b) for a, b in combinations(corners, 2) if math.dist(a, b) > 20.1)
