"""What happens in a night to what an agent remembers, where its memory is wiped or poisoned.

    memory, notes ──MemoryMode──► memory and notes of the next morning

Its memory is text that the run keeps. Its notes are files of the world, which changes them itself,
between two days, as an action of its own; so the night is in the log and is repeated from there.

    Falsification.drawn(company, draws) ──text(said)──► another text

A falsification holds for a whole week, and in every text: the same number, day, hour or person
always becomes the same other one, so that notes do not contradict each other. It can be made anew
each night, and what was true does not come back within a week. Words that stand for nothing of this
kind, ids, paths and the addresses of others stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Self

from trainee_bench.harness.records.plan import EpisodeSpec, MemoryMode
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.company.people import Company
from trainee_bench.world.notes import ALTER_NOTES, alter_notes, read_all_notes
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.week import NEXT_DAY
from trainee_bench.world.world import World


def memory_after_night(memory: str, spec: EpisodeSpec, composition: ComposedDay) -> str:
    """What is left of the *memory* of the agent of *spec* after a night."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.WIPED:
        return ""
    if mode is MemoryMode.POISONED:
        return _falsification(spec, composition).text(memory)
    return memory


async def alter_notes_at_night(world: World, spec: EpisodeSpec, composition: ComposedDay) -> None:
    """Let *world* wipe or falsify the notes, if that is the lot of the agent of *spec*."""
    changes = _changes(spec, composition, await world.read(read_all_notes))
    if changes:
        await alter_notes(world, changes)


async def night_flaws(
    spec: EpisodeSpec, composition: ComposedDay, log: Sequence[LogEntry]
) -> list[str]:
    """How the nights in *log*, which repeats, contradict what *spec* lets happen to the notes."""
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
            done, due = place, _changes(spec, composition, await world.read(read_all_notes))
            if entry.tool == ALTER_NOTES and entry.arguments != due:
                flaws.append(f"action {entry.seq} changes the notes otherwise than {mode} ones are")
            if entry.tool == NEXT_DAY and due and not altered:
                flaws.append(f"the notes were not {mode} in the night before action {entry.seq}")
            altered = entry.tool == ALTER_NOTES
    return flaws


def _changes(
    spec: EpisodeSpec, composition: ComposedDay, notes: Mapping[str, str | None]
) -> dict[str, str | None]:
    """What becomes of *notes* in a night, by path; files that are no text (None) cannot be
    falsified and are removed."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.POISONED:
        falsified = _falsification(spec, composition)
        return {path: said and falsified.text(said) for path, said in notes.items()}
    return dict.fromkeys(notes) if mode is MemoryMode.WIPED else {}


def _falsification(spec: EpisodeSpec, composition: ComposedDay) -> Falsification:
    """That of an attempt at a day or week; it does not depend on the agent."""
    names = (spec.scenario.name, spec.scenario.stream_seed, spec.day, spec.attempt)
    return Falsification.drawn(composition.company, random_stream("poisoned", *names))


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
