"""A recorded step in words, as somebody would tell it who looked on."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.notes import ALTER_NOTES
from trainee_bench.world.week import END_DAY, NEXT_DAY

END_OF_WORK = "the work ended"
WAITED = "waited until"
"""How the words of a wait begin; then comes the hour."""
_MANY = 3
"""Of more addressees than this only the number is told."""
_LONGEST, _LONGEST_PATH = 60, 45
_PATTERNS = {
    "calendar_attend": "meeting {meeting} attended",
    "calendar_book": 'booked "{title}" for {starts}',
    "calendar_cancel": "meeting {meeting} cancelled",
    "calendar_respond": "meeting {meeting} {answer}",
    "chat_create_group": 'group "{name}" made',
    "chat_list_people": "people looked up",
    "chat_read_history": "messages read",
    "chat_send_message": "message to {to}",
    "desk_tasks": "tasks looked at",
    "desk_submit": "{task} handed in",
    "files_copy": "{source} copied to {target}",
    "files_delete": "{path} deleted",
    "files_list": "files listed",
    "files_move": "{source} moved to {target}",
    "files_read": "{path} read",
    "files_write": "{path} written",
    "files_edit": "{path} changed",
    "mail_list": "mails listed",
    "mail_read": "mail {mail} read",
    "monitor_start_maintenance": "maintenance of {server} begun",
    "sheets_append": "{path} changed",
    "sheets_create": "{path} made",
    "sheets_query": "{path} read",
    "sheets_read": "{path} read",
    "sheets_write": "{path} changed",
}
_OWN = {
    END_DAY: "the day ended",
    NEXT_DAY: "the night passed",
    ALTER_NOTES: "notes were altered at night",
    "desk_finish_day": "the day was finished",
}


def step_in_words(entry: LogEntry, people: int) -> str:
    """What was done in *entry*, in a company of so many *people*."""
    words = _OWN.get(entry.tool) or _words(entry, people)
    return words if entry.ok else f"{words} (refused)"


def _words(entry: LogEntry, people: int) -> str:
    if entry.tool == "desk_wait":
        return f"{WAITED} {entry.until:%H:%M}"
    if entry.tool == "mail_send":
        return f"mail sent to {_addressees(entry.arguments.get('to'), people)}"
    try:
        named = {name: _plain(value) for name, value in entry.arguments.items()}
        return _short(_PATTERNS[entry.tool].format(**named))
    except (KeyError, IndexError):  # no pattern, or a call without what is named in it
        about = next(filter(None, map(_plain, entry.arguments.values())), "")
        return _short(f"{entry.tool} {about}".strip())


def _addressees(to: JsonValue, people: int) -> str:
    names = [str(one) for one in to] if isinstance(to, list) else [str(to or "nobody")]
    if len(names) >= people:
        return "all"
    return f"{len(names)} people" if len(names) > _MANY else _listed(names)


def _listed(names: Sequence[str]) -> str:
    *others, last = names or ["nobody"]
    return _short(f"{', '.join(others)} and {last}" if others else last)


def _plain(value: JsonValue) -> str:
    """*value* as it is told; of a long path the name of the file."""
    text = str(value) if isinstance(value, str | int) else ""
    is_path = ":/" in text and len(text) > _LONGEST_PATH
    return f"…/{text.rpartition('/')[2]}" if is_path else text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
