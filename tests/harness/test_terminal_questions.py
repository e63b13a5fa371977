"""The terminal asks back of what cannot be undone, and of nothing else."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.terminal_seat.lines import cannot_be_undone

KNOWN = {"workspace:/old.md", "drive:/kb/a.md"}


@pytest.mark.parametrize(
    ("tool", "given", "asked"),
    [
        ("files_write", {"path": "workspace:/new.md", "text": "a"}, False),
        ("files_write", {"path": "workspace:old.md", "text": "a"}, True),
        ("files_write", {"path": "drive:/kb/new.md", "text": "a"}, True),
        ("mail_save", {"mail": 1, "path": "workspace:/offer.pdf"}, False),
        ("files_edit", {"path": "workspace:/old.md", "edits": []}, False),
        ("files_edit", {"path": "drive:/kb/a.md", "edits": []}, True),
        ("files_move", {"source": "drive:/kb/a.md", "target": "workspace:/a.md"}, True),
        ("files_delete", {"path": "workspace:/old.md"}, True),
        ("sheets_write", {"path": "workspace:/t.xlsx", "start": "A1", "rows": []}, False),
        ("sheets_append", {"path": "drive:/t.xlsx", "rows": []}, True),
        ("sheets_change", {"path": "workspace:/t.xlsx", "action": "add", "sheet": "B"}, False),
        ("sheets_change", {"path": "workspace:/t.xlsx", "action": "delete", "sheet": "B"}, True),
        ("monitor_start_maintenance", {"server": "web-01"}, True),
        ("monitor_start_maintenance", {"server": "web-01", "code": "ABCD-1234"}, False),
        ("calendar_cancel", {"meeting": 1}, True),
        ("desk_finish_day", {}, True),
        ("desk_submit", {"task": "T1"}, False),
    ],
)
def test_only_what_cannot_be_undone_is_asked_back_about(
    tool: str, given: dict[str, JsonValue], asked: bool
) -> None:
    call = ToolCall(tool, given)
    assert cannot_be_undone(call, KNOWN) is asked
