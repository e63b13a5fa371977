"""An instance: a month of punches whose closure days matter to what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from trainee_bench.meta_tasks.families.attendance.closures import (
    MAX_CLOSURE_SETS,
    possible_closures,
)
from trainee_bench.meta_tasks.families.attendance.month import (
    AttendanceMonth,
    StaffMember,
    draw_month,
    draw_staff,
    month_before,
    workdays,
)
from trainee_bench.meta_tasks.families.attendance.month_adjustment import adjust_month
from trainee_bench.meta_tasks.families.attendance.policy import (
    DepartmentPolicy,
    allows_corrections,
    department_policies,
)
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    PolicyLevel,
)
from trainee_bench.meta_tasks.families.attendance.tally import AttendanceSheet, ClosureDays
from trainee_bench.meta_tasks.task_context import TaskContext

_FORTNIGHT = 10


@dataclass(frozen=True)
class AttendanceData:
    """What lies open, and the closures there can be; ``deliverable_model`` is what counts, of those and of
    the days that are asked about."""

    folder: str
    month: AttendanceMonth
    sheet: AttendanceSheet
    closures: tuple[ClosureDays, ...]


def draw_attendance_data(
    context: TaskContext, question: AttendanceQuery, level: PolicyLevel
) -> AttendanceData:
    """A month, drawn anew until there are closures enough that change the answer."""
    folder, first = _free_month(context)
    days = workdays(first)
    asked = _days_asked(context, question, days)
    departments = department_policies(level, context.stream("teams"))
    staff = draw_staff(context.stream("staff"), departments, _names(context))
    places = [n for n, one in enumerate(staff) if one.employee.department in _of(question)]
    for attempt in count():
        draws = context.stream(f"month {attempt}")
        month = draw_month(draws, departments, staff, days, allows_corrections(level))
        adjust_month(draws, question, month, places, asked)
        sheet = _sheet(month, staff, places, asked, departments)
        closures = possible_closures(draws, question, sheet)
        if len(closures) == MAX_CLOSURE_SETS:
            return AttendanceData(folder, month, sheet, closures)
    raise AssertionError("count() has no end")


def _free_month(context: TaskContext) -> tuple[str, date]:
    """The latest month that no other task of the day is about, and the folder of its data."""
    today = context.day.starts.date()
    for number in count(1):
        first = month_before(today, number)
        name = f"{first:%Y-%m}"
        if (
            context.reservations.claims.setdefault(f"attendance {name}", context.task)
            == context.task
        ):
            return "drive:/attendance" if number == 1 else f"drive:/attendance/{name}", first
    raise AssertionError("count() has no end")


def _days_asked(
    context: TaskContext, question: AttendanceQuery, days: Sequence[date]
) -> Sequence[int]:
    """The positions of the days that are asked about: of one type a fortnight, else all."""
    if question.type is not AttendanceQueryType.HAS:
        return range(len(days))
    begins = [
        number
        for number, day in enumerate(days)
        if day.weekday() == 0 and number + _FORTNIGHT <= len(days)
    ]
    begin = context.stream("fortnight").choice(begins)
    return range(begin, begin + _FORTNIGHT)


def _sheet(
    month: AttendanceMonth,
    staff: Sequence[StaffMember],
    places: Sequence[int],
    asked: Sequence[int],
    departments: Mapping[str, DepartmentPolicy],
) -> AttendanceSheet:
    return AttendanceSheet(
        [staff[place].employee for place in places],
        [month.days[number] for number in asked],
        [[month.entries[place][number] for number in asked] for place in places],
        {name: team.rules for name, team in departments.items()},
    )


def _of(question: AttendanceQuery) -> tuple[str, ...]:
    return question.scope.departments


def _names(context: TaskContext) -> list[str]:
    """First and last names in the company: nobody on the roster has one of them."""
    people = (*context.company.people, context.company.trainee)
    return [name for person in people for name in person.name.split()]
