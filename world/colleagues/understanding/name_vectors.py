"""Vectors of words that are no English: each follows from its letters, and is like no other."""

from __future__ import annotations

from hashlib import shake_128

_SIZE = 20
"""The size of each component, in sixteenths: it makes a vector of an ordinary length."""


def components_of_name(word: str, count: int) -> list[int]:
    """Return *count* components of the vector of a name, in sixteenths."""
    signs = int.from_bytes(shake_128(word.encode()).digest(-(-count // 8)), "big")
    return [_SIZE if signs >> place & 1 else -_SIZE for place in range(count)]
