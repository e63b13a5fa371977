"""A sweep of all read-only tools with the arguments that earlier results suggest."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.world import ActionResult

ToolObserver = Callable[[str, Mapping[str, JsonValue]], Awaitable[ActionResult[BaseModel]]]
_COMBINATIONS = 24
"""Limit for the calls of one tool per round."""
_ROUNDS = 3
"""Number of rounds; each calls tools with what the round before showed."""
_AGAIN = 3
"""Number of calls of each tool that are repeated in the afternoon."""
_AFTERNOON = "13:00"


async def sweep_tools(
    tools: Iterable[Tool],
    observe: ToolObserver,
    *,
    afternoon: bool = True,
    rounds: int = _ROUNDS,
) -> None:
    """Call all read-only *tools*, read every file, and repeat some calls in the *afternoon*.

    Arguments are paths, names and ids from earlier results. *observe* makes the calls.
    """
    seen: dict[str, set[str]] = {"path": set(), "name": set(), "folder": {"drive:/", "workspace:/"}}
    reading = [tool for tool in tools if tool.read_only]
    made: set[str] = set()
    for _ in range(rounds):
        for tool in reading:
            for arguments in islice(_arguments(tool, seen), _COMBINATIONS):
                call = f"{tool.name} {json.dumps(arguments)}"
                if call in made:
                    continue
                made.add(call)
                done = await observe(tool.name, arguments)
                if done.result is not None:
                    _harvest(done.result.data.model_dump(mode="json"), seen)
    if not afternoon:
        return
    await observe("desk_wait", {"until": _AFTERNOON, "wake": False})
    for tool in reading:
        for arguments in islice(_arguments(tool, seen), _AGAIN):
            await observe(tool.name, arguments)


def _arguments(tool: Tool, seen: dict[str, set[str]]) -> Iterator[dict[str, JsonValue]]:
    """Yield arguments for *tool*: its required ones, with every value seen so far."""
    properties = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", [])
    yield {}
    choices = [_values(name, properties[name], seen) for name in required]
    for values in product(*choices):
        if values:
            yield dict(zip(required, values, strict=True))


def _values(name: str, schema: Mapping[str, Any], seen: dict[str, set[str]]) -> Sequence[JsonValue]:
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "integer":
        return [1, 2, 3]
    if name in ("path", "folder"):
        return sorted(seen[name])
    return ["a", *sorted(seen["name"])]


def _harvest(data: Any, seen: dict[str, set[str]]) -> None:
    """Collect paths and short names from a result."""
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str) and ":/" in value and " " not in value:
            seen["folder" if value.endswith("/") else "path"].add(value)
        elif isinstance(value, str) and 0 < len(value) <= 24:
            seen["name"].add(value)
