"""The kinds of result that a task can ask for: how the request describes them, and when they are
right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.meta_tasks.answers import same_text
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict
from trainee_bench.meta_tasks.offices.affirmation import affirms, contradicts
from trainee_bench.meta_tasks.offices.table_answer import TableAnswer
from trainee_bench.meta_tasks.offices.task_file import HandInFile
from trainee_bench.meta_tasks.offices.values import ValueKind
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.message import MailMessage
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.meetings.rooms import company_rooms, fitting_rooms
from trainee_bench.world.meetings.store import MeetingStore

SMALLEST, ANY = "smallest", "any"
_WORD = re.compile(r"\w+")


_FORMS: Mapping[object, str] = {
    ValueKind.DATE: ", as YYYY-MM-DD",
    ValueKind.CLOCK: ", as HH:MM",
    ValueKind.NUMBER: ", a number without a unit",
}
"""How values of a declared kind are written, as the request says."""


# the request ----------------------------------------------------------------------------------


def describe(hand_in: HandInFile, path: str) -> str:
    """Return the description of the wanted result. A table is described with this *path*."""
    if hand_in.table is not None:
        columns = hand_in.table.columns.items()
        lines = [
            f"- `{name}` ({column.says}{_FORMS.get(column.kind, '')})" for name, column in columns
        ]
        is_csv = hand_in.table.path.endswith(".csv")
        kind = "a CSV file" if is_csv else "a workbook whose first sheet has a table"
        return "\n".join([f"Submit {path}, {kind} with these columns:", *lines])
    if hand_in.mail is not None:
        return (
            f"Send it as a mail of at most {hand_in.mail.max_words} words. If you send several "
            "mails with this subject, only the last one counts."
        )
    return "Book it in the calendar. In the end there must be exactly one such meeting."


# mails ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MailAnswer:
    """A right mail: its recipients (ids and addresses), its subject, and what it says.

    ``says`` are groups of phrases, of which the text has at least one each; ``never`` are phrases
    that it must not have. A reply has the message id of the mail that it ``answers``.
    """

    to: frozenset[str]
    cc: frozenset[str]
    subject: str
    says: tuple[tuple[str, ...], ...]
    never: tuple[str, ...]
    max_words: int = 120

    def verdict(self, grading: GradingContext[Any]) -> Verdict:
        """Return whether the last mail to these recipients says everything."""
        mail = Mail(grading.tx)
        sent = [
            message
            for message in mail.sent_by(grading.employee)
            if grading.is_in_time(message.at) and _same_subject(message.subject, self.subject)
        ]
        if not sent:
            return Verdict(False, "no mail with this subject was sent in time")
        last = sent[-1]
        directory = {"to": (last.to, self.to), "cc": (last.cc, self.cc)}
        for field, (given, right) in directory.items():
            if _readers(mail, last, given) != right:
                return Verdict(
                    False, f"the last such mail does not have the right people in {field}"
                )
        if word_count(last.body) > self.max_words:
            return Verdict(False, f"the mail has more than {self.max_words} words")
        missing = sum(
            not any(affirms(last.body, phrase) for phrase in group) for group in self.says
        )
        if missing:
            return Verdict(False, f"the mail lacks {missing} of {len(self.says)} statements")
        if any(contradicts(last.body, phrase) for phrase in self.never):
            return Verdict(False, "the mail says something that is not so")
        return Verdict(True, "the mail says everything to the right people")


def word_count(text: str) -> int:
    """Return the number of words in a text, whatever is between them."""
    return len(_WORD.findall(text))


def _readers(mail: Mail, message: MailMessage, addresses: Sequence[Any]) -> frozenset[str]:
    return mail.readers_of(message.model_copy(update={"to": tuple(addresses), "cc": ()}))


def _same_subject(given: str, right: str) -> bool:
    return same_text(_without_prefix(given), _without_prefix(right))


def _without_prefix(subject: str) -> str:
    subject = subject.strip()
    while subject[:3].lower() == "re:":
        subject = subject[3:].strip()
    return subject


# meetings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeetingAnswer:
    """A right meeting: who comes besides the employee (ids), its length, its earliest start and
    latest end, its room, and its title ("" for any)."""

    people: frozenset[str]
    length: timedelta
    not_before: datetime
    not_after: datetime
    room: str
    title: str

    def verdict(self, grading: GradingContext[Any]) -> Verdict:
        """Return whether exactly one such meeting is booked."""
        booked = [
            meeting
            for meeting in Calendar(grading.tx).booked_by(grading.employee)
            if frozenset(meeting.attendees) == self.people
        ]
        if len(booked) != 1:
            return Verdict(False, f"{len(booked)} meetings with exactly these people are booked")
        flaws = self._flaws(grading, booked[0])
        return Verdict(not flaws, "; ".join([f"meeting {booked[0].when}", *flaws]))

    def _flaws(self, grading: GradingContext[Any], meeting: Meeting) -> list[str]:
        flaws = []
        if meeting.ends - meeting.starts != self.length:
            flaws.append("its length is not right")
        if meeting.starts < self.not_before or meeting.ends > self.not_after:
            flaws.append("its time is not right")
        if self.title and not same_text(meeting.title, self.title):
            flaws.append("its title is not right")
        if not self._is_right_room(grading, meeting):
            flaws.append("its room is not right")
        return flaws

    def _is_right_room(self, grading: GradingContext[Any], meeting: Meeting) -> bool:
        if self.room == ANY:
            return True
        if self.room != SMALLEST:
            return meeting.room == self.room
        rooms = company_rooms(grading.tx)
        taken = MeetingStore(grading.tx).taken_rooms(meeting.starts, meeting.ends, meeting.id)
        free = fitting_rooms(len(meeting.invitations), taken, rooms)
        return bool(free) and rooms[meeting.room] == rooms[free[0]]


RightAnswer = TableAnswer | MailAnswer | MeetingAnswer
