"""The mails of a duty: found by recipient, subject and time, and read for figures or decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from trainee_bench.meta_tasks.authoring import GradingContext, Verdict, same_text, text_key
from trainee_bench.meta_tasks.families.week.days import WEEKDAYS
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.message import MailMessage

_GROUPED = re.compile(r"(?<=\d)[,' ](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?:\.\d+)?(?![\w:/-]|\.\d)")
_UNIT = re.compile(r"\b(?:EUR|kg)\b|€", re.IGNORECASE)
_DECISION = re.compile(r"\W*([A-Z]{2,4}-\d+)\W+([a-z]+|\d+)(?:\.0+)?\W*", re.IGNORECASE)
_CLOCK = re.compile(r"\b\d\d?:\d\d\b")
_ID = re.compile(r"\b[A-Z]{2,4}-\d+\b", re.IGNORECASE)
Said = int | time | Mapping[str, str | int]
"""The content of a mail: one number, one time of day, or a word or number for each id."""


@dataclass(frozen=True)
class RightMail:
    """A requested mail: its subject, deadline, reader and content.

    It has to be sent on the day of the deadline, and not before *since*, if given. *only* describes
    the reader in a mail that may go to nobody else.
    """

    subject: str
    by: datetime
    reader: str
    said: Said
    only: str = ""
    since: datetime | None = None

    def verdict(self, grading: GradingContext[Any], what: str) -> Verdict:
        """Check the last such mail.

        *what* follows the number of ids in the verdict, as in "claims were decided".
        """
        sent, readers_of = self._sent(grading), Mail(grading.tx).readers_of
        if not self.only:
            sent = [mail for mail in sent if self.reader in readers_of(mail)]
        if not sent:
            return self._missing()
        if self.only and frozenset[str]().union(*map(readers_of, sent)) != {self.reader}:
            return Verdict(False, f"the mail did not go to {self.only} alone")
        body = sent[-1].body
        if isinstance(self.said, Mapping):
            return _states_each(body, self.said, what)
        if isinstance(self.said, time):
            right, kind = _clocks_in(body) == {f"{self.said:%H:%M}"}, "time"
        else:
            right, kind = states_only(body, self.said), "number"
        return Verdict(
            right, f"the mail was sent in time{'' if right else f'; its {kind} is wrong'}"
        )

    def _sent(self, grading: GradingContext[Any]) -> list[MailMessage]:
        """All mails of the employee with this subject, sent in time, oldest first."""
        first = self.since or datetime.combine(self.by, time())
        return [
            message
            for message in Mail(grading.tx).sent_by(grading.employee)
            if first <= message.at <= self.by and same_text(message.subject, self.subject)
        ]

    def _missing(self) -> Verdict:
        """The verdict if no such mail was sent."""
        day = WEEKDAYS[self.by.weekday()]
        hours = f"from {self.since:%H:%M} to" if self.since else "by"
        return Verdict(False, f"no such mail was sent on {day} {hours} {self.by:%H:%M}")


def body_of(said: Said) -> str:
    """The text of a mail with the content *said*."""
    if isinstance(said, Mapping):
        return "\n".join(f"{id}: {word}" for id, word in said.items())
    return f"{said:%H:%M}" if isinstance(said, time) else str(said)


def _states_each(body: str, right: Mapping[str, str | int], what: str) -> Verdict:
    """Check that *body* decides exactly the ids of *right*, each in the right way."""
    said = decisions_in(body)
    correct = said == {id: text_key(str(word)) for id, word in right.items()}
    flaw = "" if correct else ", but not all of them correctly"
    return Verdict(correct, f"{len(said or {})} {what} in time{flaw}")


def numbers_in(text: str) -> frozenset[str]:
    """The numbers that *text* states, without dates, times and ids."""
    return frozenset(_NUMBER.findall(_GROUPED.sub("", text)))


def _clocks_in(text: str) -> frozenset[str]:
    """The times of day that *text* states."""
    return frozenset(clock.zfill(5) for clock in _CLOCK.findall(text))


def states_only(text: str, number: int) -> bool:
    """Whether *text* states this number and no other."""
    return {float(stated) for stated in numbers_in(text)} == {float(number)}


def decisions_in(text: str) -> Mapping[str, str] | None:
    """The decision for each id in *text*, from lines such as "EXP-481234: approved".

    None if a line with an id has another form, or if two lines contradict each other. Units and
    the decimals of whole numbers are ignored.
    """
    said: dict[str, str] = {}
    for line in _UNIT.sub("", _GROUPED.sub("", text)).splitlines():
        if not _ID.search(line):
            continue
        found = _DECISION.fullmatch(line)
        if found is None or not same_text(said.setdefault(found[1], text_key(found[2])), found[2]):
            return None
    return said
