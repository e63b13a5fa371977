"""The tools that every day without a list of its own offers, before any day has begun."""

from __future__ import annotations

from collections.abc import Collection

from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.mcp_servers import default_toolboxes

__all__ = ["UnknownTrainingApp", "usual_tools"]


class UnknownTrainingApp(ValueError):
    """No such app is offered on usual days; says which are."""


def usual_tools(apps: Collection[str] | None = None) -> tuple[ToolInfo, ...]:
    """The tools of *apps*, or of all apps of a usual day. Raises UnknownTrainingApp."""
    boxes = default_toolboxes()
    for app in apps or ():
        if app not in boxes:
            raise UnknownTrainingApp(f"There is no app {app!r}; use {', '.join(boxes)}.")
    return tuple(
        ToolInfo(tool.name, tool.description(), tool.input_schema, tool.minutes)
        for app, box in boxes.items()
        if apps is None or app in apps
        for tool in box
    )
