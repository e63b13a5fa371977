"""What calls cost on a day that charges for the work they stand for."""

from __future__ import annotations

from collections.abc import Mapping

_LOOKING, _READING, _HANDING_IN, _WRITING = 0, 1, 5, 10

EFFORT_MINUTES: Mapping[str, int] = (
    dict.fromkeys(
        (
            "calendar_find_busy", "calendar_find_rooms", "calendar_list", "calendar_read_meeting",
            "chat_list_groups", "chat_list_people", "chat_read_history", "desk_now",
            "desk_read_notes", "desk_tasks", "files_info", "files_list", "mail_list", "mail_read",
            "mail_search",
            "monitor_check_health", "monitor_get_load_times", "monitor_get_on_call",
            "monitor_get_summary", "monitor_list_alerts", "monitor_list_services",
            "monitor_read_logs", "sheets_list",
        ),
        _LOOKING,
    )
    | dict.fromkeys(("files_read", "files_search", "files_view_image", "sheets_read"), _READING)
    | {"desk_submit": _HANDING_IN}
    | dict.fromkeys(("chat_send_message", "mail_reply", "mail_send"), _WRITING)
    | dict.fromkeys(
        (
            "files_edit", "files_write", "sheets_append", "sheets_calculate", "sheets_change",
            "sheets_convert", "sheets_create", "sheets_fill", "sheets_query", "sheets_write",
        ),
        _WRITING,
    )
)  # fmt: skip
"""Minutes by tool, where they differ from what is listed. To look what there is takes none, a page
of a file takes one, to hand in or to forward a mail five. A message that has to be written, a
document, a calculation and a change of a sheet take ten: who asks twice has not thought first."""
