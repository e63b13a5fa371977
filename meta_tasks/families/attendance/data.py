"""The data of an instance: a month of punches, and closure days that change the answer.

The open data determine the possible closures. Each of them leads to a different answer, and every
part of that answer would be wrong if the closures were ignored. The clue's secret chooses one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from random import Random

from trainee_bench.meta_tasks.authoring import ColumnKind, RecordFile, TaskContext
from trainee_bench.meta_tasks.authoring.converters import month_before
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    clearly_differ,
    compute_answer,
)
from trainee_bench.meta_tasks.families.attendance.subject.documents import parse_punches
from trainee_bench.meta_tasks.families.attendance.subject.month import (
    AttendanceMonth,
    adjust_month,
    draw_month,
    draw_staff,
)
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceRules,
    AttendanceSheet,
    ClosureDays,
    department_policies,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    DEPARTMENTS,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    workdays,
)

MAX_CLOSURE_SETS = 12
"""The number of possible closures."""
MAX_SAME_PEOPLE = 6
"""The number of possible closures whose answers may name the same people, with other figures."""
DAYS_CLOSED = 2
"""The number of closure days of a department that was closed."""
DEPARTMENTS_CLOSED = 5
"""The number of closed departments if the question is about all of them."""
_TRIES = 150
_FORTNIGHT = 10


@dataclass(frozen=True)
class AttendanceData:
    """The open data and the possible closures.

    ``sheet`` has only the employees and the days in question.
    """

    month: AttendanceMonth
    sheet: AttendanceSheet
    closures: tuple[ClosureDays, ...]


def draw_attendance_data(
    context: TaskContext, question: AttendanceQuery, level: PolicyLevel, days: tuple[date, ...]
) -> AttendanceData:
    """Draw punches of the *days* of a month until there are enough closures that change the
    answer."""
    asked = _days_asked(context, question, days)
    policies = department_policies(level, context.stream("teams"))
    staff = draw_staff(context, policies)
    places = [
        place
        for place, employee in enumerate(staff)
        if employee.department in question.scope.departments
    ]
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
            return AttendanceData(month, sheet, closures)
    raise AssertionError("count() has no end")


class RightAnswers:
    """The right answers to *question* for the data *drawn*, one for each possible closure."""

    def __init__(self, question: AttendanceQuery, drawn: AttendanceData):
        self.drawn = drawn
        self._question = question
        self._right = self._by(drawn.sheet)

    def differ_by(self, sheet: AttendanceSheet) -> bool:
        """Whether *sheet* gives a different answer for every possible closure."""
        pairs = zip(self._by(sheet), self._right, strict=True)
        return all(given != right for given, right in pairs)

    def differ_by_punches(self, text: str) -> bool:
        """Whether the punches in *text* (CSV) give a different answer for every closure."""
        sheet, rules = self.drawn.sheet, _rules(self.drawn)
        known = {person.employee_id: rules[person.department] for person in sheet.employees}
        found = parse_punches(text, known)
        entries = [
            [found.get((person.employee_id, day.isoformat())) for day in sheet.days]
            for person in sheet.employees
        ]
        return self.differ_by(AttendanceSheet(sheet.employees, sheet.days, entries, rules))

    def _by(self, sheet: AttendanceSheet) -> list[AttendanceAnswer]:
        return [compute_answer(self._question, sheet, closed) for closed in self.drawn.closures]


def earlier_end(answers: RightAnswers) -> date:
    """The last day of an earlier version of the punches.

    It is the 20th, or the latest day before it for which that version makes all *answers* wrong.
    """
    month = answers.drawn.month
    twentieth = month.days[0].replace(day=20)
    before = [day for day in reversed(month.days) if day < twentieth]
    for end in (twentieth, *before):
        if answers.differ_by(_up_to(answers.drawn, end)):
            return end
    return month.days[0] - timedelta(days=1)


def punches_record(
    files: Mapping[str, str], ends: date, misleads: Callable[[str], bool] | None
) -> RecordFile:
    """The file of punches; its earlier version has those up to the day *ends*."""
    path, text = next((path, text) for path, text in files.items() if path.endswith(".csv"))
    title, *lines = text.splitlines()
    early = [line for line in lines if line.split(",")[1][:10] <= ends.isoformat()]
    columns = {"timestamp": ColumnKind.MOMENT}
    return RecordFile(path, text, "\n".join([title, *early, ""]), columns, misleads)


def _up_to(drawn: AttendanceData, end: date) -> AttendanceSheet:
    """The sheet with only the punches up to the day *end*."""
    month, sheet = drawn.month, drawn.sheet
    asked = [place for place, employee in enumerate(month.staff) if employee in sheet.employees]
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
        _rules(drawn),
    )


def _rules(drawn: AttendanceData) -> dict[str, AttendanceRules]:
    """The rules of each department."""
    month = drawn.month
    return {person.department: month.rules_of(place) for place, person in enumerate(month.staff)}


def claim_month(context: TaskContext) -> tuple[str, tuple[date, ...]]:
    """Take the latest month that no other task of the day is about: its folder and workdays."""
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
    """The positions of the days in question: a fortnight for one type, else all."""
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
    """Draw closures with different answers, at most `MAX_CLOSURE_SETS` of them.

    There are fewer if *sheet* does not have so many.
    """
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
