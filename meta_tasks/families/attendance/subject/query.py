"""The questions of this family: types, departments, levels and days."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from trainee_bench.meta_tasks.authoring import Converter, FirstOf, TextTemplate


class AttendanceQueryType(StrEnum):
    """The kinds of question."""

    HAS = "has_late_or_early"
    ABSENCE = "total_absence_days"
    AVERAGE_DAYS = "avg_late_early_days"
    OVERTIME = "average_overtime_hours"
    STATISTICS = "attendance_statistics"
    EXTREME = "late_early_employee"
    TOP = "top_percent_employees"
    REMOTE = "employees_with_most_remote_days"
    PERFECT = "employees_with_perfect_attendance"

    @property
    def lists_people(self) -> bool:
        """Whether the answer lists people; otherwise it has figures."""
        return self in (
            AttendanceQueryType.EXTREME,
            AttendanceQueryType.TOP,
            AttendanceQueryType.REMOTE,
            AttendanceQueryType.PERFECT,
        )


class PolicyLevel(StrEnum):
    """The level of the attendance rules; see `policy.py`."""

    L1 = "L1"
    L2 = "L2"
    L3 = "L3"
    L4 = "L4"
    L5 = "L5"

    @property
    def allows_corrections(self) -> bool:
        """Whether a forgotten punch can be approved afterwards."""
        return self in (PolicyLevel.L3, PolicyLevel.L4, PolicyLevel.L5)


class DepartmentScope(StrEnum):
    """The department in question, or all of them."""

    ENGINEERING = "Engineering"
    SALES_1 = "Sales_1"
    SALES_2 = "Sales_2"
    SALES_3 = "Sales_3"
    MARKETING = "Marketing"
    PRODUCT = "Product"
    HR = "HR"
    FINANCE = "Finance"
    ALL = "all"

    @property
    def departments(self) -> tuple[str, ...]:
        """The names of the departments in question."""
        return DEPARTMENTS if self is DepartmentScope.ALL else (self.value,)


DEPARTMENTS = tuple(scope.value for scope in DepartmentScope if scope is not DepartmentScope.ALL)


class RankingMetric(StrEnum):
    """The kind of days that employees are ranked by; their minutes decide ties."""

    LATE = "late"
    EARLY = "early"


class RankingMode(StrEnum):
    """The metric of a ranking, and the end of it that is asked for."""

    MOST_LATE = "most_late"
    LEAST_LATE = "least_late"
    MOST_EARLY = "most_early"
    LEAST_EARLY = "least_early"

    @property
    def metric(self) -> RankingMetric:
        """The metric of the ranking."""
        return RankingMetric(self.value.partition("_")[2])

    @property
    def most(self) -> bool:
        """Whether the question is about the most days, not the fewest."""
        return self in (RankingMode.MOST_LATE, RankingMode.MOST_EARLY)


@dataclass(frozen=True)
class AttendanceQuery:
    """A question with all its parameters."""

    type: AttendanceQueryType
    scope: DepartmentScope
    mode: RankingMode | None = None
    percent: int = 0
    metric: RankingMetric | None = None

    @property
    def ranks_by(self) -> RankingMetric | None:
        """The metric that employees are ranked by; None if they are not ranked."""
        return self.mode.metric if self.mode else self.metric


_EXTREME, _TOP = {"type": AttendanceQueryType.EXTREME}, {"type": AttendanceQueryType.TOP}
FILE_NAME = FirstOf(
    [
        TextTemplate(AttendanceQuery, "dept_{scope}_{mode}", fixed=_EXTREME),
        TextTemplate(AttendanceQuery, "dept_{scope}_top{percent}_{metric}", fixed=_TOP),
        TextTemplate(AttendanceQuery, "dept_{scope}_{type}"),
    ]
)
"""The name of the file to hand in, which states the question."""

# days ---------------------------------------------------------------------------------------


def workdays(first: date) -> tuple[date, ...]:
    """The Mondays to Fridays of the month that begins with *first*."""
    count = calendar.monthrange(first.year, first.month)[1]
    days = (first.replace(day=number) for number in range(1, count + 1))
    return tuple(day for day in days if day.weekday() < 5)


def _month_called(words: str) -> date:
    name, _, year = words.partition(" ")
    return date(int(year), list(calendar.month_name).index(name), 1)


MONTH: Converter[date] = Converter(r"[A-Z][a-z]+ \d{4}", _month_called, "{:%B %Y}".format)
"""The first day of a month, written as "September 2025"."""
