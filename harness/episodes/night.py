"""Changes of an agent's memory and notes in a night, if they are wiped or poisoned.

    memory, notes ──MemoryMode──► memory and notes of the next morning

The memory is text that the run keeps. The notes are files of the world. The world changes them
between two days by a logged action, so a replay repeats the night from the log.

    Falsification.drawn(company, draws) ──text(original)──► falsified text

A falsification holds for all days of a world and for every text. The same number, day, hour or
person always gets the same replacement, so notes do not contradict each other. All other words,
ids, paths and the addresses of outsiders stay the same.

Up to five days, it is applied again each night, which never restores the true values. Over more
nights it would: there are only five weekdays. So in longer worlds it is applied once to each fact.
What a night has left stays as it is, and only new values are replaced (`LeftTexts`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, partial
from random import Random
from typing import Self

from trainee_bench.harness.episodes.left_texts import LeftTexts
from trainee_bench.harness.records.plan import EpisodeSpec, MemoryMode
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.company.people import Company
from trainee_bench.world.notes import ALTER_NOTES, alter_notes, read_all_notes
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.week import NEXT_DAY
from trainee_bench.world.world import World


def memory_after_night(
    memory: str, spec: EpisodeSpec, composition: ComposedDay, left: str = ""
) -> str:
    """Return what is left of the *memory* of the agent of *spec* after a night. *left* is what the
    night before has left of it."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.WIPED:
        return ""
    if mode is MemoryMode.POISONED:
        return _falsifier(spec, composition, [left])(memory)
    return memory


async def alter_notes_at_night(world: World, spec: EpisodeSpec, composition: ComposedDay) -> None:
    """Let *world* wipe or falsify the notes, if the memory mode of *spec* says so."""
    notes = await world.read(read_all_notes)
    changes = _changes(spec, composition, notes, _left_texts(await world.log()))
    if changes:
        await alter_notes(world, changes)


async def night_flaws(
    spec: EpisodeSpec, composition: ComposedDay, log: Sequence[LogEntry]
) -> list[str]:
    """Return how the nights in *log*, which repeats, contradict the memory mode of *spec*."""
    mode = spec.agent_config.memory
    if not mode.alters_notes:
        flaw = f"alters notes at night, but the memory of {spec.agent} is {mode}"
        return [f"action {entry.seq} {flaw}" for entry in log if entry.tool == ALTER_NOTES]
    flaws, done, altered = list[str](), 0, False
    async with await World.create_inline(composition.world_config(), composition.populate) as world:
        for place, entry in enumerate(log):
            if entry.tool not in (ALTER_NOTES, NEXT_DAY):
                continue
            await replay_log(world, log[done:place])
            notes, left = await world.read(read_all_notes), _left_texts(log[:place])
            done, due = place, _changes(spec, composition, notes, left)
            if entry.tool == ALTER_NOTES and entry.arguments != due:
                flaws.append(
                    f"action {entry.seq} changes the notes differently from a {mode} memory"
                )
            if entry.tool == NEXT_DAY and due and not altered:
                flaws.append(f"the notes were not {mode} in the night before action {entry.seq}")
            altered = entry.tool == ALTER_NOTES
    return flaws


def _left_texts(log: Sequence[LogEntry]) -> list[str]:
    """Return the texts of the notes as the last night in *log* has left them."""
    entry = next((entry for entry in reversed(log) if entry.tool == ALTER_NOTES), None)
    return [] if entry is None else [str(text) for text in entry.arguments.values() if text]


def _changes(
    spec: EpisodeSpec,
    composition: ComposedDay,
    notes: Mapping[str, str | None],
    left: Sequence[str],
) -> dict[str, str | None]:
    """Return the new text of each of the *notes* after a night, by path. *left* are the texts that
    the night before has left.

    Files that are not text (None) cannot be falsified and are removed.
    """
    mode = spec.agent_config.memory
    if mode is MemoryMode.POISONED:
        falsified = _falsifier(spec, composition, left)
        return {path: text and falsified(text) for path, text in notes.items()}
    return dict.fromkeys(notes) if mode is MemoryMode.WIPED else {}


def _falsifier(
    spec: EpisodeSpec, composition: ComposedDay, left: Sequence[str]
) -> Callable[[str], str]:
    """Return what a night does to a text, if the night before has *left* these texts."""
    falsification = _falsification(spec, composition)
    if falsification.first_day is None:
        return falsification.text
    return partial(LeftTexts.of(left, falsification.pattern).new_values_replaced, falsification)


def _falsification(spec: EpisodeSpec, composition: ComposedDay) -> Falsification:
    """Return the falsification for an attempt at a day or week; it does not depend on the agent."""
    names = (spec.scenario.name, spec.scenario.stream_seed, spec.day, spec.attempt)
    draws = random_stream("poisoned", *names)
    drawn = Falsification.drawn(composition.company, draws)
    if len(composition.days) <= len(_WEEKDAYS):
        return drawn
    return replace(drawn, first_day=composition.day.starts.date())


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_WORKING_HOURS = range(8, 19)
"""The number of working hours is a prime, as that of weekdays: no shift repeats within a week."""
_LEAST_SHIFT, _LARGEST_SHIFT = 0.15, 0.24
"""Bounds of the shift of numbers, as a share of all numbers with as many digits.

A number is shifted up or down and wraps around. The share is less than a quarter, so that four
nights do not restore it.
"""
_DATE = r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DAY_OF_MONTH = rf"(?<!\d)\d{{1,2}} (?:{'|'.join(_MONTHS)})\b"
_CLOCK = r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)"
_Date = date
_NUMBER = r"(?<![\w./:@-])\d+(?:[.,]\d+)*(?![\w/:@-])"


@dataclass(frozen=True)
class Falsification:
    """The replacements of one falsification.

    ``names`` (full names, handles, addresses) and ``weekdays`` are replaced as they are written.
    Days move by ``later_days`` and hours by ``later_hours``. Numbers move by ``shift``, a share of
    all numbers with as many digits. With a ``first_day``, "15 October" is the date nearest to it,
    and not a number.
    """

    names: Mapping[str, str]
    weekdays: Mapping[str, str]
    later_days: int
    later_hours: int
    shift: float
    first_day: _Date | None = None

    @classmethod
    def drawn(cls, company: Company, draws: Random) -> Self:
        """Draw a falsification for the people of *company*."""
        later = draws.randrange(1, len(_WEEKDAYS))
        hours = draws.randrange(1, len(_WORKING_HOURS))
        people = list(company.people)
        draws.shuffle(people)
        names = {
            getattr(person, by): getattr(replacement, by)
            for person, replacement in zip(people, people[1:] + people[:1], strict=True)
            for by in ("name", "email", "id")
        }
        shift = draws.uniform(_LEAST_SHIFT, _LARGEST_SHIFT) * draws.choice((1, -1))
        return cls(names, _later_weekdays(later), later, hours, shift)

    def text(self, text: str) -> str:
        """Return *text* with every number, clock time, date, weekday and name of a colleague
        replaced."""
        return self.pattern.sub(self.replacement, text)

    def replacement(self, found: re.Match[str]) -> str:
        """Return the replacement of a value that the pattern has *found*."""
        exchanges: Mapping[str, Callable[[str], str]] = {
            "name": self.names.__getitem__,
            "weekday": self.weekdays.__getitem__,
            "date": self.date,
            "day": self.day_of_month,
            "clock": self.clock,
            "number": self.number,
        }
        return exchanges[str(found.lastgroup)](found[0])

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of all values that are replaced."""
        names, weekdays = _either(self.names), _either(self.weekdays)
        day = "" if self.first_day is None else rf"|(?P<day>{_DAY_OF_MONTH})"
        return re.compile(
            rf"(?P<name>(?<!\w)(?:{names})(?!\w))|(?P<weekday>\b(?:{weekdays})\b)"
            rf"|(?P<date>{_DATE}){day}|(?P<clock>{_CLOCK})|(?P<number>{_NUMBER})"
        )

    def date(self, written: str) -> str:
        """Return another working day of the same week; other days stay."""
        try:
            day = date.fromisoformat(written)
        except ValueError:
            return written
        if day.weekday() >= len(_WEEKDAYS):
            return written
        weekday = (day.weekday() + self.later_days) % len(_WEEKDAYS)
        return (day + timedelta(days=weekday - day.weekday())).isoformat()

    def day_of_month(self, written: str) -> str:
        """Return another working day of the same week, as in "15 October"; other days stay."""
        day = None if self.first_day is None else _nearest(written, self.first_day)
        if day is None:
            return written
        moved = date.fromisoformat(self.date(day.isoformat()))
        return f"{moved.day} {_MONTHS[moved.month - 1]}"

    def clock(self, written: str) -> str:
        """Return the same minute of another hour of the working day."""
        hour, _, minute = written.partition(":")
        place = int(hour) - _WORKING_HOURS.start + self.later_hours
        return f"{_WORKING_HOURS[place % len(_WORKING_HOURS)]:02}:{minute}"

    def number(self, written: str) -> str:
        """Return a different number with as many digits, written in the same way."""
        digits = re.sub(r"\D", "", written)
        lowest = 0 if digits.startswith("0") or len(digits) == 1 else 10 ** (len(digits) - 1)
        count = 10 ** len(digits) - lowest
        shifted = lowest + (int(digits) - lowest + round(self.shift * count)) % count
        left = iter(str(shifted).zfill(len(digits)))
        return re.sub(r"\d", lambda _: next(left), written)


def _nearest(written: str, to: date) -> date | None:
    """Return the date, written as in "15 October", that is nearest *to* this one, of whatever year;
    None if there is no such day."""
    number, month = written.split()
    found = list[date]()
    for year in range(to.year - 1, to.year + 2):
        with suppress(ValueError):
            found.append(date(year, _MONTHS.index(month) + 1, int(number)))
    return min(found, key=lambda day: abs((day - to).days), default=None)


def _either(words: Mapping[str, str]) -> str:
    """Return a pattern for any of *words*, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _later_weekdays(later: int) -> dict[str, str]:
    """Return the working day this much later for each weekday, in every spelling."""
    count = len(_WEEKDAYS)
    pairs = [(day, _WEEKDAYS[(place + later) % count]) for place, day in enumerate(_WEEKDAYS)]
    pairs += [(day[:3], other[:3]) for day, other in pairs]
    ways: tuple[Callable[[str], str], ...] = (str, str.lower, str.upper)
    return {way(day): way(other) for day, other in pairs for way in ways}
