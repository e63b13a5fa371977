"""Texts, figures and calls that `odd_arguments.py` mutates."""

from __future__ import annotations

from typing import Any

OUTSIDE = "odd-calls-outside"
"""The name of a file that no call may make: paths that lead out of the world end in it."""
SHAPES = {
    r"path|source|target|file|folder|attach": r"(drive|workspace):/.*",
    r"starts|ends|until|before": r"\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d.*",
    r"^day$": r"\d{4}-\d\d-\d\d",
    r"^(to|cc|people|attendees|peer|members)$": r"[a-z]+\.[a-z]+|[A-Z]\w+ [A-Z]\w+|.*@.*",
    r"^room$": r"Room_\d\d",
    r"^task$": r"T\d+",
    r"^server$": r"[a-z]+(-[a-z]+)?-\d\d",
    r"^page$": r"/.*",
    r"^(range|start)$": r"[A-Z]\d+(:[A-Z]\d+)?",
    r"^expression$": r"=.*",
    r"^command$": r"(ls|echo|rm|ln|false|touch|cat).*",
    r"^code$": r"print.*|import.*|1 / 0|open.*",
    r"^columns?$|_by$": r"name|amount|-amount",
    r"^aggregates$": r"count|sum .*|max .*",
}
"""Patterns of argument names, each with the pattern of texts that such an argument accepts."""
KNOWN = (
    *("08:30", "11:00", "12:30", "14:00", "16:45", "2025-10-01", "2025-10-02", "2025-10-01T15:00"),
    *("workspace:/notes.txt", "workspace:/a.csv", "workspace:/a.xlsx", "drive:/", "workspace:/"),
    *("workspace:/new.xlsx", "workspace:/new.csv", "workspace:/new.txt", "workspace:/new.ics"),
    *("workspace:/mail.eml", "workspace:/new/", "workspace:/b/c/d.md", "T1", "T2", "T3"),
    *("Room_01", "Room_02", "Room_10", "Sheet1", "More", "A1", "A1:C3", "B2", "A2:A4", "C1"),
    *("=A1+1", "=SUM(A1:A3)", "=1+2", "=ROUND(PI(), 2)", '=REPT("x", 9)', "=SEQUENCE(3,3)"),
    *("name", "amount", "-amount", "count", "sum amount", "max name", "inbox", "all", "unread"),
    *("ls; cat a.csv", "echo hello > new.txt", "rm notes.txt", "false", "ln -s / root"),
    *(f"touch /tmp/{OUTSIDE} ../{OUTSIDE} ~/{OUTSIDE}", "cat /etc/passwd | wc -l", "echo '\\0'"),
    *("print(open('a.csv').read())", "import os; os.remove('notes.txt')", "1 / 0"),
    *(f"open('/tmp/{OUTSIDE}', 'w')", "import sys; sys.exit(3)", "web-01", "/blog", "/"),
    *("a,b\n1,2\n", "a,b\r\n1,2\r\n", "hello", "Who owns the charts?", "important", "one\ntwo"),
    *("x,1", "line", "24h", "7d", "accepted", "Finance", "somebody@else.example", "ABCD-1234"),
)
MARKS = (
    *("\u200d", "\u200c", "\u00a0", "\u200f", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u0301"),
    *("\u2028", "\x07", "\x1b[31m", "\x7f", "\x85", "\t", "\r", "\r\n", "\n", "\0", "\u200b"),
    *("\U000e0041", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\ufffe", "ß", "İ", "%", "_"),
    *('"', "'", "\\", "`", "<", ">", ";", ":", "/", "//", "..", "*", "[", "]", "{", "}", "\u0000"),
)
ODD_TEXTS = (
    *("", " ", "\t", "\u3000", "\0", "null", "None", "[]", "{}", '""', '"', "'", "true", "NaN"),
    *("0", "-1", "1e999", "9" * 400, "9" * 5_000, "3.0", "1_000", "٣", "½", "0x10", "+5", "１２"),
    *("../../../../etc/passwd", f"../../{OUTSIDE}", f"drive:/../../{OUTSIDE}", f"/tmp/{OUTSIDE}"),
    *(f"workspace:/../../{OUTSIDE}", f"file:///tmp/{OUTSIDE}", f"C:\\{OUTSIDE}", "drive:"),
    *("workspace:/..", "drive://", "drive:/./a", "drive:/a//b", "DRIVE:/hr", "workspace:\\a.txt"),
    *("drive:/" + "a/" * 300, "workspace:/" + "x" * 300 + ".txt", "workspace:/con.txt", "~/a"),
    *("workspace:/a\u202etxt.exe", "workspace:/.txt", "workspace:/a.txt/", "workspace:/ a .txt"),
    *("'; DROP TABLE action; --", '" OR 1=1 --', "%s%n{0}{self}", "${HOME}", "$(id)", "(a+)+$"),
    *("=1/0", "=" + "(" * 300 + "1" + ")" * 300, "=SUM(A1:XFD1048576)", "=A1", "=#REF!", "="),
    *('=REPT("x",32767)', "=RAND()", "=NOW()", '=HYPERLINK("file:///etc/passwd")', "=1E308*10"),
    *("A1:XFD1048576", "A0", "ZZZZ999999999", "XFE1", "A1:", ":A1", "1:1", "A:A", "$A$1", "a1"),
    *("9999-12-31T23:59", "9999-12-31", "0001-01-01", "0001-01-01T00:00", "2025-02-30", "24:00"),
    *("-1:00", "25:61", "7:5", "2025-10-01T12:00:00+14:00", "2025-W40-3", "2025-10-01T12:00Z"),
    *("1e20", "-99999999999999", "infinity", "12:00 ", "１２:００", "noon", "2025-10-01 12:00"),
    *("\u202eevil", "\U0001f3f4\u200d\u2620\ufe0f" * 50, "İ ß ſ ﬃ \u0301", "e\u0301" * 200),
    *("\r\nBcc: everybody@tessel.example", "a@b", "@", "<>", "Nobody Atall <no@one.example>"),
    *("a" * 400, "\n" * 500, "x\u00a0y", "می\u200cخواهم", "<script>alert(1)</script>", "%00"),
)
LONG_TEXTS = ("x" * 100_000, "a b\n" * 25_000, "\U0001f600" * 30_000, "9" * 100_000, '"' * 50_000)
HUGE_TEXTS = ("x" * 1_900_000, "y" * 3_000_000)
ODD_NUMBERS = (
    *(0, -1, 1, 2, 3, 7, 59, 10**3, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1),
    *(10**40, 10**400, 0.0, -0.0, 0.5, 3.0, 1e308, -1e308, 5e-324, 1e20),
)
UNSAFE_NUMBERS = (float("nan"), float("inf"), float("-inf"), 10**4_000, -(10**4_200))
UNCARRIED: tuple[Any, ...] = (
    *("\ud800", "half \udfff", "\udc00\ud800 both", 10**4_400, 10**6_000),
    *({"\ud800": 1}, ["\udead"]),
)
"""Values that no message can carry: lone surrogates, whole numbers of more than 4,300 digits."""

SOUND_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "calendar_book",
        {"title": "A talk", "room": "Room_03", "starts": "15:00", "ends": "15:30", "attendees": []},
    ),
    (
        "calendar_book",
        {
            "title": "می\u200cخواهم",
            "room": "Room_04",
            "starts": "16:00",
            "ends": "16:45",
            "attendees": ["{person}", "{person}"],
            "agenda": "one\ntwo",
        },
    ),
    ("calendar_find_rooms", {"starts": "14:00", "ends": "15:00", "people": 3}),
    ("calendar_find_busy", {"people": ["{person}", "{person}"], "day": "2025-10-02"}),
    ("calendar_respond", {"meeting": 1, "answer": "tentative"}),
    ("calendar_cancel", {"meeting": 2}),
    ("calendar_read_meeting", {"meeting": 2}),
    ("calendar_export", {"path": "workspace:/new.ics"}),
    (
        "chat_send_message",
        {"to": "{person}", "text": "When is the fair, and where? \U0001f468\u200d\U0001f469"},
    ),
    ("chat_create_group", {"name": "a group", "members": ["{person}", "{person}"]}),
    ("chat_read_history", {"peer": "{person}", "limit": 5}),
    ("desk_wait", {"minutes": 3}),
    ("desk_submit", {"task": "T1", "note": "done"}),
    ("desk_tasks", {"task": "T1"}),
    ("desk_write_note", {"text": "a note\u00a0with marks \u200f"}),
    ("files_write", {"path": "workspace:/a.csv", "text": "name,amount\r\nx,1\r\ny,2\r\n"}),
    ("files_write", {"path": "workspace:/notes.txt", "text": "one\ntwo\n" * 300}),
    ("files_edit", {"path": "workspace:/a.csv", "edits": [{"old": "x,1", "new": "x,3"}]}),
    (
        "files_edit",
        {"path": "workspace:/a.csv", "edits": [{"old": "amount\nx", "new": "amount\nz"}]},
    ),
    ("files_read", {"path": "workspace:/notes.txt", "offset": 3, "limit": 9}),
    ("files_copy", {"source": "workspace:/a.csv", "target": "workspace:/copies/"}),
    ("files_move", {"source": "workspace:/copies", "target": "workspace:/moved"}),
    ("files_delete", {"path": "workspace:/copies"}),
    ("files_view_image", {"path": "drive:/odd/map.png"}),
    ("files_info", {"path": "drive:/odd/map.png"}),
    ("files_search", {"query": "the", "folder": "drive:/"}),
    (
        "mail_send",
        {
            "to": ["{person}"],
            "subject": "Hello",
            "body": "To you",
            "attachments": ["workspace:/a.csv"],
        },
    ),
    (
        "mail_send",
        {"to": ["somebody@else.example"], "cc": ["{person}"], "subject": "ß \u200d", "body": "x"},
    ),
    ("mail_reply", {"mail": 1, "body": "Thanks", "everybody": True}),
    ("mail_forward", {"mail": 1, "to": ["{person}"], "body": "See below"}),
    ("mail_label", {"mail": 1, "add": ["kept", "unread"]}),
    ("mail_label", {"mail": 1, "add": ["more"], "remove": ["kept"]}),
    ("mail_save", {"mail": 1, "path": "workspace:/mail.eml"}),
    ("mail_read", {"mail": 1}),
    ("mail_search", {"query": "HELLO", "label": "all"}),
    ("monitor_get_load_times", {"page": "/blog", "window": "24h"}),
    ("monitor_read_logs", {"server": "web-01", "lines": 5, "before": "2025-10-01T12:00:00"}),
    ("monitor_start_maintenance", {"server": "web-01", "code": "ABCD-1234"}),
    (
        "sheets_create",
        {"path": "workspace:/new.xlsx", "rows": [["name", "amount"], ["x", 1], ["y", 2.5]]},
    ),
    ("sheets_create", {"path": "workspace:/new.csv", "rows": [["name", "amount"], ["x", 1]]}),
    (
        "sheets_write",
        {
            "path": "workspace:/a.xlsx",
            "start": "B1",
            "rows": [["amount"], [1], ["=A2+1"], [None, True]],
        },
    ),
    (
        "sheets_write",
        {"path": "workspace:/a.xlsx", "start": "A1", "rows": [["name"], ["=SUM(B2:B9)"], ["50%"]]},
    ),
    ("sheets_append", {"path": "workspace:/a.xlsx", "rows": [["z", 7], ["2026-11-21", "'=text"]]}),
    ("sheets_fill", {"path": "workspace:/a.xlsx", "source": "A2:B2", "last_row": 6}),
    ("sheets_read", {"path": "workspace:/a.xlsx", "range": "A1:B9", "formulas": True}),
    ("sheets_change", {"path": "workspace:/a.xlsx", "action": "add", "sheet": "Extra"}),
    (
        "sheets_change",
        {"path": "workspace:/a.xlsx", "action": "rename", "sheet": "Extra", "new_name": "Other"},
    ),
    ("sheets_change", {"path": "workspace:/a.xlsx", "action": "delete", "sheet": "Other"}),
    ("sheets_convert", {"source": "workspace:/a.xlsx", "target": "workspace:/b.csv"}),
    (
        "sheets_query",
        {
            "path": "workspace:/a.xlsx",
            "where": [{"column": "name", "op": "!=", "value": "x"}],
            "sort_by": ["-name"],
            "limit": 3,
        },
    ),
    (
        "sheets_query",
        {"path": "workspace:/a.csv", "group_by": ["name"], "aggregates": ["count", "sum amount"]},
    ),
    ("sheets_calculate", {"expression": "SUM(A1:B9)*2", "path": "workspace:/a.xlsx"}),
    ("sheets_calculate", {"expression": 'LEN("\u200d")+SUM(SEQUENCE(9,9))'}),
    ("terminal_run_shell", {"command": "ls; cat a.csv; echo hello > new.txt"}),
    ("terminal_run_python", {"code": "print(open('a.csv').read())"}),
)
"""Calls that mostly succeed, so that odd calls find something in the world."""
