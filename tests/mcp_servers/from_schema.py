"""Arguments for tools, drawn from their schemas: right ones, wrong ones, hostile ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from trainee_bench.world.task_ids import TASK_ID

Arguments = st.SearchStrategy[dict[str, Any]]

SHAPES = {
    r"path|source|target|file|folder|attach": r"(drive|workspace):/.*",
    r"starts|ends|until|before": r"\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d",
    r"^day$": r"\d{4}-\d\d-\d\d",
    r"^(to|cc|people|attendees|peer|members)$": r"[a-z]+\.[a-z]+",
    r"^room$": r"Room_\d\d",
    r"^task$": TASK_ID,
    r"^server$": r"[a-z]+(-[a-z]+)?-\d\d",
    r"^page$": r"/.*",
    r"^(range|start)$": r"[A-Z]\d(:[A-Z]\d)?",
    r"^expression$": r"=.*",
    r"^command$": r"(ls|echo|rm|ln|false).*",
    r"^code$": r"print.*|import.*|1 / 0",
    r"^columns?$|^sort_by$": r"name|amount",
}
"""What a text looks like that means something as an argument of such a name."""


@dataclass(frozen=True)
class Known:
    """Texts that mean something in a world."""

    texts: tuple[str, ...]

    def fitting(self, name: str, shortest: int, longest: int) -> st.SearchStrategy[str]:
        """Texts for the argument *name*: mostly ones of its shape, sometimes any."""
        anything = [text for text in self.texts if shortest <= len(text) <= longest]
        shape = next((shape for names, shape in SHAPES.items() if re.search(names, name)), ".*")
        shaped = [text for text in anything if re.fullmatch(shape, text, re.DOTALL)] or anything
        free = st.text(min_size=shortest, max_size=min(longest, 40))
        often, seldom = st.sampled_from(shaped), st.sampled_from(anything)
        # Hypothesis takes equal branches of one_of for one, so the weights are drawn.
        return st.integers(0, 9).flatmap(lambda n: often if n < 8 else seldom if n < 9 else free)


TEXT = st.text(max_size=20)
HOSTILE_TEXT = st.sampled_from(
    [
        "",
        " ",
        "\0",
        "half a character \ud800",
        "\udfff\ud800",
        "x" * 100_000,
        "x" * 3_000_000,
        "a\n" * 20_000,
        "../../../../etc/passwd",
        "drive:/../../etc/passwd",
        "workspace:/..",
        "drive:/" + "a/" * 300,
        "/etc/passwd",
        "C:\\Windows\\system32",
        "file:///etc/passwd",
        "'; DROP TABLE action; --",
        '" OR 1=1 --',
        "%s%n{0}{self}",
        "%",
        "_",
        "*",
        "(" * 500,
        "(a+)+$",
        "=1/0",
        "=" + "(" * 300 + "1" + ")" * 300,
        "=SUM(A1:XFD1048576)",
        "A1:XFD1048576",
        "A0",
        "ZZZZ999999999",
        "\u202eevil",
        "🏴‍☠️" * 50,
        "İ ß ſ ﬃ \u0301",
        "\r\nBcc: everybody@tessel.example",
        "9999-12-31T23:59",
        "0001-01-01",
        "2025-02-30",
        "24:00",
        "-1:00",
        "1e999",
        "NaN",
        "9" * 5_000,
        "None",
        "null",
        "[]",
        "{}",
        "<script>alert(1)</script>",
    ]
)
NUMBERS = st.integers(-3, 60) | st.sampled_from(
    [2**31, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40, 10**4_000]
)
FLOATS = st.floats() | st.sampled_from([1e308, -1e308, 5e-324, -0.0])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | FLOATS | TEXT | HOSTILE_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def nested(depth: int) -> list[Any]:
    """A list in a list in a list …"""
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def right(schema: dict[str, Any], known: Known) -> Arguments:
    """Arguments that fit an input schema; texts are often ones that mean something."""
    return _object(schema, schema.get("$defs", {}), known)


def wrong(schema: dict[str, Any], known: Known) -> Arguments:
    """Arguments with some part spoilt: left out, unknown, of another type, hostile."""
    names = sorted(schema.get("properties", {}))
    spoil = HOSTILE_TEXT | ANYTHING | st.integers(5, 1_500).map(nested)
    unknown: Arguments = st.dictionaries(TEXT | HOSTILE_TEXT, ANYTHING, min_size=1, max_size=2)
    if not names:
        return unknown
    spoilt: Arguments = st.dictionaries(st.sampled_from(names), spoil, min_size=1)
    drop = st.lists(st.sampled_from(names), max_size=1)

    def spoiled(base: dict[str, Any], drop: list[str], *more: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in base.items() if name not in drop}
        for one in more:
            kept.update(one)
        return kept

    return st.builds(spoiled, right(schema, known), drop, spoilt, st.just({}) | unknown)


def _object(schema: dict[str, Any], defs: dict[str, Any], known: Known) -> Arguments:
    properties = schema.get("properties", {})
    drawn = {name: _value(name, spec, defs, known) for name, spec in properties.items()}
    needed = schema.get("required", [])
    return st.fixed_dictionaries(
        {name: drawn[name] for name in needed},
        optional={name: one for name, one in drawn.items() if name not in needed},
    )


def _value(
    name: str, spec: dict[str, Any], defs: dict[str, Any], known: Known
) -> st.SearchStrategy[Any]:
    """Values for the argument *name*, whose schema is *spec*."""
    if "$ref" in spec:
        return _value(name, defs[spec["$ref"].rpartition("/")[2]], defs, known)
    if "enum" in spec:
        return st.sampled_from(spec["enum"])
    if "anyOf" in spec:
        return st.one_of(*(_value(name, one, defs, known) for one in spec["anyOf"]))
    kind = spec.get("type", "string")
    if isinstance(kind, list):
        return st.one_of(*(_value(name, {**spec, "type": one}, defs, known) for one in kind))
    match kind:
        case "array":
            items = _value(name, spec.get("items", {}), defs, known)
            return st.lists(items, min_size=spec.get("minItems", 0), max_size=3)
        case "object":
            return _object(spec, defs, known)
        case "string":
            if spec.get("format") == "date-time":
                return st.datetimes().map(lambda at: at.isoformat())
            return known.fitting(name, spec.get("minLength", 0), spec.get("maxLength", 400))
        case "integer" | "number":
            least, most = spec.get("minimum", -1), spec.get("maximum", 90)
            small, any_ = st.integers(max(least, 1), max(least, 3)), st.integers(least, most)
            whole = st.integers(0, 9).flatmap(lambda n: small if n < 7 else any_)
            return whole if kind == "integer" else whole | st.floats(least, most)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    raise ValueError(f"{name} is of a kind that these strategies do not know: {spec}")
