"""An instance: a month of punches whose closure days matter to what is asked.

What could have been closed is settled by the open data: closures that each make another answer,
of which every part would be wrong without them. Which of them it is comes from the clue's secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from random import Random

from trainee_bench.meta_tasks.authoring import ColumnKind, RecordFile, TaskContext
from trainee_bench.meta_tasks.authoring.months import month_before
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    clearly_differ,
    compute_answer,
)
from trainee_bench.meta_tasks.families.attendance.documents import parse_punches
from trainee_bench.meta_tasks.families.attendance.month import (
    AttendanceMonth,
    adjust_month,
    draw_month,
    draw_staff,
)
from trainee_bench.meta_tasks.families.attendance.policy import (
    AttendanceSheet,
    ClosureDays,
    department_policies,
)
from trainee_bench.meta_tasks.families.attendance.query import (
    DEPARTMENTS,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    workdays,
)

MAX_CLOSURE_SETS = 12
"""Closures there can be."""
MAX_SAME_PEOPLE = 6
"""So many of them may name the same people, with other figures."""
DAYS_CLOSED = 2
"""Days on which a department was closed, if it was."""
DEPARTMENTS_CLOSED = 5
"""Departments that were closed, where all are asked about."""
_TRIES = 150
_FORTNIGHT = 10


@dataclass(frozen=True)
class AttendanceData:
    """What lies open, and the closures there can be; ``sheet`` is what counts, of those and of
    the days that are asked about."""

    folder: str
    month: AttendanceMonth
    sheet: AttendanceSheet
    closures: tuple[ClosureDays, ...]


def draw_attendance_data(
    context: TaskContext, question: AttendanceQuery, level: PolicyLevel
) -> AttendanceData:
    """A month, drawn anew until there are closures enough that change the answer."""
    folder, days = _free_month(context)
    asked = _days_asked(context, question, days)
    policies = department_policies(level, context.stream("teams"))
    staff = draw_staff(context, policies)
    places = [n for n, one in enumerate(staff) if one.department in question.scope.departments]
    for attempt in count():
        draws = context.stream(f"month {attempt}")
        month = draw_month(draws, policies, staff, days, level)
        adjust_month(draws, question, month, places, asked)
        sheet = AttendanceSheet(
            [staff[place] for place in places],
            [days[number] for number in asked],
            [[month.entries[place][number] for number in asked] for place in places],
            {name: policy.rules for name, policy in policies.items()},
        )
        closures = _possible_closures(draws, question, sheet)
        if len(closures) == MAX_CLOSURE_SETS:
            return AttendanceData(folder, month, sheet, closures)
    raise AssertionError("count() has no end")


def earlier_end(question: AttendanceQuery, drawn: AttendanceData) -> date:
    """The last day of an earlier version of the punches: the 20th, or the latest day before it so
    that *question* has another answer by that version, whatever the closures are."""
    sheet, month = drawn.sheet, drawn.month
    right = [compute_answer(question, sheet, closed) for closed in drawn.closures]
    twentieth = month.days[0].replace(day=20)
    before = [day for day in reversed(month.days) if day < twentieth]
    for end in (twentieth, *before):
        known = _up_to(drawn, end)
        given = [compute_answer(question, known, closed) for closed in drawn.closures]
        if all(one != other for one, other in zip(given, right, strict=True)):
            return end
    return month.days[0] - timedelta(days=1)


@dataclass(frozen=True)
class MisleadingPunches:
    """Calling it says whether punches, as CSV, give another answer whatever the closures are."""

    question: AttendanceQuery
    drawn: AttendanceData

    def __call__(self, text: str) -> bool:
        """Whether the employees, days and closures of the task give another answer by *text*."""
        sheet, month = self.drawn.sheet, self.drawn.month
        rules = {one.department: month.rules_of(n) for n, one in enumerate(month.staff)}
        known = {person.employee_id: rules[person.department] for person in sheet.employees}
        found = parse_punches(text, known)
        entries = [
            [found.get((person.employee_id, day.isoformat())) for day in sheet.days]
            for person in sheet.employees
        ]
        other = AttendanceSheet(sheet.employees, sheet.days, entries, rules)
        return all(
            compute_answer(self.question, other, closed)
            != compute_answer(self.question, sheet, closed)
            for closed in self.drawn.closures
        )


def punches_record(
    files: Mapping[str, str], ends: date, misleads: MisleadingPunches | None
) -> RecordFile:
    """The file of punches; the earlier version has those up to the day on which it *ends*."""
    path, text = next((path, text) for path, text in files.items() if path.endswith(".csv"))
    title, *lines = text.splitlines()
    early = [line for line in lines if line.split(",")[1][:10] <= ends.isoformat()]
    columns = {"timestamp": ColumnKind.MOMENT}
    return RecordFile(path, text, "\n".join([title, *early, ""]), columns, misleads)


def _up_to(drawn: AttendanceData, end: date) -> AttendanceSheet:
    """The sheet as it is with the punches up to the day *end*."""
    month, sheet = drawn.month, drawn.sheet
    asked = [place for place, one in enumerate(month.staff) if one in sheet.employees]
    return AttendanceSheet(
        sheet.employees,
        sheet.days,
        [
            [
                month.entries[place][month.days.index(day)] if day <= end else None
                for day in sheet.days
            ]
            for place in asked
        ],
        {month.staff[place].department: month.rules_of(place) for place in asked},
    )


def _free_month(context: TaskContext) -> tuple[str, tuple[date, ...]]:
    """The folder and the workdays of the latest month that no other task of the day is about."""
    claims = context.reservations.claims
    for number in count(1):
        first = month_before(context.day.starts.date(), number)
        name = f"{first:%Y-%m}"
        if claims.setdefault(f"attendance {name}", context.task) == context.task:
            folder = "drive:/attendance" if number == 1 else f"drive:/attendance/{name}"
            return folder, workdays(first)
    raise AssertionError("count() has no end")


def _days_asked(
    context: TaskContext, question: AttendanceQuery, days: Sequence[date]
) -> Sequence[int]:
    """The positions of the days that are asked about: of one type a fortnight, else all."""
    if question.type is not AttendanceQueryType.HAS:
        return range(len(days))
    fortnights = [
        range(number, number + _FORTNIGHT)
        for number, day in enumerate(days)
        if day.weekday() == 0 and number + _FORTNIGHT <= len(days)
    ]
    return context.stream("fortnight").choice(fortnights)


# closure days -------------------------------------------------------------------------------


def _possible_closures(
    draws: Random, question: AttendanceQuery, sheet: AttendanceSheet
) -> tuple[ClosureDays, ...]:
    """Closures each of which makes another answer to *question*; fewer than `MAX_CLOSURE_SETS`
    if *sheet* does not have so many."""
    found: dict[AttendanceAnswer, ClosureDays] = {}
    alike: Counter[tuple[str, ...]] = Counter()
    ignored = compute_answer(question, sheet, {})
    for _ in range(_TRIES):
        closed = _draw_closures(draws, question.scope, len(sheet.days))
        right = compute_answer(question, sheet, closed)
        if right in found or right.is_rounding_tie or alike[right.ids] == MAX_SAME_PEOPLE:
            continue
        if clearly_differ(question.type, right, ignored):
            found[right] = closed
            alike[right.ids] += question.type.lists_people
        if len(found) == MAX_CLOSURE_SETS:
            break
    return tuple(found.values())


def _draw_closures(draws: Random, scope: DepartmentScope, days: int) -> ClosureDays:
    closed: Sequence[str] = scope.departments
    if scope is DepartmentScope.ALL:
        closed = draws.sample(DEPARTMENTS, DEPARTMENTS_CLOSED)
    return {
        name: sorted(draws.sample(range(days), DAYS_CLOSED))
        for name in DEPARTMENTS
        if name in closed
    }
