"""What calls cost on a day that charges for the work they stand for."""

from __future__ import annotations

from collections.abc import Mapping

_LOOKING, _WRITING, _CALCULATING = 0, 5, 3

EFFORT_MINUTES: Mapping[str, int] = (
    dict.fromkeys(
        (
            "calendar_list", "calendar_read_meeting", "chat_list_groups", "chat_list_people",
            "chat_read_history", "desk_now", "desk_read_notes", "desk_tasks", "files_info",
            "files_list", "mail_list", "monitor_list_alerts", "monitor_list_services",
            "sheets_list",
        ),
        _LOOKING,
    )
    | dict.fromkeys(("files_edit", "files_write", "sheets_create"), _WRITING)
    | dict.fromkeys(
        (
            "sheets_append", "sheets_calculate", "sheets_change", "sheets_convert", "sheets_fill",
            "sheets_query", "sheets_write",
        ),
        _CALCULATING,
    )
)  # fmt: skip
"""Minutes by tool, where they differ from what is listed. To list what there is takes none; to
write a document takes as long as to write a message; a calculation or a change of a sheet takes a
few."""
