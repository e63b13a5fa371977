"""Falsified notes: what they say of numbers, times, days and people is exchanged for something as
plausible.

The exchange depends on the text, the company and a random stream alone. Within a text the same
person and the same weekday always become the same other one, so that it does not contradict
itself. Words that stand for nothing of this kind, ids, paths and addresses stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from random import Random

from trainee_bench.world.company.people import Company

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_DAYS_OF_WEEK = 5
_FIRST_HOUR, _LAST_HOUR = 8, 18
_LEAST_CHANGE, _LARGEST_CHANGE = 0.1, 0.4
"""By what share a number becomes greater or less."""
_DATE = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d"
_NUMBER = r"(?<![\w./:@-])\d+(?:[.,]\d+)*(?![\w/:@-])"


def falsify(text: str, company: Company, draws: Random) -> str:
    """*text* with every number, clock time, date, weekday and name of a colleague exchanged."""
    names = _exchanged_names(company, draws)
    days = _exchanged_weekdays(draws)
    exchanges: Mapping[str, Callable[[str], str]] = {
        "name": names.__getitem__,
        "weekday": days.__getitem__,
        "date": lambda found: _other_date(found, draws),
        "clock": lambda found: _other_clock(found, draws),
        "number": lambda found: _other_number(found, draws),
    }
    pattern = re.compile(
        rf"(?P<name>(?<!\w)(?:{_either(names)})(?!\w))|(?P<weekday>\b(?:{_either(days)})\b)"
        rf"|(?P<date>(?<!\d){_DATE}(?!\d))|(?P<clock>(?<![\d:]){_CLOCK}(?!\d))|(?P<number>{_NUMBER})"
    )
    return pattern.sub(lambda found: exchanges[str(found.lastgroup)](found[0]), text)


def _either(words: Mapping[str, str]) -> str:
    """A pattern for any of *words*, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _exchanged_names(company: Company, draws: Random) -> dict[str, str]:
    """Somebody else for each colleague, by full name, address and handle."""
    people = list(company.people)
    draws.shuffle(people)
    return {
        getattr(one, by): getattr(other, by)
        for one, other in zip(people, people[1:] + people[:1], strict=True)
        for by in ("name", "email", "id")
    }


def _exchanged_weekdays(draws: Random) -> dict[str, str]:
    """Another working day for each, however it is written."""
    later = draws.randrange(1, _DAYS_OF_WEEK)
    pairs = [
        (day, _WEEKDAYS[(place + later) % _DAYS_OF_WEEK]) for place, day in enumerate(_WEEKDAYS)
    ]
    pairs += [(day[:3], other[:3]) for day, other in pairs]
    ways: tuple[Callable[[str], str], ...] = (str, str.lower, str.upper)
    return {way(day): way(other) for day, other in pairs for way in ways}


def _other_date(written: str, draws: Random) -> str:
    """Another working day of the same week; what is no date stays."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return written
    monday = day - timedelta(days=day.weekday())
    others = [monday + timedelta(days=n) for n in range(_DAYS_OF_WEEK) if n != day.weekday()]
    return draws.choice(others).isoformat()


def _other_clock(written: str, draws: Random) -> str:
    """The same minute of another hour of the working day."""
    hour, _, minute = written.partition(":")
    others = [n for n in range(_FIRST_HOUR, _LAST_HOUR + 1) if n != int(hour)]
    return f"{draws.choice(others):02}:{minute}"


def _other_number(written: str, draws: Random) -> str:
    """A number that is greater or less by a tenth to four tenths, written in the same way."""
    digits = re.sub(r"\D", "", written)
    value = int(digits)
    change = max(1, round(value * draws.uniform(_LEAST_CHANGE, _LARGEST_CHANGE)))
    less = draws.random() < 1 / 2 and len(str(value - change)) == len(str(value))
    other = str(value - change if less else value + change).zfill(len(digits))
    front, rest = other[: len(other) - len(digits)], iter(other[len(other) - len(digits) :])
    return front + re.sub(r"\d", lambda _: next(rest), written)
