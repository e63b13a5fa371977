"""Names: plain, distinct, and never words of the language."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.company.person_names import draw_names
from trainee_bench.world.random_streams import random_stream


def drawn(seed: int, count: int, taken: tuple[str, ...] = ()) -> tuple[str, ...]:
    return draw_names(random_stream("names", seed), count, taken=taken)


@given(st.integers(), st.integers(0, 500))
def test_no_part_of_a_name_occurs_twice(seed: int, count: int) -> None:
    names = drawn(seed, count)
    parts = [part.lower() for name in names for part in name.split()]
    assert len(names) == count
    assert len(parts) == len(set(parts)) == 2 * count
    for part in (part for name in names for part in name.split()):
        assert part.isascii() and part.isalpha() and part.istitle() and 3 <= len(part) <= 11


def test_names_that_are_taken_are_left_out_in_any_case() -> None:
    first, last = drawn(1, 1)[0].split()
    again = drawn(1, 300, (first.upper(), last.lower()))
    assert not {first, last} & {part for name in again for part in name.split()}


@pytest.mark.parametrize("word", ["Will", "May", "Mark", "Price", "Page", "Monday"])
def test_no_name_is_a_word_one_might_say(word: str) -> None:
    said = {part for seed in range(8) for name in drawn(seed, 500) for part in name.split()}
    assert word not in said


def test_the_draws_are_ours_and_nobody_elses() -> None:
    expected = drawn(7, 50)
    random.seed(1)
    assert drawn(7, 50) == expected != drawn(8, 50)
