"""Calls whose every text is a script, a broken tag or a trick with directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

SCRIPT = "<script>alert(1)</script>"
PICTURE = "<img src=x onerror=alert(2)>"
HOSTILE = f"{SCRIPT}{PICTURE}\"'`${{1}}</pre>"
LONG = f"{HOSTILE}\n[a](javascript:alert(3))\n{'x' * 400}"

COLLEAGUE = "{colleague}"
"""Stands for the id of anybody of the company."""

HOSTILE_CALLS: Sequence[tuple[str, Mapping[str, JsonValue]]] = (
    ("mail_send", {"to": ["robin.hale"], "subject": HOSTILE, "body": LONG}),
    ("chat_create_group", {"name": PICTURE, "members": [COLLEAGUE]}),
    ("chat_send_message", {"to": "G1", "text": LONG}),
    (
        "calendar_book",
        {
            "title": HOSTILE,
            "room": "Room_05",
            "attendees": [],
            "starts": "14:00",
            "ends": "14:30",
            "agenda": LONG,
        },
    ),
    ("files_write", {"path": "workspace:/page.html", "text": LONG}),
    ("files_write", {"path": "workspace:/drawing.svg", "text": f"<svg>{SCRIPT}</svg>"}),
    ("sheets_create", {"path": "workspace:/table.xlsx", "rows": [[HOSTILE, PICTURE], [1, 2]]}),
    ("sheets_write", {"path": "workspace:/table.xlsx", "start": "A2", "rows": [[SCRIPT, 7]]}),
    ("desk_write_note", {"text": LONG}),
    ("desk_submit", {"task": "T1", "note": HOSTILE}),
    (PICTURE, {SCRIPT: HOSTILE}),
)
