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
        self._mails: set[int] = set()
        """The numbers of mails to which such files are attached."""

    def add(self, entry: LogEntry) -> None:
        """Take what *entry* has written. A copy of what others say is none of the agent's."""
        made = written_paths(entry)
        tool = discover_tools().get(entry.tool)
        if tool is not None and tool.copies and not self._has_source_of(entry):
            self._paths -= made
        else:
            self._paths |= made
        number = entry.data.get("id") if entry.data else None
        if isinstance(number, int) and (self._is_attached_by(entry) or self._has_mail_of(entry)):
            self._mails.add(number)

    def are_read_by(self, entry: LogEntry, named: Iterable[str]) -> bool:
        """Whether *entry* only looks, and one of the texts *named* in its arguments is a file of
        the agent's."""
        return entry.tool in looking_tools() and not self._paths.isdisjoint(named)

    def have(self, path: object) -> bool:
        """Whether the file at *path* is one of them."""
        return path in self._paths

    def _has_mail_of(self, entry: LogEntry) -> bool:
        mail = entry.arguments.get("mail")
        return isinstance(mail, int) and mail in self._mails

    def _is_attached_by(self, entry: LogEntry) -> bool:
        attached = entry.arguments.get("attachments")
        return isinstance(attached, list) and any(
            path in self._paths for path in map(str, attached)
        )

    def _has_source_of(self, entry: LogEntry) -> bool:
        source = entry.arguments.get("source")
        return self._has_mail_of(entry) if source is None else self._has_part_of(str(source))

    def _has_part_of(self, source: str) -> bool:
        inside = f"{source.rstrip('/')}/"
        return any(path == source or path.startswith(inside) for path in self._paths)
