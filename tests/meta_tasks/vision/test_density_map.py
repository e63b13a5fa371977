"""Density maps are read from their pixels exactly, whatever is on them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import quick_round
from trainee_bench.meta_tasks.vision.density_map import read_density_map
from trainee_bench.world.pictures.density_map import MAX_LEVEL, DensityMap
from trainee_bench.world.pictures.render import render_png

LEVELS = st.integers(0, MAX_LEVEL)
SIZES = (8, 12, 18)
TITLES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)


def maps(wide: int, high: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    row = st.lists(LEVELS, min_size=wide, max_size=wide).map(tuple)
    return st.lists(row, min_size=high, max_size=high).map(tuple)


@pytest.mark.parametrize("size", quick_round.quick_first(SIZES))
@settings(max_examples=max(1, settings().max_examples // 20))
@given(st.data(), TITLES)
def test_what_is_read_is_what_was_drawn(size: int, data: st.DataObject, title: str) -> None:
    levels = data.draw(maps(size, size))
    assert read_density_map(render_png(DensityMap(title=title, levels=levels))) == levels


@pytest.mark.parametrize(
    "shape", quick_round.quick_first([(2, 3), (1, 1), (3, 2), (24, 2), (1, 4)], 2), ids=str
)
def test_maps_of_any_shape_are_read(shape: tuple[int, int]) -> None:
    wide, high = shape
    levels = tuple(tuple((7 * j + 2 * i) % 6 for i in range(wide)) for j in range(high))
    assert read_density_map(render_png(DensityMap(title="A map", levels=levels))) == levels


def test_what_is_no_map_is_not_read() -> None:
    picture = render_png(DensityMap(title="A map", levels=((1, 2), (3, 4))))
    with pytest.raises((ValueError, OSError)):
        read_density_map(picture[: len(picture) // 2])
