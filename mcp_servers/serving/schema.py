"""Compact JSON schemas: drops annotations that cost a model tokens and tell it nothing."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, TypeAlias

from pydantic import BaseModel

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON schema, or a part of one."""


def compact_input_schema(schema: JsonSchema) -> JsonSchema:
    """Compact an input schema: drop titles and ``null`` as a way to omit an argument, and inline
    all definitions, since some clients do not resolve references.

    Raises TypeError for a model that contains itself, which cannot be inlined.
    """
    definitions = schema.get("$defs", {})
    alone = {key: value for key, value in schema.items() if key != "$defs"}
    lean = without_annotations(("title",), _inlined(alone, definitions))
    for name, spec in lean.get("properties", {}).items():
        lean["properties"][name] = _without_null(spec)
    return lean


def _inlined(node: Any, definitions: JsonSchema, within: tuple[str, ...] = ()) -> Any:
    """Replace each reference in *node* by its definition.

    Keys beside a reference, such as a description, override the definition's. *within* names the
    definitions around *node*.
    """
    if isinstance(node, list):
        return [_inlined(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    if not isinstance(node.get("$ref"), str):
        return {key: _inlined(value, definitions, within) for key, value in node.items()}
    name = node["$ref"].removeprefix("#/$defs/")
    if name in within:
        raise TypeError(f"{name} contains itself, so its schema cannot be written out")
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _inlined({**definitions[name], **beside}, definitions, (*within, name))


_TEXT = {"type": "string"}
_ANSWER = {
    "time": _TEXT,
    "notices": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"at": _TEXT, "kind": _TEXT, "text": _TEXT},
            "required": ["at", "kind", "text"],
        },
    },
}
"""The fields of every result besides its data."""


def result_schema(data: type[BaseModel]) -> JsonSchema:
    """Build the schema of a result's structured content: *data*, the time, notices.

    It is for programs, so it describes shapes without prose. It has no formats either: clients
    validate them, and a "date-time" without a time zone is invalid. An error replaces the data, and
    clients validate that, too.
    """
    prose = ("title", "description", "format")
    schema = without_annotations(prose, data.model_json_schema(mode="serialization"))
    models = schema.pop("$defs", None)
    answer: JsonSchema = {
        "type": "object",
        "properties": {"data": schema, "error": _TEXT, **_ANSWER},
        "required": [*_ANSWER],
        "oneOf": [{"required": ["data"]}, {"required": ["error"]}],
    }
    return answer if models is None else {**answer, "$defs": models}


def schema_size(name: str, description: str, input_schema: JsonSchema) -> int:
    """Return the length in characters of a tool's definition as compact JSON, which every model
    reads."""
    shown = {"name": name, "description": description, "input_schema": input_schema}
    return len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False))


def _without_null(spec: JsonSchema) -> JsonSchema:
    """Return an argument's schema without ``null``, if null is its default."""
    kinds = [kind for kind in spec.get("anyOf", ()) if kind != {"type": "null"}]
    if "default" not in spec or spec["default"] is not None or len(kinds) != 1:
        return spec
    rest = {key: value for key, value in spec.items() if key not in ("anyOf", "default")}
    return {**kinds[0], **rest}


def without_annotations(annotations: Collection[str], schema: JsonSchema) -> JsonSchema:
    """Remove these annotations from *schema*; properties and models of the same names stay."""

    def strip(node: Any, is_names: bool = False) -> Any:
        if isinstance(node, dict):
            return {
                key: strip(value, key in ("properties", "$defs") and not is_names)
                for key, value in node.items()
                if is_names or key not in annotations
            }
        return [strip(item) for item in node] if isinstance(node, list) else node

    stripped: JsonSchema = strip(schema)
    return stripped
