"""Which of many clues a seed tries: each in its turn, so that some seeds try all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

AT_ONCE = 3
"""Clues tried with one seed; a department of nineteen would take minutes."""

Item = TypeVar("Item")


def turn_by_turn(items: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """At most AT_ONCE of *items*, with each further seed the next ones, round and round."""
    if len(items) <= AT_ONCE:
        return tuple(items)
    first = seed * AT_ONCE
    return tuple(items[(first + place) % len(items)] for place in range(AT_ONCE))
