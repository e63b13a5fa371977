"""Mutations of deliverables: wrong ones that must fail, harmless ones that must pass."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Mutant:
    """A different text for a file, and the name of the change; ``draft`` is written first, if
    any."""

    name: str
    text: str
    draft: str | None = None


def harmless_mutants(text: str) -> Iterator[Mutant]:
    """Yield texts with meaningless differences: white space, and for JSON key order and formats."""
    yield Mutant("Windows line ends", text.replace("\n", "\r\n"))
    yield Mutant("a blank line at the end", text.rstrip("\n") + "\n\n")
    yield Mutant("no line end at the end", text.rstrip("\n"))
    yield Mutant("a wrong draft first", text, draft="to be done")
    data = _json(text)
    if data is None:
        yield Mutant("a byte-order mark", "\ufeff" + text)
        return
    yield Mutant("keys in reverse order", json.dumps(_reversed_keys(data)))
    yield Mutant("indentation", json.dumps(data, indent=7))
    yield Mutant("escaped letters", json.dumps(data, ensure_ascii=True, separators=(",", ":")))
    yield Mutant("integers as 12.0", json.dumps(_as_floats(data)))


def wrong_mutants(text: str) -> Iterator[Mutant]:
    """Yield texts with wrong values, items added, dropped and swapped, a wrong shape, or
    nothing."""
    yield Mutant("nothing", "")
    yield Mutant("half of the text", text[: len(text) // 2])
    data = _json(text)
    if data is None:
        yield from _wrong_texts(text)
        return
    for name, change in _CHANGES.items():
        changed = json.loads(text)
        if change(changed):
            yield Mutant(name, json.dumps(changed))
    yield Mutant("wrapped in a list", json.dumps([data]))


def _wrong_texts(text: str) -> Iterator[Mutant]:
    lines = text.splitlines(keepends=True)
    full = [number for number, line in enumerate(lines) if line.strip()]
    middle = full[len(full) // 2]
    yield Mutant("a line dropped", "".join(lines[:middle] + lines[middle + 1 :]))
    yield Mutant("a line twice", "".join([*lines[:middle], lines[middle], *lines[middle:]]))
    yield Mutant("a sentence added", text.rstrip("\n") + "\n\nEverything was checked.\n")
    words = [number for number in full if _LETTER.search(lines[number])]
    if words:
        at = words[len(words) // 2]
        doubled = _LETTER.sub(lambda found: found[0] * 2, lines[at], count=1)
        yield Mutant("a letter twice", "".join([*lines[:at], doubled, *lines[at + 1 :]]))
    numbers = list(_NUMBER.finditer(text))
    longest = max(numbers, key=lambda match: len(match.group()), default=None)
    if longest is not None:
        other = str(int(longest.group()) + 1).zfill(len(longest.group()))
        yield Mutant("another number", text[: longest.start()] + other + text[longest.end() :])


def _leaves(data: Any, kinds: tuple[type, ...]) -> list[tuple[Any, Any]]:
    """Return every (container, key) in *data* whose value has one of the types *kinds*."""
    leaves = []
    pending = [data]
    while pending:
        node = pending.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            if isinstance(value, (dict, list)):
                pending.append(value)
            if type(value) in kinds:
                leaves.append((node, key))
    return leaves


def _number_off(data: Any) -> bool:
    leaves = _leaves(data, (int, float))
    for node, key in leaves[:1]:
        node[key] = round(node[key] + 1, 4)
    return bool(leaves)


def _wrong_unit(data: Any) -> bool:
    leaves = [(node, key) for node, key in _leaves(data, (int, float)) if node[key]]
    for node, key in leaves[-1:]:
        node[key] = node[key] * 1000
    return bool(leaves)


def _text_off(data: Any) -> bool:
    leaves = [(node, key) for node, key in _leaves(data, (str,)) if node[key]]
    for node, key in leaves[:1]:
        node[key] = node[key][:-1] + ("x" if node[key][-1] != "x" else "y")
    return bool(leaves)


def _key_dropped(data: Any) -> bool:
    if isinstance(data, dict) and data:
        del data[next(iter(data))]
        return True
    return False


def _key_added(data: Any) -> bool:
    if isinstance(data, dict):
        data["comment"] = "done"
        return True
    return False


def _item_dropped(data: Any) -> bool:
    lists = _leaves(data, (list,))
    for node, key in lists[:1]:
        if node[key]:
            node[key].pop()
            return True
    return False


def _item_twice(data: Any) -> bool:
    lists = _leaves(data, (list,))
    for node, key in lists[:1]:
        if node[key]:
            node[key].append(node[key][0])
            return True
    return False


def _values_swapped(data: Any) -> bool:
    """Exchange two different values of one type under different names.

    Values in a list are left alone, because the order of a list may mean nothing.
    """
    for kinds in ((str,), (int, float)):
        leaves = _leaves(data, kinds)
        for holder, key in leaves:
            for other, other_key in leaves:
                names = isinstance(key, str) and isinstance(other_key, str)
                if names and key != other_key and holder[key] != other[other_key]:
                    holder[key], other[other_key] = other[other_key], holder[key]
                    return True
    return False


def _emptied(data: Any) -> bool:
    leaves = _leaves(data, (str,))
    for node, key in leaves:
        node[key] = ""
    return bool(leaves)


_CHANGES: dict[str, Callable[[Any], bool]] = {
    "a number off by one": _number_off,
    "a number in a wrong unit": _wrong_unit,
    "a letter of a text changed": _text_off,
    "a field dropped": _key_dropped,
    "a field added": _key_added,
    "an item dropped": _item_dropped,
    "an item twice": _item_twice,
    "two values swapped": _values_swapped,
    "empty texts": _emptied,
}


def _json(text: str) -> Any | None:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _reversed_keys(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _reversed_keys(data[key]) for key in reversed(data)}
    return [_reversed_keys(item) for item in data] if isinstance(data, list) else data


def _as_floats(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _as_floats(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_as_floats(item) for item in data]
    return float(data) if type(data) is int else data
