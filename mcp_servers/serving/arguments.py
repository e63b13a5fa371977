"""Checks that apply to the arguments of every tool: valid text, finite numbers.

Arguments refused here can be neither stored in the log nor sent as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.schema import JsonSchema

GREATEST_LENGTH = 2_000_000
"""Maximum characters of all strings of a call together."""
_MOST = 100_000
"""Maximum values in a call; each value in a list or object counts."""
_DEEPEST = 32
"""Maximum nesting depth of lists and objects."""
_SHORT, _SMALL = 1_000, 2**63
UNSERIALIZABLE = (
    f"The arguments must be JSON of at most {GREATEST_LENGTH:,} characters and {_MOST:,} values, "
    f"nested at most {_DEEPEST} deep, without NaN, infinity, NUL, lone surrogates or numbers of "
    "hundreds of digits. Correct them and call again."
)


USUAL_LENGTH = 150_000
"""Maximum characters of a call's strings together, for tools that set no other maximum."""


def is_serializable(given: Mapping[str, JsonValue]) -> bool:
    """Whether *given* can be stored and sent as JSON: valid text, finite numbers."""
    return text_length(given) is not None


def text_length(given: Mapping[str, JsonValue]) -> int | None:
    """Count the characters of all strings in *given* except names; None if it is not
    serializable."""
    texts = _usual_texts(given)
    if texts is not None:
        text = "".join(texts)
        if len(text) > GREATEST_LENGTH or not _is_text(text):
            return None
        return len(text) - sum(map(len, given))
    length = names = count = 0
    pending: list[tuple[object, int]] = [(given, 0)]
    while pending:
        value, depth = pending.pop()
        count += 1
        if isinstance(value, str):
            length += len(value)
            if length > GREATEST_LENGTH or not _is_text(value):
                return None
        elif isinstance(value, (int, float)):  # int | float would be built anew for every value
            if not _is_finite(value):
                return None
        elif isinstance(value, (dict, list, Mapping)):
            if depth == _DEEPEST or count + len(value) > _MOST:
                return None
            pending += [(item, depth + 1) for item in value]
            if not isinstance(value, list):
                names += sum(len(name) for name in value if isinstance(name, str))
                pending += [(item, depth + 1) for item in value.values()]
    return length - names


def _usual_texts(given: Mapping[str, JsonValue]) -> list[str] | None:
    """Return the texts and names in simple arguments: texts, small integers, short lists of texts.

    Nearly all arguments are simple. None for others, which take longer to check.
    """
    texts: list[JsonValue] = [*given]
    for value in given.values():
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list) and len(value) <= _SHORT:
            texts += value
        elif value is not None and not (isinstance(value, int) and abs(value) < _SMALL):
            return None
    usual = [text for text in texts if isinstance(text, str)] if len(texts) <= _SHORT else []
    return usual if len(usual) == len(texts) else None


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
    if isinstance(value, str):
        return True
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if isinstance(value, float):  # parsed from a text such as "1e999"
        return math.isfinite(value)
    if isinstance(value, (list, tuple)):  # before the abstract classes, which are slower to check
        return all(map(fits_sqlite, value))
    if isinstance(value, Mapping):
        return all(map(fits_sqlite, value.values()))
    return not isinstance(value, BaseModel) or all(fits_sqlite(inner) for _, inner in value)


_OPENING = {"array": "[", "object": "{"}


def read_arguments(given: Mapping[str, JsonValue], schema: JsonSchema) -> Mapping[str, JsonValue]:
    """Return *given* without nulls that mean a default, and with JSON texts parsed where *schema*
    expects lists or objects. A text that cannot be parsed stays unchanged."""
    return _fields(given, schema)


def _fields(given: Mapping[str, JsonValue], schema: JsonSchema) -> dict[str, JsonValue]:
    properties = schema.get("properties", {})
    return {
        name: _read(value, properties.get(name, {}))
        for name, value in given.items()
        if value is not None or name not in properties or _takes(properties[name], "null")
    }


def _read(value: JsonValue, schema: JsonSchema) -> JsonValue:
    if isinstance(value, str):
        if schema.get("type") == "string":  # most arguments
            return value
        value = _parsed(value, schema)
    if not isinstance(value, (list, dict)):
        return value
    branch = _branch(value, schema)
    if isinstance(value, dict):
        return _fields(value, branch)
    items = branch.get("items")
    if isinstance(value, list) and items:
        return [_read(item, items) for item in value]
    return value


def _parsed(text: str, schema: JsonSchema) -> JsonValue:
    """Parse *text* as the list or object that *schema* expects, unless it also accepts text."""
    wanted = [kind for kind in _OPENING if _takes(schema, kind)]
    begins = text.lstrip()[:1]
    if _takes(schema, "string") or begins not in [_OPENING[kind] for kind in wanted] or not begins:
        return text
    try:
        found: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def _branch(value: JsonValue, schema: JsonSchema) -> JsonSchema:
    """Return the part of *schema* for lists, or for objects, if *value* is one."""
    kind = "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
    return next((branch for branch in _branches(schema) if branch.get("type") == kind), {})


def _takes(schema: JsonSchema, kind: str) -> bool:
    """Whether *schema* accepts values of this JSON type; a schema without types accepts all."""
    return any("type" not in branch or branch["type"] == kind for branch in _branches(schema))


def _branches(schema: JsonSchema) -> list[JsonSchema]:
    return schema.get("anyOf") or [schema]
