"""The context in which a family makes its scene: streams, people, and the shared calendar.

Several tasks share a day or a week. Things that must be unique in it (files, rooms, hours, clue
holders) come from its reservations. Tasks reserve in canonical order, so the order in which a
scenario lists them does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Self, TypeVar, cast

from trainee_bench.world.company.people import Company, Person
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.transaction import WorkingDay

Drawn = TypeVar("Drawn")
_SCENARIO = 2
"""The number of first parts of the key that all tasks of a scenario share."""


class Modality(StrEnum):
    """How drawings are shown: as pictures to look at, or as tables in their place."""

    PICTURES = "pictures"
    TABLES = "tables"


class OutputType(StrEnum):
    """The kinds of result that one task can hand on to another."""

    PERSON = "person"
    """The id of a colleague that the result names."""
    AMOUNT = "amount"
    """A sum of money that the result states, in cents."""


@dataclass(frozen=True)
class TaskOutput:
    """The result of a task as the input of another: the file that states it and where in it. Only
    the value for the other task's input type is set. ``settles`` is when it changes for the last
    time; None if it never changes once it is there."""

    task: str
    path: str
    words: str
    person: str = ""
    cents: int = 0
    settles: datetime | None = None


class CompositionError(Exception):
    """The tasks of a day do not go together. The message names the tasks and what they both
    need."""


class TaskNotComposed(CompositionError):
    """One task cannot be composed after those before it: its ``rule``, and its ``name`` in the
    scenario if it has one."""

    rule: str = ""
    name: str = ""


@dataclass
class DayReservations:
    """The things that the tasks of one day or week share and must not take twice."""

    files: dict[str, str] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    busy: list[tuple[datetime, datetime, str]] = field(default_factory=list)
    rooms: list[tuple[str, datetime, datetime]] = field(default_factory=list)
    needed: dict[str, tuple[WorkingDay, ...]] = field(default_factory=dict)
    """The days on which colleagues (by id) have something to tell or hear for a task, where tasks
    may be alike."""
    answers: dict[str, tuple[tuple[str, datetime], ...]] = field(default_factory=dict)
    """The tasks for which colleagues have to answer by a certain time of a day."""
    late: dict[str, tuple[tuple[str, datetime, datetime], ...]] = field(default_factory=dict)
    """The tasks because of which colleagues answer late, with the beginning and end of that."""

    def copy(self) -> Self:
        """Return a copy of the reservations, to which others can be added."""
        return type(self)(
            dict(self.files),
            dict(self.claims),
            list(self.busy),
            list(self.rooms),
            dict(self.needed),
            dict(self.answers),
            dict(self.late),
        )

    def reset(self, to: Self) -> None:
        """Restore the reservations to those of *to*, a former copy of them."""
        vars(self).update(vars(to.copy()))


class ChangesFrom(StrEnum):
    """The time from which a task's changes are counted: its arrival or its deadline."""

    ARRIVAL = "arrival"
    DEADLINE = "deadline"


@dataclass(frozen=True)
class TaskContext:
    """The context of one task on one day.

    ``task`` is the id that the agent sees ("T1"); ``key`` names the task's random streams. ``day``
    is the day on which it is published, ``world_days`` are all days of its world, and ``week`` is
    those of its calendar week (empty if the world has one day). ``deadline`` is the earlier one if
    it moves during the day. ``published`` is the earliest moment at which the task comes; None for
    the day's start. ``task_input`` is the result of another task that it takes, if any.
    ``changes_from`` is the time from which complications count their changes. ``rooms`` are the
    company's meeting rooms with their seats; ``company_pages`` says whether the drive has the
    built-in pages about the company. With ``copies`` any rule may come any number of times.

    ``secret_seed_offsets`` change the secret streams of some clues (default 0), for the paired
    worlds of a certificate. Contexts that differ only in these numbers share ``open_draws``: see
    `drawn_once`. All contexts of a world, also those of its draft, share ``world_draws``: see
    `drawn_alike`.
    """

    task: str
    key: tuple[str | int, ...]
    company: Company
    day: WorkingDay
    deadline: datetime
    reservations: DayReservations
    modality: Modality = Modality.PICTURES
    task_input: TaskOutput | None = None
    secret_seed_offsets: Mapping[str, int] = field(default_factory=dict)
    published: datetime | None = None
    open_draws: dict[str, object] = field(default_factory=dict, compare=False)
    world_draws: dict[Hashable, object] = field(default_factory=dict, compare=False)
    week: tuple[WorkingDay, ...] = ()
    world_days: tuple[WorkingDay, ...] = ()
    changes_from: ChangesFrom = ChangesFrom.DEADLINE
    rooms: Mapping[str, int] = field(default_factory=lambda: ROOMS)
    company_pages: bool = True
    copies: bool = False

    @property
    def arrives(self) -> datetime:
        """The earliest moment at which the task is published. No appointment may be earlier."""
        return self.published or self.day.starts

    @property
    def employee(self) -> Person:
        """The person whose day it is."""
        return self.company.trainee

    def stream(self, purpose: str) -> Random:
        """Return a random stream of this task, for things that need not be hidden."""
        return random_stream(*self.key, "open", purpose)

    def office_stream(self, purpose: str) -> Random:
        """Return a random stream that all tasks of the scenario share, for things that do not
        depend on the task, such as a page. It is open, as `stream` is."""
        return random_stream(*self.key[:_SCENARIO], "office", purpose)

    def secret_stream(self, clue: str) -> Random:
        """Return the stream of one clue. Everything secret in the clue is drawn from here alone,
        and nothing that can be seen before the clue is told may be drawn from here. The clue may
        also tell open things (the name of the file that it is about)."""
        return random_stream(*self.key, "clue", clue, self.secret_seed_offsets.get(clue, 0))

    def drawn_once(self, name: str, draw: Callable[[], Drawn]) -> Drawn:
        """Return what *draw* makes from open streams alone. It is drawn when first needed, and
        stays the same object when this task is drawn again with other secrets. Nobody may change
        it."""
        if name not in self.open_draws:
            self.open_draws[name] = draw()
        return cast(Drawn, self.open_draws[name])

    def drawn_alike(self, name: str, by: Hashable, draw: Callable[[], Drawn]) -> Drawn:
        """Return what *draw* makes from the task's open streams, its day, the company and *by*
        alone. It neither reserves anything nor depends on what other tasks have taken. It is drawn
        only once for the draft of a world and the world. Nobody may change it."""
        key = (self.key, name, by)
        if key not in self.world_draws:
            self.world_draws[key] = draw()
        return cast(Drawn, self.world_draws[key])

    def clue_id(self, name: str) -> str:
        """Return the id, unique on the day, of this task's clue or expectation *name*."""
        return f"{self.task}/{name}"

    def pick(self, purpose: str, people: Sequence[Person], count: int = 1) -> tuple[Person, ...]:
        """Return *count* different people of *people*, drawn from the open stream *purpose*.

        Raises CompositionError if there are too few.
        """
        if len(people) < count:
            raise CompositionError(f"{self.task} needs {count} people, but there are {len(people)}")
        return tuple(self.stream(purpose).sample(list(people), count))

    def claim(self, what: str) -> None:
        """Take something that a day has only once. Raises CompositionError if it is taken."""
        owner = self.reservations.claims.setdefault(what, self.task)
        if owner != self.task:
            allowed = "" if self.copies else ", or let the scenario have copies"
            raise CompositionError(
                f"{owner} and {self.task} both need {what}; put them on different days{allowed}"
            )

    def claim_if_free(self, what: str) -> bool:
        """Take something that a day has only once, if no other task has it. Return whether it is
        ours."""
        return self.reservations.claims.setdefault(what, self.task) == self.task

    def prefer_unclaimed(self, people: Sequence[Person], role: str) -> Sequence[Person]:
        """Return those of *people* who do not have this *role* on the day yet; all of them if
        everybody has it. `claim_role` gives somebody the role."""
        claims = self.reservations.claims
        return [person for person in people if _role_claim(role, person) not in claims] or people

    def claim_role(self, person: Person, role: str) -> None:
        """Let other tasks of the day prefer somebody else in this *role*."""
        self.reservations.claims.setdefault(_role_claim(role, person), self.task)

    def fresh_id(self, prefix: str, purpose: str = "") -> str:
        """Return an id like "INV-482913" that no other task of the day has got from here.

        It is drawn openly, by *prefix* and *purpose*. An id that a clue tells is a secret, so draw
        that from ``secret_stream``.
        """
        draws = self.stream(f"id {prefix} {purpose}")
        while True:
            id = f"{prefix}-{draws.randrange(100_000, 1_000_000)}"
            if self.claim_if_free(f"the id {id}"):
                return id

    def reserve_path(self, path: str) -> str:
        """Return *path*, or the next free path ("report_2.json") if another task has it."""
        folder, slash, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".") if "." in name[1:] else (name, "", "")
        free, number = path, 1
        while self.reservations.files.setdefault(free, self.task) != self.task:
            number += 1
            free = f"{folder}{slash}{stem}_{number}{dot}{ending}"
        return free

    def share_path(self, path: str) -> str:
        """Return *path*, for a file that several tasks bring and none owns. `reserve_path` gives it
        to no task."""
        self.reservations.files.setdefault(path, "")
        return path

    def reserve_meeting_slot(
        self, starts: Sequence[datetime], minutes: int, rooms: Iterable[str] | None = None
    ) -> tuple[str, datetime, datetime]:
        """Reserve a room and an hour for the employee: the first of *starts* (in this order) in
        working hours at which no other task has taken either, with ten minutes to get there.

        Raises CompositionError if none is free.
        """
        margin = timedelta(minutes=10)
        for start in starts:
            end = start + timedelta(minutes=minutes)
            if not self._is_at_work(start, end):
                continue
            if any(start < e + margin and s - margin < end for s, e, _ in self.reservations.busy):
                continue
            for room in self.rooms if rooms is None else rooms:
                if any(r == room and start < e and s < end for r, s, e in self.reservations.rooms):
                    continue
                self.reservations.busy.append((start, end, self.task))
                self.reservations.rooms.append((room, start, end))
                return room, start, end
        raise CompositionError(
            f"{self.task} needs a working hour that other tasks of the day have not taken; "
            "fix other times, put them on different days, or let the days be longer"
        )

    def _is_at_work(self, start: datetime, end: datetime) -> bool:
        """Return whether a working day of the world has all of this time."""
        days = self.world_days or (self.day,)
        return any(day.starts <= start and end <= day.ends for day in days)


def _role_claim(role: str, person: Person) -> str:
    return f"{role} by {person.id}"
