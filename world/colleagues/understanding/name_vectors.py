"""Vectors of words that are no English: each is drawn from its letters, and is like no other."""

from __future__ import annotations

from trainee_bench.world.random_streams import random_stream

_SIZE = 20
"""The size of each component, in sixteenths: it makes a vector of an ordinary length."""


def components_of_name(word: str, count: int) -> list[int]:
    """Return *count* components of the vector of a name, in sixteenths."""
    signs = random_stream("name", word).getrandbits(count)
    return [_SIZE if signs >> place & 1 else -_SIZE for place in range(count)]
