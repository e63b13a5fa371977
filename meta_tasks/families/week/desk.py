"""What the desk says of a duty: the sentences that all duties share, and their slots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from typing import Any, Generic, TypeVar

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Converter,
    Deliverable,
    TextTemplate,
    one_of,
)
from trainee_bench.meta_tasks.authoring.text_template import NO_CONVERTERS

FILES_COME = time(9)
"""When the file of the day replaces that of the day before."""
_RULE = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True)
class AskedReport:
    """Which file is due on Friday, and its fields."""

    path: str
    fields: type[Deliverable]


@dataclass(frozen=True)
class MeetingHour:
    """Where and when a meeting is, the same on each of its days."""

    room: str
    starts: time
    ends: time


_HOUR = TextTemplate(MeetingHour, "in {room}, from {starts} to {ends}", {"room": WORD})


@dataclass(frozen=True, kw_only=True)
class DutyBrief:
    """What the desk says. A duty that says more adds to it."""

    by: time
    report: AskedReport
    subject: str
    recipient: str = ""
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class MeetingBrief(DutyBrief):
    """The same, with a meeting in which something is said."""

    host: str
    meeting: MeetingHour
    department: str = ""


B = TypeVar("B", bound=DutyBrief)


class DeskText(Generic[B]):
    """The objective of a duty: its own *text*, and that *report* is due on Friday.

    What stands in [brackets] it says in the same words every time, and the work goes by it.
    *converters* are for slots that no other duty has; *also* stands after the report's path.
    """

    def __init__(
        self,
        of: type[B],
        text: str,
        report: type[Deliverable],
        converters: Mapping[str, Converter[Any]] = NO_CONVERTERS,
        also: str = "",
    ):
        self.of, self.report = of, report
        asked = TextTemplate(
            AskedReport,
            f"{{path}}{also}, a JSON object with exactly these fields:\n{{fields}}",
            {"path": PATH, "fields": one_of({report: report.describe()})},
        )
        usual: dict[str, Converter[Any]] = {
            "recipient": FULL_NAME,
            "file": PATH,
            "host": FULL_NAME,
            "meeting": _HOUR.converter(),
            "report": asked.converter(),
        }
        text += " [On Friday, hand in] {report}"
        self.rules: tuple[str, ...] = tuple(_RULE.findall(text))
        self.wording = TextTemplate(of, _RULE.sub(r"\1", text), {**usual, **converters})
