"""Which files a call has written, and which of them say what the agent has put into them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from trainee_bench.mcp_servers import discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.world.action_log import LogEntry

_WRITTEN = ("path", "paths", "changed")
"""Where the results of writing tools name files."""


def written_paths(entry: LogEntry) -> frozenset[str]:
    """The files that *entry* has written."""
    tool = discover_tools().get(entry.tool)
    writes = tool is None or not (tool.read_only or tool.files is FileUse.DELETES)
    if entry.data is None or not writes:
        return frozenset()
    named = (entry.data.get(name) for name in _WRITTEN)
    listed = (value if isinstance(value, list) else [value] for value in named)
    return frozenset(path for paths in listed for path in paths if isinstance(path, str))


@cache
def looking_tools() -> frozenset[str]:
    """The tools that change nothing."""
    return frozenset(name for name, tool in discover_tools().items() if tool.read_only)


class OwnFiles:
    """The files whose contents the agent has put together, also from pieces."""

    def __init__(self) -> None:
        self._paths: set[str] = set()

    def add(self, entry: LogEntry) -> None:
        """Take what *entry* has written. A copy of what others say is none of the agent's."""
        made = written_paths(entry)
        source = str(entry.arguments.get("source", ""))
        tool = discover_tools().get(entry.tool)
        if tool is not None and tool.copies and not self._has_part_of(source):
            self._paths -= made
        else:
            self._paths |= made

    def are_read_by(self, entry: LogEntry, named: Iterable[str]) -> bool:
        """Whether *entry* only looks, and one of the texts *named* in its arguments is a file of
        the agent's."""
        return entry.tool in looking_tools() and not self._paths.isdisjoint(named)

    def have(self, path: object) -> bool:
        """Whether the file at *path* is one of them."""
        return path in self._paths

    def _has_part_of(self, source: str) -> bool:
        inside = f"{source.rstrip('/')}/"
        return any(path == source or path.startswith(inside) for path in self._paths)
