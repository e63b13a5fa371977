"""Reads a tool's arguments as clients mean them, before they are validated.

Clients send null for an argument that they leave out, and models send lists and objects as JSON in
a text. Both are read by the tool's schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from trainee_bench.mcp_servers.serving.schema import JsonSchema

_OPENING = {"array": "[", "object": "{"}


def read_arguments(given: Mapping[str, JsonValue], schema: JsonSchema) -> Mapping[str, JsonValue]:
    """*given* without nulls that mean a default, and with the lists and objects that *schema*
    wants where their JSON was given. A value that cannot be read so stays as it is."""
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
        value = _parsed(value, schema)
    branch = _branch(value, schema)
    if isinstance(value, dict):
        return _fields(value, branch)
    items = branch.get("items")
    if isinstance(value, list) and items:
        return [_read(item, items) for item in value]
    return value


def _parsed(text: str, schema: JsonSchema) -> JsonValue:
    """The list or object that *text* is as JSON, if *schema* wants one and no text."""
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
    """The part of *schema* that is about lists, or objects, if *value* is one."""
    kind = "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
    return next((one for one in _branches(schema) if one.get("type") == kind), {})


def _takes(schema: JsonSchema, kind: str) -> bool:
    """Whether *schema* takes values of this JSON type; one that says nothing takes all."""
    return any("type" not in one or one["type"] == kind for one in _branches(schema))


def _branches(schema: JsonSchema) -> list[JsonSchema]:
    return schema.get("anyOf") or [schema]
