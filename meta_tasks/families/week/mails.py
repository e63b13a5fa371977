"""The mails of a duty: found by recipient, subject and hour, and read for a number or decisions."""

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
_ID = re.compile(r"\b[A-Z]{2,4}-\d+\b", re.IGNORECASE)


@dataclass(frozen=True)
class DueMail:
    """A mail that is asked for: its subject, and when it is due; it is sent on that day, and not
    before *since*, when what it is about happens."""

    subject: str
    by: datetime
    since: datetime | None = None

    def sent(self, grading: GradingContext[Any]) -> list[MailMessage]:
        """All mails of the employee with this subject, sent in time, oldest first."""
        first = self.since or datetime.combine(self.by, time())
        return [
            message
            for message in Mail(grading.tx).sent_by(grading.employee)
            if first <= message.at <= self.by and same_text(message.subject, self.subject)
        ]

    def to(self, grading: GradingContext[Any], person: str) -> MailMessage | None:
        """The last of them that went to *person* (an id), None if there is none."""
        found = [one for one in self.sent(grading) if person in readers(one)]
        return found[-1] if found else None

    def missing(self) -> Verdict:
        """The verdict on who did not send it."""
        day = WEEKDAYS[self.by.weekday()]
        hours = f"from {self.since:%H:%M} to" if self.since else "by"
        return Verdict(False, f"no such mail was sent on {day} {hours} {self.by:%H:%M}")

    def states_each(
        self, grading: GradingContext[Any], person: str, right: Mapping[str, object], what: str
    ) -> Verdict:
        """Whether it went to *person* and says of each id what *right* says; *what* names them, as
        in "claims were decided"."""
        message = self.to(grading, person)
        if message is None:
            return self.missing()
        said = decisions_in(message.body)
        correct = said == {id: text_key(str(word)) for id, word in right.items()}
        flaw = "" if correct else ", but not all of them rightly"
        return Verdict(correct, f"{len(said or {})} {what} in time{flaw}")


def readers(message: MailMessage) -> frozenset[str]:
    """Who got it: ids of colleagues, and addresses of others."""
    return frozenset(to.colleague or to.address for to in message.recipients)


def numbers_in(text: str) -> frozenset[str]:
    """The numbers that *text* states, without dates, times and ids."""
    return frozenset(_NUMBER.findall(_GROUPED.sub("", text)))


def states_only(text: str, number: int) -> bool:
    """Whether *text* states this number and no other."""
    return {float(one) for one in numbers_in(text)} == {float(number)}


def decisions_in(text: str) -> Mapping[str, str] | None:
    """What *text* says of each id, in lines such as "EXP-481234: approved"; None if a line with an
    id says something else, or two lines contradict each other. Units and the decimals of whole
    numbers mean nothing."""
    said: dict[str, str] = {}
    for line in _UNIT.sub("", _GROUPED.sub("", text)).splitlines():
        if not _ID.search(line):
            continue
        found = _DECISION.fullmatch(line)
        if found is None or not same_text(said.setdefault(found[1], text_key(found[2])), found[2]):
            return None
    return said


def decision_lines(said: Mapping[str, str | int]) -> str:
    """The same as a mail says it."""
    return "\n".join(f"{id}: {word}" for id, word in said.items())
