"""From punches to what counts: one day of one employee, and whole sheets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from trainee_bench.meta_tasks.families.attendance.policy import AttendanceRules

ClosureDays = Mapping[str, tuple[int, ...]]
"""For each department that was closed the positions of those days in a sheet."""


@dataclass(frozen=True)
class Employee:
    """Somebody on the roster."""

    id: str
    name: str
    department: str


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

    def minus(self, other: Tally) -> Tally:
        """What is left without *other*."""
        return Tally(*[own - its for own, its in zip(self, other, strict=True)])


ABSENT = Tally(absent_days=1)


def tally_day(rules: AttendanceRules, day: WorkedDay | None) -> Tally:
    """What a workday comes to; None is a day without any punch."""
    if day is None:
        return ABSENT
    arrives, leaves, remote = day
    if arrives is None and leaves is None:
        return ABSENT
    if rules.missing_is_absent and (arrives is None or leaves is None):
        return ABSENT
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


def sum_tallies(tallies: Sequence[Tally]) -> Tally:
    """All of them added up."""
    return Tally(*map(sum, zip(*tallies, strict=True))) if tallies else Tally()


class AttendanceSheet:
    """What counts for each of *employees* on each of *days*, before any day is left out.

    ``catalog_entries`` has a row for each employee with a Day or None for each day.
    """

    def __init__(
        self,
        employees: Sequence[Employee],
        days: Sequence[date],
        entries: Sequence[Sequence[WorkedDay | None]],
        rules: Mapping[str, AttendanceRules],
    ):
        self.employees = tuple(employees)
        self.days = tuple(days)
        self.tallies = [
            [tally_day(rules[employee.department], day) for day in row]
            for employee, row in zip(employees, entries, strict=True)
        ]
        self._totals = [sum_tallies(row) for row in self.tallies]

    def totals(self, closed: ClosureDays) -> list[Tally]:
        """Each employee's month, without the days on which their department was closed."""
        left = list(self._totals)
        for place, employee in enumerate(self.employees):
            for day in closed.get(employee.department, ()):
                left[place] = left[place].minus(self.tallies[place][day])
        return left
