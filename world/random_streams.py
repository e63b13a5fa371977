"""Named streams: the only source of chance in a world.

Every draw comes from `stream(*names)`, where the names say whose draw it is and what for,
such as ``random_stream(seed, "task", 2, "approval code")``. A stream is settled by its names alone:
neither by what other streams drew before, nor by PYTHONHASHSEED, nor by the machine. So
one secret can be redrawn and all else stays as it was.

Two names are one name only if they are equal and of one type: ``1`` and ``"1"`` differ, and
``("ab", "c")`` differs from ``("a", "bc")``.

Which methods of `random.Random` may be used: ``random``, ``getrandbits``, ``randrange``,
``randint``, ``choice``, ``choices``, ``sample``, ``shuffle``, ``uniform`` and ``triangular``.
They have given the same draws since Python 3.11 and calculate with nothing that differs
between machines (a test holds their values). Not safe to the last digit are those that call
the platform's logarithm, root or cosine: ``gauss``, ``normalvariate``, ``expovariate`` and
their kin; who uses one rounds far above the last digit before anything depends on it. What is
drawn from must itself have a fixed order: never a set.
"""

from __future__ import annotations

import hashlib
import random

ID_LENGTH = 12
"""Hexadecimal digits in a stable id: 48 bits, ample for what one world holds."""


def random_stream(*names: str | int) -> random.Random:
    """A generator of its own for these names, at its beginning each time it is asked for.

    Raises TypeError for a name that is neither text nor a whole number (a bool is neither),
    ValueError without any name.
    """
    return random.Random(int.from_bytes(_hashed("stream", names)))


def stable_id(*names: str | int, length: int = ID_LENGTH) -> str:
    """`length` (1 to 64) hexadecimal digits that these names always give.

    Raises as `stream` does, and ValueError for a length out of bounds.
    """
    if not 1 <= length <= 64:
        raise ValueError(f"an id has 1 to 64 digits, not {length}")
    return _hashed("id", names).hex()[:length]


def _hashed(purpose: str, names: tuple[str | int, ...]) -> bytes:
    """SHA-256 over the canonical encoding: for each name its type, its length, itself."""
    if not names:
        raise ValueError("a stream needs at least one name")
    digest = hashlib.sha256(purpose.encode())
    for name in names:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise TypeError(f"a stream is named by str and int, not by {name!r}")
        kind = "s" if isinstance(name, str) else "i"
        encoded = str(name).encode()
        digest.update(f"{kind}{len(encoded)}:".encode() + encoded)
    return digest.digest()
