"""The rules by which punches are counted, by level and department, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import NamedTuple

from trainee_bench.meta_tasks.families.attendance.subject.query import DEPARTMENTS, PolicyLevel

FLEXIBLE_AT_L5 = 3
"""Departments with flexible hours at level 5; they are larger and more often remote."""


@dataclass(frozen=True)
class AttendanceRules:
    """How one department's punches are counted. Times are minutes of the day."""

    starts: int
    ends: int
    flexible: bool
    grace_late: int
    grace_early: int
    missing_is_absent: bool = True
    window: int = 30
    """Flexible hours: how long after ``starts`` one may come."""
    least: int = 9 * 60
    """Flexible hours: minutes to be worked a day, lunch not counted."""
    lunch: int = 60
    overtime_from: int = 18 * 60 + 30
    block: int = 30
    """Overtime counts in full blocks of so many minutes."""
    opens: int = 6 * 60
    closes: int = 24 * 60 - 1
    """Punches before the one and after the other are ignored."""

    @property
    def late_after(self) -> int:
        """Who comes later than this is late."""
        return self.starts + (self.window if self.flexible else self.grace_late)

    def earliest_departure(self, arrives: int) -> int:
        """Until when who comes at *arrives* has to stay."""
        if not self.flexible:
            return self.ends
        return max(self.ends, arrives + self.least + self.lunch)


@dataclass(frozen=True)
class DepartmentPolicy:
    """A department: its rules, its head-count, and how often its people work remotely."""

    rules: AttendanceRules
    heads: int = 10
    remote: float = 0.20


_FIXED = AttendanceRules(9 * 60, 18 * 60, False, 5, 5, True)
_FLEXIBLE = AttendanceRules(10 * 60, 20 * 60, True, 0, 0, True)
_RULES: Mapping[PolicyLevel, AttendanceRules] = {
    PolicyLevel.L1: AttendanceRules(9 * 60, 18 * 60, False, 10, 10, False),
    PolicyLevel.L2: AttendanceRules(9 * 60 + 30, 18 * 60 + 30, False, 5, 5, True),
    PolicyLevel.L3: _FIXED,
    PolicyLevel.L4: _FLEXIBLE,
    PolicyLevel.L5: _FIXED,
}


def department_policies(level: PolicyLevel, draws: Random) -> Mapping[str, DepartmentPolicy]:
    """The departments at *level*; *draws* choose those with flexible hours at level 5."""
    flexible = draws.sample(DEPARTMENTS, FLEXIBLE_AT_L5) if level is PolicyLevel.L5 else ()
    usual, other = DepartmentPolicy(_RULES[level]), DepartmentPolicy(_FLEXIBLE, 12, 0.30)
    return {name: other if name in flexible else usual for name in DEPARTMENTS}


# what punches come to -----------------------------------------------------------------------


class WorkedDay(NamedTuple):
    """First arrival and last departure of a day within the hours that count (minutes of the
    day, None without such a punch), and whether any punch has the tag ``remote``."""

    arrives: int | None
    leaves: int | None
    remote: bool


class Tally(NamedTuple):
    """What is counted: of a day, or added up."""

    late_days: int = 0
    late_minutes: int = 0
    early_days: int = 0
    early_minutes: int = 0
    absent_days: int = 0
    present_days: int = 0
    overtime_minutes: int = 0
    remote_days: int = 0
    presence_minutes: int = 0

    @property
    def is_perfect(self) -> bool:
        """Whether there is no late, early or absent day."""
        return not (self.late_days or self.early_days or self.absent_days)

    def minus(self, other: Tally) -> Tally:
        """What is left without *other*."""
        return Tally(*(own - its for own, its in zip(self, other, strict=True)))


_ABSENT = Tally(absent_days=1)


def tally_day(rules: AttendanceRules, day: WorkedDay | None) -> Tally:
    """What a workday comes to; None is a day without any punch."""
    if day is None:
        return _ABSENT
    arrives, leaves, remote = day
    punches = (arrives is not None) + (leaves is not None)
    if punches < (2 if rules.missing_is_absent else 1):
        return _ABSENT
    late = early = overtime = presence = 0
    if arrives is not None and arrives > rules.late_after:
        late = arrives - rules.starts
    if arrives is not None and leaves is not None:
        presence = leaves - arrives
    if leaves is not None:
        over = leaves - max(rules.ends, rules.overtime_from)
        overtime = max(0, over) // rules.block * rules.block
        if not rules.flexible:
            early = rules.ends - leaves if leaves < rules.ends - rules.grace_early else 0
        elif arrives is not None:
            early = max(0, rules.least - (presence - rules.lunch))
    return Tally(late > 0, late, early > 0, early, 0, 1, overtime, remote, presence)


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """All of them added up."""
    return Tally(*map(sum, zip(Tally(), *tallies, strict=True)))


@dataclass(frozen=True)
class Employee:
    """Somebody on the roster, with the fields that it has."""

    employee_id: str
    name: str
    department: str
    employment_type: str = "full_time"
    active: bool = True


ClosureDays = Mapping[str, Sequence[int]]
"""For each department that was closed the positions of those days in a sheet."""


class AttendanceSheet:
    """What counts for each of *employees* on each of *days*, before any day is left out.

    *entries* has a row for each employee, with a WorkedDay or None for each day.
    """

    def __init__(
        self,
        employees: Sequence[Employee],
        days: Sequence[date],
        entries: Sequence[Sequence[WorkedDay | None]],
        rules: Mapping[str, AttendanceRules],
    ):
        self.employees, self.days = tuple(employees), tuple(days)
        self._tallies = [
            [tally_day(rules[employee.department], day) for day in row]
            for employee, row in zip(employees, entries, strict=True)
        ]
        self._totals = [sum_tallies(row) for row in self._tallies]

    def totals(self, closed: ClosureDays) -> list[Tally]:
        """Each employee's month, without the days on which their department was closed."""
        left = list(self._totals)
        for place, employee in enumerate(self.employees):
            for day in closed.get(employee.department, ()):
                left[place] = left[place].minus(self._tallies[place][day])
        return left
