"""What may stand in a tool's arguments at all, whatever the tool: sound text, finite numbers.

What is refused here could neither be kept in the log nor be said over a wire.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

_LONGEST = 2_000_000
"""Characters that all strings of a call may have together."""
_MOST = 100_000
"""Values that a call may hold, those within lists and objects counted one by one."""
_DEEPEST = 32
"""How far lists and objects may be nested."""
UNSERIALIZABLE = (
    f"The arguments must be JSON of at most {_LONGEST:,} characters and {_MOST:,} values, nested "
    f"at most {_DEEPEST} deep, without NaN, infinity, NUL, halves of characters or numbers of "
    "hundreds of digits; mend them and call again."
)


def is_serializable(given: Mapping[str, JsonValue]) -> bool:
    """Whether *given* can be kept in a log and said over a wire: sound text, finite numbers."""
    length = count = 0
    pending: list[tuple[object, int]] = [(given, 0)]
    while pending:
        value, depth = pending.pop()
        count += 1
        if isinstance(value, str):
            length += len(value)
            if length > _LONGEST or not _is_text(value):
                return False
        elif isinstance(value, float | int):
            if not _is_finite(value):
                return False
        elif isinstance(value, Mapping | list):
            if depth == _DEEPEST or count + len(value) > _MOST:
                return False
            inner = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
            pending += [(item, depth + 1) for item in inner]
    return True


def _is_text(value: str) -> bool:
    if value.isascii():
        return "\0" not in value
    try:
        return b"\0" not in value.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _is_finite(value: float) -> bool:
    return value.bit_length() <= 1024 if isinstance(value, int) else math.isfinite(value)


def fits_sqlite(value: object) -> bool:
    """Whether the numbers of a validated argument fit into SQLite's 64 bits."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if isinstance(value, float):  # text such as "1e999" may have meant it
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(fits_sqlite, value.values()))
    if isinstance(value, BaseModel):
        return all(fits_sqlite(inner) for _, inner in value)
    return not isinstance(value, list | tuple) or all(map(fits_sqlite, value))
