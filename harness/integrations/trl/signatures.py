"""A tool's JSON schema as a Python signature and a docstring of Google's form.

Trainers make a schema of these two again, which keeps types, choices and descriptions. What it
would lose (defaults, bounds, what a list of objects holds) is added to the descriptions.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Any, Literal

from pydantic import JsonValue

from trainee_bench.harness.session.turns import ToolInfo

__all__ = ["docstring", "signature"]

_PLAIN: Mapping[str, type | None] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "null": None, "object": dict,
}  # fmt: skip
_SAID_BY_TYPE = ("type", "description", "enum")
_Schema = Mapping[str, JsonValue]


def signature(tool: ToolInfo) -> inspect.Signature:
    """The signature of a method that calls *tool*, with all arguments by keyword."""
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = tool.input_schema.get("required") or []
    assert isinstance(required, list)
    taken = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotation(schema),
            default=inspect.Parameter.empty if name in required else schema.get("default"),
        )
        for name, schema in _arguments(tool).items()
    ]
    return inspect.Signature([receiver, *taken], return_annotation=str)


def docstring(tool: ToolInfo) -> str:
    """What *tool* is for, and a line for each of its arguments."""
    lines = [" ".join(tool.description.split())]
    if taken := _arguments(tool):
        lines += ["", "Args:"]
        lines += [f"    {name}: {_described(schema)}" for name, schema in taken.items()]
    return "\n".join(lines)


def _arguments(tool: ToolInfo) -> dict[str, _Schema]:
    found = tool.input_schema.get("properties") or {}
    assert isinstance(found, dict)
    return {name: schema for name, schema in found.items() if isinstance(schema, dict)}


def _annotation(schema: _Schema) -> Any:
    """The type hint from which the type in *schema* follows."""
    if isinstance(choices := schema.get("enum"), list):
        return Literal[tuple(choices)]
    if isinstance(branches := schema.get("anyOf"), list):
        return reduce(or_, (_annotation(one) for one in branches if isinstance(one, dict)))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return GenericAlias(list, _annotation(items) if isinstance(items, dict) else object)
    return _PLAIN[str(kind)]


def _described(schema: _Schema) -> str:
    """The description in *schema*, and what its type does not say."""
    about = " ".join(str(schema.get("description", "")).split())
    more = {name: value for name, value in schema.items() if name not in _SAID_BY_TYPE}
    if not _has_objects(schema):
        more.pop("items", None)
    if not more:
        return about
    said = ", ".join(f"{name} {json.dumps(value)}" for name, value in more.items())
    return f"{about} ({said})"


def _has_objects(schema: _Schema) -> bool:
    items = schema.get("items")
    return isinstance(items, dict) and (items.get("type") == "object" or _has_objects(items))
