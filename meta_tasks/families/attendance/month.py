"""A month of punches, drawn: who came and went when. What a type of question needs beyond
that is put right afterwards, see `arranging.py`."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from trainee_bench.meta_tasks.families.attendance.policy import AttendanceRules, DepartmentPolicy
from trainee_bench.meta_tasks.families.attendance.tally import Employee, WorkedDay
from trainee_bench.world.company.person_names import draw_names

_ABSENT, _LATE, _EARLY, _OVERTIME, _MISSING = 0.06, 0.25, 0.12, 0.35, 0.03
_APPROVED_AFTER = 5
"""Minutes by which an approved time is worse than the one that was not punched."""
_LONG = 3.0**0.5


def month_before(day: date, number: int = 1) -> date:
    """The first day of the month *number* months before that of *day*."""
    first = day.replace(day=1)
    for _ in range(number):
        first = (first - timedelta(days=1)).replace(day=1)
    return first


def workdays(first: date) -> tuple[date, ...]:
    """Mondays to Fridays of the month that begins with *first*."""
    count = calendar.monthrange(first.year, first.month)[1]
    days = (first + timedelta(days=number) for number in range(count))
    return tuple(day for day in days if day.weekday() < 5)


@dataclass(frozen=True)
class StaffMember:
    """Somebody on the roster, with how they are employed."""

    employee: Employee
    employment: str


@dataclass(frozen=True)
class AttendanceMonth:
    """Everybody's days: a row for each of *staff*, in it a Day or None for each of *days*.

    ``approved`` names the punch ("in" or "out") that was approved afterwards, by employee and
    day (positions).
    """

    teams: Mapping[str, DepartmentPolicy]
    staff: tuple[StaffMember, ...]
    days: tuple[date, ...]
    entries: list[list[WorkedDay | None]]
    approved: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def rules(self) -> Mapping[str, AttendanceRules]:
        """The rules of each department."""
        return {name: team.rules for name, team in self.teams.items()}

    def rules_of(self, place: int) -> AttendanceRules:
        """The rules for the employee at *place*."""
        return self.teams[self.staff[place].employee.department].rules

    def replace_day(self, place: int, day: int, entry: WorkedDay | None) -> None:
        """Let it be *entry* instead, nothing of it approved afterwards."""
        self.entries[place][day] = entry
        self.approved.pop((place, day), None)


def draw_staff(
    draws: Random, teams: Mapping[str, DepartmentPolicy], taken: Sequence[str]
) -> tuple[StaffMember, ...]:
    """The roster, department by department; no name is one of those *taken*."""
    departments = [name for name, team in teams.items() for _ in range(team.heads)]
    names = draw_names(draws, len(departments), taken=taken)
    kinds = draws.choices(
        ("full_time", "intern", "contract"), weights=(75, 15, 10), k=len(departments)
    )
    return tuple(
        StaffMember(Employee(f"E{1001 + number}", name, department), kind)
        for number, (name, department, kind) in enumerate(
            zip(names, departments, kinds, strict=True)
        )
    )


def draw_month(
    draws: Random,
    teams: Mapping[str, DepartmentPolicy],
    staff: tuple[StaffMember, ...],
    days: tuple[date, ...],
    makes_up: bool,
) -> AttendanceMonth:
    """Everybody's days as chance has them."""
    month = AttendanceMonth(teams, staff, days, [])
    for place, one in enumerate(staff):
        team = teams[one.employee.department]
        row: list[WorkedDay | None] = []
        for number in range(len(days)):
            entry = _draw_day(draws, team)
            missing = _draw_missing(draws) if entry else ""
            if entry and missing:
                entry = _without(entry, missing, makes_up)
                if makes_up:
                    month.approved[place, number] = missing
            row.append(entry)
        month.entries.append(row)
    return month


def draw_around_mean(draws: Random, mean: float, spread: float, least: int, most: int) -> int:
    """Whole minutes around *mean*, nearly normal, within bounds."""
    chance = draws.random
    drawn = mean + spread * _LONG * (chance() + chance() + chance() + chance() - 2)
    return min(most, max(least, round(drawn)))


def earliest_departure(rules: AttendanceRules, arrives: int) -> int:
    """Until when who comes at *arrives* has to stay."""
    return max(rules.ends, arrives + rules.least + rules.lunch) if rules.flexible else rules.ends


def _draw_day(draws: Random, team: DepartmentPolicy) -> WorkedDay | None:
    chance, rules = draws.random, team.rules
    if chance() < _ABSENT:
        return None
    if chance() < _LATE:
        mean, spread = (rules.window, 12) if rules.flexible else (10, 6)
        arrives = rules.starts + draw_around_mean(draws, mean, spread, 1, 120)
    else:
        arrives = rules.starts + draw_around_mean(draws, 0, 2, -5, 5)
    ends = earliest_departure(rules, arrives)
    if chance() < _EARLY:
        leaves = ends - draw_around_mean(draws, 10, 8, 1, 120)
    elif chance() < _OVERTIME:
        leaves = max(ends, rules.overtime_from) + draw_around_mean(draws, 60, 30, 30, 240)
    else:
        leaves = (
            ends + draw_around_mean(draws, 3, 3, 0, 10)
            if rules.flexible
            else ends + draw_around_mean(draws, 0, 3, -5, 10)
        )
    return WorkedDay(arrives, min(leaves, rules.closes), chance() < team.remote)


def _draw_missing(draws: Random) -> str:
    if draws.random() < _MISSING:
        return "in"
    return "out" if draws.random() < _MISSING else ""


def _without(day: WorkedDay, missing: str, makes_up: bool) -> WorkedDay:
    """The day without one punch; or with a time in its place that was approved afterwards."""
    arrives, leaves, remote = day
    assert arrives is not None
    assert leaves is not None
    if missing == "in":
        return WorkedDay(arrives + _APPROVED_AFTER if makes_up else None, leaves, remote)
    return WorkedDay(arrives, leaves - _APPROVED_AFTER if makes_up else None, remote)
