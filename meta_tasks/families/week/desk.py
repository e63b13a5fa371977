"""The objective of a duty: the sentences that all duties share, and their slots."""

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
"""The time at which the file of the day replaces the previous day's."""
_RULE = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True)
class AskedReport:
    """The file that is due on Friday, and its fields."""

    path: str
    fields: type[Deliverable]


@dataclass(frozen=True)
class MeetingHour:
    """The room, start and end of a meeting, the same on each of its days."""

    room: str
    starts: time
    ends: time


_HOUR = TextTemplate(MeetingHour, "in {room}, from {starts} to {ends}", {"room": WORD})


@dataclass(frozen=True, kw_only=True)
class DutyBrief:
    """The facts that every objective states. Duties add their own."""

    by: time
    report: AskedReport
    subject: str
    recipient: str = ""
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class MeetingBrief(DutyBrief):
    """The facts of a duty with a meeting in which something is announced."""

    host: str
    meeting: MeetingHour
    department: str = ""


B = TypeVar("B", bound=DutyBrief)


class DeskText(Generic[B]):
    """The objective of a duty: its own *text*, and a request for *report* on Friday.

    Parts in [brackets] have the same words in every week, and honest work follows them.
    *converters* are for slots that no other duty has. *also* follows the report's path.
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
