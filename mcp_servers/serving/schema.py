"""JSON schemas as models pay for them: what only costs tokens is left out."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from pydantic import BaseModel


def compact_input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """An input schema without titles, and without null as another way to leave a thing out."""
    lean = without_annotations(("title",), schema)
    for name, spec in lean.get("properties", {}).items():
        lean["properties"][name] = _without_null(spec)
    return lean


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
"""What every result tells beside its data."""


def result_schema(data: type[BaseModel]) -> dict[str, Any]:
    """The schema of a result's structured content: *data*, the time, what is new.

    It is listed once for each tool and read by programs, so it holds shapes and no prose.
    No format either: clients check it, and "date-time" is none without a time zone. An error
    is told instead of data, and clients check that, too.
    """
    prose = ("title", "description", "format")
    schema = without_annotations(prose, data.model_json_schema(mode="serialization"))
    models = schema.pop("$defs", None)
    answer: dict[str, Any] = {
        "type": "object",
        "properties": {"data": schema, "error": _TEXT, **_ANSWER},
        "required": [*_ANSWER],
        "oneOf": [{"required": ["data"]}, {"required": ["error"]}],
    }
    return answer if models is None else {**answer, "$defs": models}


def schema_size(name: str, description: str, input_schema: dict[str, Any]) -> int:
    """Characters of a tool as compact JSON: what a model reads of it before any call."""
    shown = {"name": name, "description": description, "input_schema": input_schema}
    return len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False))


def _without_null(spec: dict[str, Any]) -> dict[str, Any]:
    """An argument's schema as if it could not be null, if that is its default."""
    kinds = [kind for kind in spec.get("anyOf", ()) if kind != {"type": "null"}]
    if "default" not in spec or spec["default"] is not None or len(kinds) != 1:
        return spec
    rest = {key: value for key, value in spec.items() if key not in ("anyOf", "default")}
    return {**kinds[0], **rest}


def without_annotations(annotations: Collection[str], schema: dict[str, Any]) -> dict[str, Any]:
    """*schema* without these annotations, wherever they do not name a property or a model."""

    def strip(node: Any, is_names: bool = False) -> Any:
        if isinstance(node, dict):
            return {
                key: strip(value, key in ("properties", "$defs") and not is_names)
                for key, value in node.items()
                if is_names or key not in annotations
            }
        return [strip(item) for item in node] if isinstance(node, list) else node

    stripped: dict[str, Any] = strip(schema)
    return stripped
