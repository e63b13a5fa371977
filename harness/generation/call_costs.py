"""What calls cost on a day that charges for the work they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.mcp_servers import default_toolboxes


def effort_minutes() -> Mapping[str, int]:
    """Collect the minutes of the tools that do not cost what is listed.

    To look what there is takes none, a page of a file takes one, to hand in five. A message that
    has to be written, a document, a calculation and a change of a sheet take ten: who asks twice
    has not thought first. Each tool says so where it is declared.
    """
    tools = [tool for box in default_toolboxes().values() for tool in box]
    charged = [tool for tool in tools if tool.read_only or tool.effort is not None]
    charged.sort(key=lambda tool: (tool.effort_minutes, tool.name))
    return {tool.name: tool.effort_minutes for tool in charged}
