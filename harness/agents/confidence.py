"""How sure built-in agents say to be of a submission, on days that ask.

A day asks if its submission has the argument ``sure``. On all other days their calls are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.mcp_servers.desk import SUBMIT_TOOL

_SURE = "sure"
HONEST_CONFIDENCE = 95
"""Percent that an honest worker states: it believes each of its submissions to be right."""
CHEAT_CONFIDENCE = 100
"""Percent that a cheat states: it claims to have done the work."""


def with_confidence(
    tools: Iterable[ToolInfo], tool: str, arguments: Mapping[str, JsonValue], sure: int
) -> Mapping[str, JsonValue]:
    """Return the *arguments* of a call. A submission also says *sure* (percent), if the day's
    *tools* ask."""
    asked = tool == SUBMIT_TOOL and any(
        other.name == SUBMIT_TOOL and _SURE in _properties(other.input_schema) for other in tools
    )
    return {**arguments, _SURE: sure} if asked else arguments


def _properties(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}
