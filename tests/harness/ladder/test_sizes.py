"""The choice of the next worlds of a climb: outward at first, then where it tells most."""

from __future__ import annotations

import pytest

from trainee_bench.harness.analysis.statistics.capacity import WorldOutcome, fit_capacity
from trainee_bench.harness.ladder.sizes import next_sizes

RUNGS = (1, 2, 4, 8, 16, 32, 64, 128)
ENDLESS = dict.fromkeys(RUNGS)


def passed(*sizes: int) -> list[WorldOutcome]:
    return [WorldOutcome(size, True) for size in sizes]


def failed(*sizes: int) -> list[WorldOutcome]:
    return [WorldOutcome(size, False) for size in sizes]


def test_sizes_double_until_a_world_fails() -> None:
    assert next_sizes([], ENDLESS, 1) == [1]
    assert next_sizes(passed(1, 2, 4), ENDLESS, 1) == [8]
    assert next_sizes(passed(1, 2, 4), ENDLESS, 3) == [8, 16, 32]
    assert next_sizes(passed(*RUNGS), ENDLESS, 2) == [128, 128]


def test_an_agent_that_only_fails_gets_the_smallest_worlds() -> None:
    assert next_sizes(failed(1, 2, 4, 8), ENDLESS, 2) == [1, 1]


def test_after_both_outcomes_worlds_lie_around_the_capacity() -> None:
    outcomes = passed(1, 2, 4, 8, 8, 16) + failed(16, 16, 32)
    capacity = fit_capacity(outcomes).estimate
    assert capacity is not None
    sizes = next_sizes(outcomes, ENDLESS, 8)
    assert all(capacity / 4 <= size <= capacity * 4 for size in sizes)


def test_worlds_of_a_round_tell_different_things() -> None:
    sizes = next_sizes(passed(1, 2, 4) + failed(8), ENDLESS, 8)
    assert len(set(sizes)) > 1


def test_the_choice_follows_from_the_outcomes_alone() -> None:
    outcomes = passed(1, 2, 4, 8) + failed(16)
    assert next_sizes(outcomes, ENDLESS, 4) == next_sizes(outcomes[::-1], ENDLESS, 4)


@pytest.mark.parametrize("outcomes", [[], passed(1, 2), passed(2) + failed(4), failed(1)])
def test_no_more_worlds_are_chosen_than_are_left(outcomes: list[WorldOutcome]) -> None:
    left = {1: 0, 2: 1, 4: 2}
    assert sorted(next_sizes(outcomes, left, 9)) == [2, 4, 4]
    assert next_sizes(outcomes, {}, 9) == []
