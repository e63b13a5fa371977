"""Density maps are read from their pixels exactly, whatever is on them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_tasks.eyes.density_map import levels_on
from world.pictures.density_map import HIGHEST, DensityMap
from world.pictures.render import png

LEVELS = st.integers(0, HIGHEST)
SIZES = (8, 12, 18)
TITLES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)


def maps(wide: int, high: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    row = st.lists(LEVELS, min_size=wide, max_size=wide).map(tuple)
    return st.lists(row, min_size=high, max_size=high).map(tuple)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(SIZES).flatmap(lambda size: maps(size, size)), TITLES)
def test_what_is_read_is_what_was_drawn(levels: tuple[tuple[int, ...], ...], title: str) -> None:
    assert levels_on(png(DensityMap(title=title, levels=levels))) == levels


@pytest.mark.parametrize(("wide", "high"), [(1, 1), (2, 3), (3, 2), (24, 2), (1, 4)])
def test_maps_of_any_shape_are_read(wide: int, high: int) -> None:
    levels = tuple(tuple((7 * j + 2 * i) % 6 for i in range(wide)) for j in range(high))
    assert levels_on(png(DensityMap(title="A map", levels=levels))) == levels


def test_what_is_no_map_is_not_read() -> None:
    picture = png(DensityMap(title="A map", levels=((1, 2), (3, 4))))
    with pytest.raises((ValueError, OSError)):
        levels_on(picture[: len(picture) // 2])
