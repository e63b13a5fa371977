"""Which call delivered the work of a task last, of those that were in time."""

from __future__ import annotations

from functools import cache

from trainee_bench.harness.scheduling.asking import request_change
from trainee_bench.harness.scheduling.day_trace import DayTrace
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.world.action_log import LogEntry

_DELETES = "files_delete"
_WRITTEN = ("path", "paths", "changed")
"""Where the results of writing tools name files."""


def delivering_call(day: DayTrace, task: ComposedTask) -> LogEntry | None:
    """The last call before the deadline that wrote a file which *task* asks for. Without such a
    call, the last submission that was accepted and stands; None if nothing was delivered."""
    instance = task.instance
    asked_for = frozenset(instance.told.deliverable_paths or instance.told.writable_paths)
    in_time = [entry for entry in day.whole_log if entry.ok and entry.at < task.deadline]
    writes = [entry for entry in in_time if written_paths(entry) & asked_for]
    if writes:
        return writes[-1]
    change = request_change(day, task)
    since = change if change is not None else day.composition.day.starts
    accepted = [one for one in day.submissions(task.id) if one.ok and since <= one.at]
    return accepted[-1] if accepted else None


def written_paths(entry: LogEntry) -> frozenset[str]:
    """The files that *entry* has written."""
    if entry.data is None or entry.tool == _DELETES or entry.tool in _looking_tools():
        return frozenset()
    named = (entry.data.get(name) for name in _WRITTEN)
    listed = (value if isinstance(value, list) else [value] for value in named)
    return frozenset(path for paths in listed for path in paths if isinstance(path, str))


@cache
def _looking_tools() -> frozenset[str]:
    """The tools that change nothing."""
    tools = (tool for box in discover_toolboxes().values() for tool in box)
    return frozenset(tool.name for tool in tools if tool.read_only)
