"""Falsified notes: what they say of numbers, times, days and people is exchanged for something as
plausible.

    Falsification.drawn(company, draws) ──text(said)──► another text

A falsification holds for a whole week, and in every text: the same number, day, hour or person
always becomes the same other one, so that notes do not contradict each other. It can be made anew
each night, and what was true does not come back within a week. Words that stand for nothing of this
kind, ids, paths and the addresses of others stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Self

from trainee_bench.world.company.people import Company

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_WORKING_HOURS = range(8, 19)
"""Their number is a prime, as that of the weekdays: no shift leads back within a week."""
_LEAST_SHIFT, _LARGEST_SHIFT = 0.15, 0.24
"""By what share of all numbers of as many digits a number is shifted, up or down and around: less
than a quarter, so that four nights do not lead back."""
_DATE = r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"
_CLOCK = r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)"
_NUMBER = r"(?<![\w./:@-])\d+(?:[.,]\d+)*(?![\w/:@-])"


@dataclass(frozen=True)
class Falsification:
    """What is exchanged for what: names (full names, handles, addresses) and weekdays as they are
    written, days for those ``later_days`` later, hours for those ``later_hours`` later, numbers for
    those that are this ``shift`` (a share of all of as many digits) away."""

    names: Mapping[str, str]
    weekdays: Mapping[str, str]
    later_days: int
    later_hours: int
    shift: float

    @classmethod
    def drawn(cls, company: Company, draws: Random) -> Self:
        """A falsification for the people of *company*."""
        later = draws.randrange(1, len(_WEEKDAYS))
        hours = draws.randrange(1, len(_WORKING_HOURS))
        people = list(company.people)
        draws.shuffle(people)
        names = {
            getattr(one, by): getattr(other, by)
            for one, other in zip(people, people[1:] + people[:1], strict=True)
            for by in ("name", "email", "id")
        }
        shift = draws.uniform(_LEAST_SHIFT, _LARGEST_SHIFT) * draws.choice((1, -1))
        return cls(names, _later_weekdays(later), later, hours, shift)

    def text(self, said: str) -> str:
        """*said* with every number, clock time, date, weekday and name of a colleague exchanged."""
        exchanges: Mapping[str, Callable[[str], str]] = {
            "name": self.names.__getitem__,
            "weekday": self.weekdays.__getitem__,
            "date": self.date,
            "clock": self.clock,
            "number": self.number,
        }
        names, weekdays = _either(self.names), _either(self.weekdays)
        pattern = re.compile(
            rf"(?P<name>(?<!\w)(?:{names})(?!\w))|(?P<weekday>\b(?:{weekdays})\b)"
            rf"|(?P<date>{_DATE})|(?P<clock>{_CLOCK})|(?P<number>{_NUMBER})"
        )
        return pattern.sub(lambda found: exchanges[str(found.lastgroup)](found[0]), said)

    def date(self, written: str) -> str:
        """Another working day of the same week; what is no working day stays."""
        try:
            day = date.fromisoformat(written)
        except ValueError:
            return written
        if day.weekday() >= len(_WEEKDAYS):
            return written
        other = (day.weekday() + self.later_days) % len(_WEEKDAYS)
        return (day + timedelta(days=other - day.weekday())).isoformat()

    def clock(self, written: str) -> str:
        """The same minute of another hour of the working day."""
        hour, _, minute = written.partition(":")
        place = int(hour) - _WORKING_HOURS.start + self.later_hours
        return f"{_WORKING_HOURS[place % len(_WORKING_HOURS)]:02}:{minute}"

    def number(self, written: str) -> str:
        """A number of as many digits, written in the same way."""
        digits = re.sub(r"\D", "", written)
        lowest = 0 if digits.startswith("0") or len(digits) == 1 else 10 ** (len(digits) - 1)
        count = 10 ** len(digits) - lowest
        other = lowest + (int(digits) - lowest + round(self.shift * count)) % count
        left = iter(str(other).zfill(len(digits)))
        return re.sub(r"\d", lambda _: next(left), written)


def _either(words: Mapping[str, str]) -> str:
    """A pattern for any of *words*, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _later_weekdays(later: int) -> dict[str, str]:
    """The working day so much later for each, however it is written."""
    count = len(_WEEKDAYS)
    pairs = [(day, _WEEKDAYS[(place + later) % count]) for place, day in enumerate(_WEEKDAYS)]
    pairs += [(day[:3], other[:3]) for day, other in pairs]
    ways: tuple[Callable[[str], str], ...] = (str, str.lower, str.upper)
    return {way(day): way(other) for day, other in pairs for way in ways}
