"""JSON values in which equal parts are stored once.

A pool has an entry for each distinct list, object and long text. Within an entry, ``[n]`` refers to
entry number n, and every other value is itself. An object is written as the number of its names,
then its values; a list as -1, then its values.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue

_SHORT = 24
"""The most characters of a text that is not stored as an entry."""
_LIST = -1


@dataclass(frozen=True)
class Pooled:
    """A value that is in a pool; ``number`` is that of its entry."""

    number: int


Poolable: TypeAlias = (
    "bool | int | float | str | Pooled | Sequence[Poolable] | Mapping[str, Poolable] | None"
)
_Atom: TypeAlias = bool | int | float | str | Pooled | None


class ValuePool:
    """Pool that stores each value once."""

    def __init__(self) -> None:
        self._written: list[JsonValue] = []
        self._names: list[JsonValue] = []
        self._numbers: dict[Hashable, int] = {}
        self._shapes: dict[tuple[str, ...], int] = {}

    def add(self, value: Sequence[Poolable] | Mapping[str, Poolable]) -> Pooled:
        """Add *value*, a list or an object; return the reference to it."""
        if isinstance(value, Mapping):
            return self._compose(self._shape(tuple(value)), tuple(value.values()))
        return self._compose(_LIST, value)

    def written(self, root: Pooled) -> str:
        """Return the pool as JSON, whose value is *root*."""
        parts = {"names": self._names, "entries": self._written, "root": root.number}
        return json.dumps(parts, separators=(",", ":"))

    def _shape(self, names: tuple[str, ...]) -> int:
        found = self._shapes.setdefault(names, len(self._names))
        if found == len(self._names):
            self._names.append(list(names))
        return found

    def _compose(self, kind: int, values: Sequence[Poolable]) -> Pooled:
        atoms = tuple(map(self._atom, values))
        # by type, too: 1, 1.0 and true are equal in Python
        key = kind, tuple((type(atom), atom) for atom in atoms)
        return self._entry(key, [kind, *map(_written, atoms)])

    def _atom(self, value: Poolable) -> _Atom:
        if isinstance(value, str):
            return self._entry(value, value) if len(value) > _SHORT else value
        if value is None or isinstance(value, bool | int | float | Pooled):
            return value
        return self.add(value)

    def _entry(self, key: Hashable, entry: JsonValue) -> Pooled:
        found = self._numbers.setdefault(key, len(self._written))
        if found == len(self._written):
            self._written.append(entry)
        return Pooled(found)


def _written(atom: _Atom) -> JsonValue:
    return [atom.number] if isinstance(atom, Pooled) else atom
