"""A month of punches: drawn at random, then adjusted to the question.

After the adjustment, one day more or less changes the answer. For example, several people are close
to the most days, or some people are perfect and others nearly so. Random data rarely have this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import NamedTuple

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.attendance.deliverables import top_count
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceRules,
    DepartmentPolicy,
    Employee,
    Tally,
    WorkedDay,
    tally_day,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
)
from trainee_bench.world.company.person_names import draw_names

_ABSENT, _LATE, _EARLY, _OVERTIME, _MISSING = 0.06, 0.25, 0.12, 0.35, 0.03
_APPROVED_AFTER = 5
"""Minutes by which an approved time is worse than the one that was not punched."""
_LONG: float = 3.0**0.5
_BEFORE, _BEHIND = 3, 4
"""The number of ranks before and after the last one asked for that have equally many days."""
_RIVALS_REMOTE = 3
_FEW = 5
"""The number of people with a single day if the question is about the fewest days."""
_MANY = 8
"""The least number of days of the person who has the most."""
_NEARLY = {True: 14, False: 5}
"""The number of people with one flaw in the month: in the whole company, and in a department."""
_TIDY, _TIDY_BUT_ONE = 0.4, 0.6
"""For has_late_or_early: cumulative shares of fortnights with no flaw, and with one flawed day."""


@dataclass(frozen=True)
class AttendanceMonth:
    """All worked days: ``entries`` has a row per employee, with a WorkedDay or None per day.

    ``approved`` has the punch ("in" or "out") that was approved afterwards, by the positions of
    employee and day.
    """

    policies: Mapping[str, DepartmentPolicy]
    staff: tuple[Employee, ...]
    days: tuple[date, ...]
    entries: list[list[WorkedDay | None]]
    approved: dict[tuple[int, int], str] = field(default_factory=dict)

    def rules_of(self, place: int) -> AttendanceRules:
        """The rules for the employee at *place*."""
        return self.policies[self.staff[place].department].rules

    def tally(self, place: int, day: int) -> Tally:
        """The tally of one day of the employee at *place*."""
        return tally_day(self.rules_of(place), self.entries[place][day])

    def replace_day(self, place: int, day: int, entry: WorkedDay | None) -> None:
        """Replace the day by *entry*, without any approval."""
        self.entries[place][day] = entry
        self.approved.pop((place, day), None)


# the random month ---------------------------------------------------------------------------


def draw_staff(
    context: TaskContext, policies: Mapping[str, DepartmentPolicy]
) -> tuple[Employee, ...]:
    """Draw the roster, department by department, with names that do not occur in the company."""
    draws, people = context.stream("staff"), (*context.company.people, context.company.trainee)
    taken = [name for person in people for name in person.name.split()]
    departments = [name for name, policy in policies.items() for _ in range(policy.heads)]
    names = draw_names(draws, len(departments), taken=taken)
    kinds = draws.choices(
        ("full_time", "intern", "contract"), weights=(75, 15, 10), k=len(departments)
    )
    rows = enumerate(zip(names, departments, kinds, strict=True), start=1001)
    return tuple(Employee(f"E{number}", *row) for number, row in rows)


def draw_month(
    draws: Random,
    policies: Mapping[str, DepartmentPolicy],
    staff: tuple[Employee, ...],
    days: tuple[date, ...],
    level: PolicyLevel,
) -> AttendanceMonth:
    """Draw all days; at some levels, forgotten punches are approved afterwards."""
    month = AttendanceMonth(policies, staff, days, [])
    for place, employee in enumerate(staff):
        row: list[WorkedDay | None] = []
        for number in range(len(days)):
            day = _draw_day(draws, policies[employee.department])
            if day:
                day, forgotten = _forget(draws, day, level.allows_corrections)
                if forgotten and level.allows_corrections:
                    month.approved[place, number] = forgotten
            row.append(day)
        month.entries.append(row)
    return month


def _draw_day(draws: Random, policy: DepartmentPolicy) -> WorkedDay | None:
    chance, rules = draws.random, policy.rules
    if chance() < _ABSENT:
        return None
    if chance() < _LATE:
        mean, spread = (rules.window, 12) if rules.flexible else (10, 6)
        arrives = rules.starts + _around(draws, mean, spread, 1, 120)
    else:
        arrives = rules.starts + _around(draws, 0, 2, -5, 5)
    ends = rules.earliest_departure(arrives)
    if chance() < _EARLY:
        leaves = ends - _around(draws, 10, 8, 1, 120)
    elif chance() < _OVERTIME:
        leaves = max(ends, rules.overtime_from) + _around(draws, 60, 30, 30, 240)
    elif rules.flexible:
        leaves = ends + _around(draws, 3, 3, 0, 10)
    else:
        leaves = ends + _around(draws, 0, 3, -5, 10)
    return WorkedDay(arrives, min(leaves, rules.closes), chance() < policy.remote)


def _around(draws: Random, mean: float, spread: float, least: int, most: int) -> int:
    """Draw whole minutes from a nearly normal distribution, within bounds."""
    chance = draws.random
    drawn = mean + spread * _LONG * (chance() + chance() + chance() + chance() - 2)
    return min(most, max(least, round(drawn)))


def _forget(draws: Random, day: WorkedDay, approves: bool) -> tuple[WorkedDay, str]:
    """Draw a forgotten punch: "in", "out", or mostly "" for none.

    Return the day without that punch, or with its approved time, and the punch.
    """
    assert day.arrives is not None
    assert day.leaves is not None
    if draws.random() < _MISSING:
        return day._replace(arrives=day.arrives + _APPROVED_AFTER if approves else None), "in"
    if draws.random() < _MISSING:
        return day._replace(leaves=day.leaves - _APPROVED_AFTER if approves else None), "out"
    return day, ""


# the adjusted month -------------------------------------------------------------------------


def adjust_month(
    draws: Random,
    question: AttendanceQuery,
    month: AttendanceMonth,
    places: Sequence[int],
    days: Sequence[int],
) -> None:
    """Adjust *month* to *question* about the employees at *places* on *days*."""
    adjustment = _Adjustment(draws, month, places)
    match question.type:
        case AttendanceQueryType.HAS:
            adjustment.tidy(days)
        case AttendanceQueryType.PERFECT:
            adjustment.perfect(_NEARLY[question.scope is DepartmentScope.ALL])
        case AttendanceQueryType.REMOTE:
            kind = _DayKind("remote_days", adjustment.make_remote)
            adjustment.most(kind, range(_RIVALS_REMOTE))
        case AttendanceQueryType.EXTREME | AttendanceQueryType.TOP:
            kind = _DayKind("early_days", adjustment.make_early)
            if question.ranks_by is RankingMetric.LATE:
                kind = _DayKind("late_days", adjustment.make_late)
            if question.mode is not None and not question.mode.most:
                adjustment.fewest(kind)
            else:
                last = 1 if question.mode else top_count(len(places), question.percent)
                adjustment.most(kind, range(max(0, last - _BEFORE), last + _BEHIND))
        case _:
            pass


class _DayKind(NamedTuple):
    """The field of a tally that counts days of a kind, and a function that makes such a day."""

    field: str
    make: Callable[[int, int], None]


@dataclass(frozen=True)
class _Adjustment:
    """Changes to days of *month*, each named by the positions of an employee and a day."""

    draws: Random
    month: AttendanceMonth
    places: Sequence[int]

    # whole months

    def most(self, kind: _DayKind, ranks: range) -> None:
        """Give all people on *ranks* (from 0) as many such days as the best of them."""
        held = {place: self._days(place, kind.field) for place in self.places}
        rivals = sorted(self.places, key=lambda place: -len(held[place]))[ranks.start : ranks.stop]
        most = max(_MANY if ranks.start == 0 else 0, len(held[rivals[0]]))
        for place in rivals:
            present = self._days(place, "present_days")
            others = [number for number in present if number not in held[place]]
            for number in self.draws.sample(others, most - len(held[place])):
                kind.make(place, number)

    def fewest(self, kind: _DayKind) -> None:
        """Give everybody at least one such day, and several people exactly one."""
        held = {place: self._days(place, kind.field) for place in self.places}
        for place in sorted(self.places, key=lambda place: len(held[place]))[:_FEW]:
            self.draws.shuffle(held[place])
            for number in held[place][1:]:
                self.make_plain(place, number)
        for place in self.places:
            if not held[place]:
                kind.make(place, self.draws.randrange(len(self.month.days)))

    def perfect(self, nearly: int) -> None:
        """Make a few people flawless, and give *nearly* further people one flaw each."""
        without = self.draws.choice((0, 1, 1, 2))
        chosen = self.draws.sample(list(self.places), without + nearly)
        for place in chosen:
            for number in range(len(self.month.days)):
                if not self.month.tally(place, number).is_perfect:
                    self.make_plain(place, number)
        flaws = self.draws.sample(range(len(self.month.days)), nearly)
        for place, number in zip(chosen[without:], flaws, strict=True):
            self.draws.choice((self.make_late, self.make_early, self.make_absent))(place, number)

    def tidy(self, days: Sequence[int]) -> None:
        """Remove late and early days from all *days*, from all but one of them, or from none."""
        lot = self.draws.random()
        if lot >= _TIDY_BUT_ONE:
            return
        kept = self.draws.choice(days) if lot >= _TIDY else None
        for place in self.places:
            for number in days:
                tally = self.month.tally(place, number)
                if number != kept and (tally.late_days or tally.early_days):
                    self.make_plain(place, number)
        if kept is not None:
            self.make_late(self.draws.choice(self.places), kept)

    def _days(self, place: int, field: str) -> list[int]:
        """The days that *field* of a tally counts."""
        days = range(len(self.month.days))
        return [number for number in days if getattr(self.month.tally(place, number), field)]

    # single days

    def make_absent(self, place: int, number: int) -> None:
        self.month.replace_day(place, number, None)

    def make_plain(self, place: int, number: int) -> None:
        """Make the day present from start to end."""
        starts = self.month.rules_of(place).starts
        self._come_and_go(place, number, starts + self.draws.randint(-5, 4))

    def make_late(self, place: int, number: int) -> None:
        """Make the day late, and present until the end."""
        latest = self.month.rules_of(place).late_after
        self._come_and_go(place, number, latest + self.draws.randint(1, 25))

    def make_early(self, place: int, number: int) -> None:
        """Make the day present from the start, with an early departure."""
        rules = self.month.rules_of(place)
        early = self.draws.randint(1, 25) + (0 if rules.flexible else rules.grace_early)
        self._come_and_go(place, number, rules.starts + self.draws.randint(-5, 4), early)

    def make_remote(self, place: int, number: int) -> None:
        day = self.month.entries[place][number]
        if day is not None:
            self.month.entries[place][number] = day._replace(remote=True)

    def _come_and_go(self, place: int, number: int, arrives: int, early: int = 0) -> None:
        """Set the arrival and a departure that is *early* by so many minutes.

        Without *early*, the day's overtime stays.
        """
        before = self.month.entries[place][number]
        ends = self.month.rules_of(place).earliest_departure(arrives)
        leaves = ends - early if early else ends + self.draws.randint(0, 10)
        if not early and before and before.leaves is not None:
            leaves = max(leaves, before.leaves)
        remote = before is not None and before.remote
        self.month.replace_day(place, number, WorkedDay(arrives, leaves, remote))
