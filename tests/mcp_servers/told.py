"""What a result's data says and its text does not.

An agent reads the text, honest work the data. A fact that only the data has would prove a day
solvable that no agent can solve.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import Enum
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from trainee_bench.world.company.directory import Directory
from trainee_bench.world.transaction import Transaction

REPEATED = "the caller has given it: it is compared with the arguments"
_PAGED = "told where a page goes on; else it is the number of what is listed"
UNREAD = "honest work does not read it"
_OWN = "it is the caller's, and the result tells the time"

WORDS: Mapping[tuple[str, str], str] = {
    ("calendar_attend", "on_time"): "on time",
    ("calendar_cancel", "cancelled"): "[cancelled]",
    ("calendar_list", "meetings.attended"): "[attended]",
    ("calendar_list", "meetings.cancelled"): "[cancelled]",
    ("calendar_read_meeting", "meeting.attended"): "[attended]",
    ("calendar_read_meeting", "meeting.cancelled"): "[cancelled]",
    ("calendar_respond", "attended"): "[attended]",
    ("chat_read_history", "messages.automatic"): "automatic reply",
    ("desk_finish_day", "over"): "day is over",
    ("desk_read_notes", "more"): "there are more",
    ("desk_tasks", "tasks.submitted"): "submitted",
    ("mail_list", "mails.unread"): "*",
    ("mail_search", "mails.unread"): "*",
    ("monitor_read_logs", "more"): "there are earlier lines",
    ("monitor_start_maintenance", "entered"): "is in maintenance mode",
    ("sheets_calculate", "rows"): "true",
    ("sheets_query", "rows"): "true",
    ("sheets_read", "rows"): "true",
}
"""What the text says where a truth holds, by tool and field."""
INSTEAD: Mapping[tuple[str, str], Sequence[str]] = {
    ("calendar_cancel", "your_answer"): ("[cancelled]",),
    ("calendar_list", "meetings.your_answer"): ("[attended]", "[cancelled]"),
    ("calendar_read_meeting", "meeting.your_answer"): ("[attended]", "[cancelled]"),
    ("calendar_respond", "your_answer"): ("[attended]",),
}
"""Words that may stand in place of a value: what they say makes it worthless."""
UNTOLD: Mapping[tuple[str, str], str] = {
    ("calendar_attend", "missed_minutes"): f"{UNREAD}; the hour of coming tells it",
    ("calendar_book", "answered"): UNREAD,
    ("calendar_cancel", "answered"): UNREAD,
    ("calendar_list", "meetings.answered"): f"{UNREAD}; calendar_read_meeting tells it",
    ("calendar_list", "total"): _PAGED,
    ("calendar_respond", "answered"): UNREAD,
    ("chat_send_message", "message.at"): _OWN,
    ("chat_send_message", "message.sender"): _OWN,
    ("chat_send_message", "message.text"): REPEATED,
    ("chat_send_message", "message.to"): REPEATED,
    ("desk_tasks", "more_until"): f"{UNREAD}; the list tells it, a single task does not",
    ("desk_write_note", "at"): _OWN,
    ("desk_write_note", "text"): REPEATED,
    ("files_copy", "paths"): f"{UNREAD}; of several the number and the first are told",
    ("files_delete", "paths"): f"{UNREAD}; of several the number and the first are told",
    ("files_list", "total"): _PAGED,
    ("files_move", "paths"): f"{UNREAD}; of several the number and the first are told",
    ("files_read", "offset"): REPEATED,
    ("files_search", "total"): _PAGED,
    ("mail_forward", "subject"): f"{UNREAD}; mail_read tells it",
    ("mail_forward", "to"): f"{UNREAD}; the first five are told",
    ("mail_list", "mails.labels"): UNREAD,
    ("mail_list", "mails.to"): f"{UNREAD}; mail_read tells it",
    ("mail_read", "attachments.kind"): f"{UNREAD}; the name tells it",
    ("mail_read", "labels"): UNREAD,
    ("mail_read", "total_characters"): _PAGED,
    ("mail_reply", "cc"): f"{UNREAD}; mail_read tells it",
    ("mail_reply", "subject"): f"{UNREAD}; mail_read tells it",
    ("mail_reply", "to"): f"{UNREAD}; the first five are told",
    ("mail_save", "size"): f"{UNREAD}; files_info tells it",
    ("mail_search", "mails.labels"): UNREAD,
    ("mail_search", "mails.to"): f"{UNREAD}; mail_read tells it",
    ("mail_send", "cc"): f"{UNREAD}; mail_read tells it",
    ("mail_send", "subject"): REPEATED,
    ("mail_send", "to"): f"{UNREAD}; the first five are told",
    ("monitor_check_health", "readings.at"): "told as how long ago it was",
    ("monitor_list_services", "maintenance"): "told beside the server, with the hour",
    ("monitor_read_logs", "server"): REPEATED,
    ("monitor_start_maintenance", "tries_left"): f"{UNREAD}; told after a wrong code",
    ("sheets_create", "sheet"): f"{UNREAD}; told with the cells, where there are any",
    ("sheets_list", "path"): REPEATED,
    ("terminal_run_python", "changed_total"): _PAGED,
    ("terminal_run_python", "deleted_total"): _PAGED,
    ("terminal_run_shell", "changed_total"): _PAGED,
    ("terminal_run_shell", "deleted_total"): _PAGED,
}
"""Why the text need not tell a field, by tool and field."""


_NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SHARE = re.compile(rf"({_NUMBER.pattern})%")


@dataclass(frozen=True)
class Told:
    """What *text* tells somebody at a time. *people* has what stands for a person's id or name.
    In a *table* a comma also parts cells."""

    text: str
    now: datetime
    people: Mapping[str, Sequence[str]]
    table: bool = False

    @cached_property
    def folded(self) -> str:
        """The text in small letters with single spaces."""
        return folded(self.text)

    def tells(self, value: Any) -> bool:
        """Whether it has *value*, which is neither empty nor a truth, in a usual spelling."""
        match value:
            case datetime():
                return self._tells_moment(value)
            case date():
                return value.isoformat() in self.text
            case int() | float():
                return value in self._numbers
            case Enum():
                return folded(str(value.value).replace("_", " ")) in self.folded
        forms = (str(value), repr(str(value))[1:-1], str(value).replace('"', '""'))
        forms += tuple(self.people.get(value, ()))
        return any(folded(form) in self.folded for form in forms)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        """The numbers in the text, which may have a comma after thousands, and of percentages the
        shares, too."""
        joined = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", self.text)
        texts = [joined, self.text] if self.table else [joined]
        found = {float(number) for text in texts for number in _NUMBER.findall(text)}
        shares = {round(float(number) / 100, 15) for number in _SHARE.findall(joined)}
        return frozenset(found | shares)

    def _tells_moment(self, moment: datetime) -> bool:
        """Whether it has the hour, and the day, too, if that is another one."""
        days = (f"{moment:%Y-%m-%d}", f"{moment:%m-%d}", f"{moment:%a}")
        day = moment.date() == self.now.date() or any(form in self.text for form in days)
        return day and f"{moment:%H:%M}" in self.text


def names_of_people(tx: Transaction) -> dict[str, Sequence[str]]:
    """What stands in a text for each person's id: their name; for the employee, and for their name
    as the sender of a mail that went "to" somebody, what the text says to them."""
    names = {person.id: (person.name,) for person in Directory(tx).everybody()}
    (own,) = names[tx.employee]
    return {**names, tx.employee: (own, "you"), own: (" to ",)}


def folded(text: str) -> str:
    """*text* in small letters with single spaces."""
    return " ".join(text.split()).casefold()


def leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in *data* with the names of the fields that lead to it; the keys of a mapping
    are values, too."""
    match data:
        case BaseModel():
            for name in type(data).model_fields:
                yield from leaves(getattr(data, name), f"{path}.{name}".lstrip("."))
        case Mapping():
            for key, value in data.items():
                yield path, key
                yield from leaves(value, path)
        case list() | tuple():
            for item in data:
                yield from leaves(item, path)
        case _:
            yield path, data


def untold(
    tool: str, arguments: Mapping[str, Any], data: BaseModel, told: Told
) -> list[tuple[str, Any]]:
    """The fields of a result's *data* with the values that its text does not tell. What is empty,
    zero or false needs no word."""
    told = replace(told, table=tool.startswith("sheets_"))
    given = Told(json.dumps(arguments, ensure_ascii=False), told.now, told.people)
    return [
        (path, value)
        for path, value in leaves(data)
        if value and not _is_told(tool, path, value, told, given)
    ]


def _is_told(tool: str, path: str, value: Any, told: Told, given: Told) -> bool:
    why = UNTOLD.get((tool, path))
    if why is not None:
        return why is not REPEATED or given.tells(value)
    words = INSTEAD.get((tool, path), ())
    if isinstance(value, bool):
        words = [WORDS[tool, path]] if (tool, path) in WORDS else []
    elif told.tells(value):
        return True
    return any(word in told.folded for word in words)
