"""Falsified notes: what they say of numbers, times, days and people is exchanged for something as
plausible.

    Exchange.drawn(company, draws) ──falsify(text, exchange, draws)──► another text

An exchange holds for a whole week: in every text a person and a weekday always become the same
other ones, so that notes do not contradict each other. It can be made anew each night, and what was
true does not come back within a week. Words that stand for nothing of this kind, ids, paths and the
addresses of others stay as they are.
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
_LEAST_RISE, _LARGEST_RISE = 0.1, 0.4
"""By what share a number becomes greater: if it could become less, too, it could come back."""
_DATE = r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"
_CLOCK = r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)"
_NUMBER = r"(?<![\w./:@-])\d+(?:[.,]\d+)*(?![\w/:@-])"


@dataclass(frozen=True)
class Exchange:
    """What is exchanged for what: names (full names, handles, addresses) and weekdays as they are
    written, days for those ``later_days`` later, hours for those ``later_hours`` later."""

    names: Mapping[str, str]
    weekdays: Mapping[str, str]
    later_days: int
    later_hours: int

    @classmethod
    def drawn(cls, company: Company, draws: Random) -> Self:
        """An exchange for the people of *company*."""
        later = draws.randrange(1, len(_WEEKDAYS))
        hours = draws.randrange(1, len(_WORKING_HOURS))
        people = list(company.people)
        draws.shuffle(people)
        names = {
            getattr(one, by): getattr(other, by)
            for one, other in zip(people, people[1:] + people[:1], strict=True)
            for by in ("name", "email", "id")
        }
        return cls(names, _later_weekdays(later), later, hours)

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


def falsify(text: str, exchange: Exchange, draws: Random) -> str:
    """*text* with every number, clock time, date, weekday and name of a colleague exchanged."""
    exchanges: Mapping[str, Callable[[str], str]] = {
        "name": exchange.names.__getitem__,
        "weekday": exchange.weekdays.__getitem__,
        "date": exchange.date,
        "clock": exchange.clock,
        "number": lambda written: _greater_number(written, draws),
    }
    names, weekdays = _either(exchange.names), _either(exchange.weekdays)
    pattern = re.compile(
        rf"(?P<name>(?<!\w)(?:{names})(?!\w))|(?P<weekday>\b(?:{weekdays})\b)|(?P<date>{_DATE})"
        rf"|(?P<clock>{_CLOCK})|(?P<number>{_NUMBER})"
    )
    return pattern.sub(lambda found: exchanges[str(found.lastgroup)](found[0]), text)


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


def _greater_number(written: str, draws: Random) -> str:
    """A number that is greater by a tenth to four tenths, at least by 1 in its last digit, written
    in the same way."""
    digits = re.sub(r"\D", "", written)
    value = int(digits)
    rise = max(1, round(value * draws.uniform(_LEAST_RISE, _LARGEST_RISE)))
    other = str(value + rise).zfill(len(digits))
    front, rest = other[: len(other) - len(digits)], iter(other[len(other) - len(digits) :])
    return front + re.sub(r"\d", lambda _: next(rest), written)
