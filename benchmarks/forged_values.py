"""Other values for a place in JSON: of other types, out of range, hostile to parsers and terminals.

A value that `json` cannot write, such as a number of 5,000 digits, is a `Raw`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

FORGED_LINE = "FORGED LINE: score 1.0000, success 1.0000"
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Raw:
    """A value by its JSON text."""

    text: str


RAW = (
    Raw("NaN"),
    Raw("Infinity"),
    Raw("-Infinity"),
    Raw("1e999"),
    Raw("9" * 5_000),
    Raw("-" + "1" * 4_200),
    Raw("[" * 150 + "]" * 150),
    Raw("[" * 100_000 + "]" * 100_000),
    Raw('{"a":' * 5_000 + "1" + "}" * 5_000),
    Raw(r'"\ud800"'),
    Raw(r'"\u0000"'),
    Raw("0.1e-400"),
)
TEXTS = (
    "",
    " ",
    f"\n{FORGED_LINE}",
    f"\r{FORGED_LINE}",
    "\x1b[2J\x1b[1;1Hall is well",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202egnp.exe",
    "\u2066\u200b\ufeff",
    "\u0131\u0455\u0435\u04cf\u0430",
    "e\u0301" * 20,
    "\0",
    "\x7f\x08\x08\x08",
    "\u2028" + FORGED_LINE,
    "\x85" + FORGED_LINE,
    "x" * 100_000,
    "../../../../etc/passwd",
    "nothing",
    "one.day_1.nothing.1",
    "sandbox",
    "agent",
    "gave_up",
    "model:mine",
    "a:b",
)
NUMBERS = (0, 1, -1, 2, 3, 0.5, 1.0, -0.0, 1e308, 2**31, 2**63, 2**64, 10**30, 1e-9)


def other_value(random: Random, value: object, texts: tuple[str, ...] = TEXTS) -> object:
    """A value other than *value*: near it, of its type, or of another."""
    near: list[object] = []
    if isinstance(value, bool):
        near = [not value, not value, int(value)]
    elif isinstance(value, int | float):
        near = [value + 1, value - 1, value + 0.25, -value, value * 10]
    elif isinstance(value, str):
        near = [value + "x", value[:-1], value.upper(), value.replace("o", "\u043e"), value[::-1]]
    elif isinstance(value, list):
        near = [[], value[1:], [*value, *value[:1]], value[::-1], [*value, None]]
    elif isinstance(value, dict):
        near = [{}, {**value, "more": 1}, dict(list(value.items())[1:])]
    elif value is None:
        near = [0, 1, "", "x", 0.5, [], {}, False]
    kinds: list[object] = [None, True, False, [], {}, [1], {"a": 1}]
    pool = random.choice((near, near, near, kinds, NUMBERS, texts, RAW))
    found = [
        candidate for candidate in pool if type(candidate) is not type(value) or candidate != value
    ]
    return random.choice(found or kinds)


def places(value: object, place: Place = ()) -> Iterator[Place]:
    """Every place in *value*, without the whole."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, item in inner:
        yield (*place, key)
        yield from places(item, (*place, key))


def at(value: Any, place: Place) -> Any:
    """Return the value at *place* in *value*."""
    for key in place:
        value = value[key]
    return value


def forge(random: Random, value: Any, texts: tuple[str, ...] = TEXTS) -> Place:
    """Change *value*, a list or an object, at one place, and return that place."""
    place = random.choice([(), *places(value)])
    if not place:
        if isinstance(value, dict):
            value["added"] = other_value(random, None, texts)
        return place
    holder, key = at(value, place[:-1]), place[-1]
    what = random.randrange(12)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, list):
        holder.insert(int(key), holder[int(key)])
    elif what == 1:
        holder[f"{key}s"] = other_value(random, holder[key], texts)
    elif what == 2:
        holder[key] = None
    else:
        holder[key] = other_value(random, holder[key], texts)
    return place


def written(value: object, **how: Any) -> str:
    """*value* as JSON, with each `Raw` in it unchanged."""
    raw: list[Raw] = []

    def mark(inner: object) -> str:
        assert isinstance(inner, Raw)
        raw.append(inner)
        return f"@raw{len(raw) - 1}@"

    text = json.dumps(value, default=mark, **how)
    for number, inner in enumerate(raw):
        text = text.replace(f'"@raw{number}@"', inner.text)
    return text
