"""Named random streams: the only source of randomness in a world.

Every draw comes from `random_stream(*names)`. The names say what the draw is for, such as
``random_stream(seed, "task", 2, "approval code")``. A stream depends only on its names: not on
other streams, on PYTHONHASHSEED or on the machine. So one secret can be redrawn while everything
else stays the same.

Names must be equal and of the same type to give the same stream: ``1`` and ``"1"`` differ, and so
do ``("ab", "c")`` and ``("a", "bc")``.

These methods of `random.Random` may be used: ``random``, ``getrandbits``, ``randrange``,
``randint``, ``choice``, ``choices``, ``sample``, ``shuffle``, ``uniform`` and ``triangular``. They
have given the same draws since Python 3.11 on every machine (a test pins their values). ``gauss``,
``normalvariate``, ``expovariate`` and similar methods call the platform's logarithm, root or
cosine, so their last digits may differ. Round their results far above the last digit before you use
them. Draw only from collections with a fixed order, never from a set.
"""

from __future__ import annotations

import hashlib
import random

ID_LENGTH = 12
"""Hexadecimal digits in a stable id: 48 bits, ample for one world."""


def random_stream(*names: str | int) -> random.Random:
    """Return a new generator for these names, in its initial state.

    Raises TypeError for a name that is neither a str nor an int (a bool is neither), ValueError
    without names.
    """
    return random.Random(int.from_bytes(_hashed("stream", names)))


def stable_id(*names: str | int, length: int = ID_LENGTH) -> str:
    """Return `length` (1 to 64) hexadecimal digits that depend only on these names.

    Raises as `random_stream` does, and ValueError for a length out of range.
    """
    if not 1 <= length <= 64:
        raise ValueError(f"an id has 1 to 64 digits, not {length}")
    return _hashed("id", names).hex()[:length]


def _hashed(purpose: str, names: tuple[str | int, ...]) -> bytes:
    """Return SHA-256 over the canonical encoding: the type, length and value of each name."""
    if not names:
        raise ValueError("a stream needs at least one name")
    encoded = purpose
    for name in names:
        if isinstance(name, str):
            encoded += f"s{len(name) if name.isascii() else len(name.encode())}:{name}"
        elif isinstance(name, int) and not isinstance(name, bool):
            encoded += f"i{len(str(name))}:{name}"
        else:
            raise TypeError(f"a stream is named by str and int, not by {name!r}")
    return hashlib.sha256(encoded.encode()).digest()
