"""The calls that cannot be undone, as far as a person in the terminal knows beforehand."""

from __future__ import annotations

import re
from collections.abc import Collection

from trainee_bench.harness.session.tool_types import ToolCall

_WRITES_WHOLE = {"files_write", "mail_save", "calendar_export"}
_CHANGES = {
    "files_edit",
    "files_move",
    "sheets_append",
    "sheets_change",
    "sheets_fill",
    "sheets_write",
}


def written_path(call: ToolCall) -> str:
    """The path that *call* names, as the office writes it; "" if it names none."""
    given = call.arguments.get("path", call.arguments.get("source", ""))
    return re.sub(r"^(\w+):/*", r"\1:/", str(given).strip())


def cannot_be_undone(call: ToolCall, known: Collection[str], *, destructive: bool) -> bool:
    """Whether *call* may lose something for good; *known* are the paths that the person has read or
    written. A new file in the workspace loses nothing, one on the drive may be there already."""
    path = written_path(call)
    if call.name == "monitor_start_maintenance":
        return not call.arguments.get("code")
    if call.name in _WRITES_WHOLE:
        return path.startswith("drive:") or path in known
    if call.name in _CHANGES:
        return path.startswith("drive:") or call.arguments.get("action") == "delete"
    return destructive
