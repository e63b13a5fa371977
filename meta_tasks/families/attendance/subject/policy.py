"""The rules for counting punches, by level and department, and the tallies that result."""

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
    """Flexible hours: minutes after ``starts`` within which an arrival is not late."""
    least: int = 9 * 60
    """Flexible hours: minutes to work per day, without lunch."""
    lunch: int = 60
    overtime_from: int = 18 * 60 + 30
    block: int = 30
    """The minutes of a block; overtime counts in full blocks."""
    opens: int = 6 * 60
    closes: int = 24 * 60 - 1
    """Punches before ``opens`` and after ``closes`` are ignored."""

    @property
    def late_after(self) -> int:
        """The last minute of the day at which an arrival is not late."""
        return self.starts + (self.window if self.flexible else self.grace_late)

    def earliest_departure(self, arrives: int) -> int:
        """The end of the working day after an arrival at *arrives*, without grace."""
        if not self.flexible:
            return self.ends
        return max(self.ends, arrives + self.least + self.lunch)


@dataclass(frozen=True)
class DepartmentPolicy:
    """A department's rules, head-count, and share of remote days."""

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
    """The policies of all departments; *draws* choose those with flexible hours at level 5."""
    flexible = draws.sample(DEPARTMENTS, FLEXIBLE_AT_L5) if level is PolicyLevel.L5 else ()
    usual, special = DepartmentPolicy(_RULES[level]), DepartmentPolicy(_FLEXIBLE, 12, 0.30)
    return {name: special if name in flexible else usual for name in DEPARTMENTS}


# tallies ------------------------------------------------------------------------------------


class WorkedDay(NamedTuple):
    """First arrival and last departure of a day, from valid punches only.

    Times are minutes of the day, None without such a punch. *remote* is whether any punch has the
    tag ``remote``.
    """

    arrives: int | None
    leaves: int | None
    remote: bool


class Tally(NamedTuple):
    """The counts of one day or of several days."""

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
        """The counts without those of *other*."""
        return Tally(*(own - its for own, its in zip(self, other, strict=True)))


_ABSENT = Tally(absent_days=1)


def tally_day(rules: AttendanceRules, day: WorkedDay | None) -> Tally:
    """The tally of a workday; None is a day without any punch."""
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
    """The sum of all *tallies*."""
    return Tally(*map(sum, zip(Tally(), *tallies, strict=True)))


@dataclass(frozen=True)
class Employee:
    """An entry of the roster, with its fields."""

    employee_id: str
    name: str
    department: str
    employment_type: str = "full_time"
    active: bool = True


ClosureDays = Mapping[str, Sequence[int]]
"""The positions of the closure days in a sheet, by department."""


class AttendanceSheet:
    """The tallies of *employees* on *days*, before closure days are left out.

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
        """Each employee's tally, without the closure days of their department."""
        left = list(self._totals)
        for place, employee in enumerate(self.employees):
            for day in closed.get(employee.department, ()):
                left[place] = left[place].minus(self._tallies[place][day])
        return left
