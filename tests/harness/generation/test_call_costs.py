"""The costs of a day that charges for effort are those of tools that there are."""

from __future__ import annotations

from trainee_bench.harness.generation.call_costs import EFFORT_MINUTES
from trainee_bench.mcp_servers import discover_toolboxes

MARKS_AS_READ = {"chat_read_history"}


def test_every_tool_that_costs_something_else_exists_and_what_is_free_only_looks() -> None:
    tools = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    assert set(EFFORT_MINUTES) <= set(tools)
    free = {name for name, minutes in EFFORT_MINUTES.items() if minutes == 0}
    assert {name for name in free if not tools[name].read_only} <= MARKS_AS_READ
