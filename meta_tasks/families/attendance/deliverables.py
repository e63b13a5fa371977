"""The deliverable of each type, its right answer, and how figures are compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Deliverable,
    DifferenceWords,
    GradingContext,
    RecordId,
    Text,
    Verdict,
)
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceSheet,
    ClosureDays,
    Tally,
    sum_tallies,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    AttendanceQuery,
    AttendanceQueryType,
    RankingMetric,
)

_MINUTES = (
    "minutes from the first `in` to the last `out` of each day present, lunch "
    "included, added up; a day with only an `in` or only an `out` adds nothing"
)
_PRESENCE_OF_ONE = Field(description=f"control total: {_MINUTES}")
IN_QUESTION = "for all employees in question"
_PRESENCE = Field(description=f"control total {IN_QUESTION}: {_MINUTES}")


class PersonRow(Deliverable):
    """One employee; subclasses add figures."""

    employee_id: RecordId = Field(description='as in the roster, such as "E1000"')
    name: Text = Field(description="as in the roster")


class LateRow(PersonRow):
    """An employee with their late days."""

    late_days: int = Field(description="late days")
    late_minutes: int = Field(description="late minutes on these days, in total")
    presence_minutes: int = _PRESENCE_OF_ONE


class EarlyRow(PersonRow):
    """An employee with their early days."""

    early_days: int = Field(description="early days")
    early_minutes: int = Field(description="early minutes on these days, in total")
    presence_minutes: int = _PRESENCE_OF_ONE


class RemoteRow(PersonRow):
    """An employee with their remote days."""

    remote_days: int = Field(description="remote days")
    presence_minutes: int = _PRESENCE_OF_ONE


class PerfectRow(PersonRow):
    """An employee with perfect attendance."""

    presence_minutes: int = _PRESENCE_OF_ONE


Row = TypeVar("Row", bound=PersonRow)


class People(Deliverable, Generic[Row]):
    """The employees asked for, each with their figures."""

    employees: tuple[Row, ...] = Field(description="one for each employee asked for")

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """A name such as LateEmployees for LateRow, which messages about bad files quote."""
        return str(params[0].__name__).replace("Row", "Employees")


class LateOrEarly(Deliverable):
    """Whether anybody was late or left early."""

    has_late_or_early: bool = Field(
        description="whether anybody has a late day or an early day in the period"
    )
    person_days: int = Field(description="days present in the period, summed over all employees")
    presence_minutes: int = _PRESENCE


class AbsenceDays(Deliverable):
    """The number of absent days."""

    total_absence_days: int = Field(description="absent days, summed over all employees")
    presence_minutes: int = _PRESENCE


class AverageDays(Deliverable):
    """Late and early days per employee."""

    avg_late_days: float = Field(
        description="late days of all employees, divided by the number of employees, two decimals"
    )
    avg_early_days: float = Field(
        description="early days of all employees, divided by the number of employees, two decimals"
    )
    presence_minutes: int = _PRESENCE


class AverageOvertime(Deliverable):
    """Overtime per employee."""

    average_overtime_hours: float = Field(
        description="hours of overtime of all employees, divided by the number of employees, two "
        "decimals"
    )
    presence_minutes: int = _PRESENCE


class AttendanceStatistics(Deliverable):
    """All averages together."""

    employees: int = Field(description="number of employees")
    avg_late_days: float = Field(description="late days per employee, two decimals")
    avg_early_days: float = Field(description="early days per employee, two decimals")
    avg_absence_days: float = Field(description="absent days per employee, two decimals")
    attendance_rate: float = Field(
        description="the employees' days present as a percentage (0 to 100, two decimals) of "
        "their days present and absent together"
    )
    presence_minutes: int = _PRESENCE


_MODELS: Mapping[AttendanceQueryType | RankingMetric, type[Deliverable]] = {
    AttendanceQueryType.HAS: LateOrEarly,
    AttendanceQueryType.ABSENCE: AbsenceDays,
    AttendanceQueryType.AVERAGE_DAYS: AverageDays,
    AttendanceQueryType.OVERTIME: AverageOvertime,
    AttendanceQueryType.STATISTICS: AttendanceStatistics,
    AttendanceQueryType.REMOTE: People[RemoteRow],
    AttendanceQueryType.PERFECT: People[PerfectRow],
    RankingMetric.LATE: People[LateRow],
    RankingMetric.EARLY: People[EarlyRow],
}


def deliverable_model(question: AttendanceQuery) -> type[Deliverable]:
    """The model of the deliverable for *question*."""
    return _MODELS[question.ranks_by or question.type]


# right answers ------------------------------------------------------------------------------

HALF_A_UNIT = Fraction(1, 200)
"""Half a unit of the second decimal: the largest error of a rounded number."""
MIN_DIFFERENCE = 10 * HALF_A_UNIT
"""Averages that differ by more than this stay different under any rounding."""
FigureValue = Fraction | int | bool
"""Fractions are handed in with two decimals, the others unchanged."""
Figures = tuple[tuple[str, FigureValue], ...]
CONTROL = "presence_minutes"
LATE_AND_EARLY = ("avg_late_days", "avg_early_days", CONTROL)
PRESENCE = ("employees", "avg_absence_days", "attendance_rate", CONTROL)
"""The statistics are checked in these two parts. Other answers are checked as a whole."""


@dataclass(frozen=True)
class AttendanceAnswer:
    """A right answer: figures by name, or people in the order of the roster."""

    figures: Figures = ()
    people: tuple[PersonRow, ...] = ()

    def __getitem__(self, name: str) -> FigureValue:
        return dict(self.figures)[name]

    @property
    def ids(self) -> tuple[str, ...]:
        """The employee ids on the list."""
        return tuple(person.employee_id for person in self.people)

    @property
    def is_rounding_tie(self) -> bool:
        """Whether a figure lies exactly between two rounded values."""
        exact = [value for _, value in self.figures if isinstance(value, Fraction)]
        return any(value * 200 % 2 == 1 for value in exact)

    def as_deliverable(self, question: AttendanceQuery) -> Deliverable:
        """The answer as a deliverable, with averages rounded to two decimals."""
        if question.type.lists_people:
            return deliverable_model(question).model_validate({"employees": self.people})
        rounded = {
            name: float(round(value, 2)) if isinstance(value, Fraction) else value
            for name, value in self.figures
        }
        return deliverable_model(question).model_validate(rounded)


def compute_answer(
    question: AttendanceQuery, sheet: AttendanceSheet, closed: ClosureDays
) -> AttendanceAnswer:
    """Compute the right answer with the closure days *closed*."""
    totals, model = sheet.totals(closed), deliverable_model(question)
    if not question.type.lists_people:
        figures = _every_figure(len(totals), sum_tallies(totals))
        return AttendanceAnswer(tuple((name, figures[name]) for name in model.model_fields))
    rows = [
        {"employee_id": employee.employee_id, "name": employee.name, **tally._asdict()}
        for employee, tally, belongs in zip(
            sheet.employees, totals, _chosen(question, totals), strict=True
        )
        if belongs
    ]
    listed = model.model_validate({"employees": rows}, extra="ignore")
    assert isinstance(listed, People), f"{listed!r} lists nobody"
    return AttendanceAnswer(people=listed.employees)


def _every_figure(heads: int, sum: Tally) -> Mapping[str, FigureValue]:
    """All figures of any type for *heads* employees, by field name."""
    return {
        "has_late_or_early": sum.late_days + sum.early_days > 0,
        "person_days": sum.present_days,
        "total_absence_days": sum.absent_days,
        "average_overtime_hours": Fraction(sum.overtime_minutes, 60 * heads),
        "employees": heads,
        "avg_late_days": Fraction(sum.late_days, heads),
        "avg_early_days": Fraction(sum.early_days, heads),
        "avg_absence_days": Fraction(sum.absent_days, heads),
        "attendance_rate": Fraction(100 * sum.present_days, sum.present_days + sum.absent_days),
        CONTROL: sum.presence_minutes,
    }


def _chosen(question: AttendanceQuery, totals: Sequence[Tally]) -> list[bool]:
    """Whether each of the employees with these *totals* is asked for."""
    if question.type is AttendanceQueryType.REMOTE:
        most = max(tally.remote_days for tally in totals)
        return [tally.remote_days == most for tally in totals]
    if question.type is AttendanceQueryType.PERFECT:
        return [tally.is_perfect for tally in totals]
    if question.ranks_by is RankingMetric.LATE:
        return ranked([(tally.late_days, tally.late_minutes) for tally in totals], question)
    return ranked([(tally.early_days, tally.early_minutes) for tally in totals], question)


def ranked(pairs: Sequence[tuple[int, int]], question: AttendanceQuery) -> list[bool]:
    """Whether each of *pairs* (days, minutes) is asked for: an extreme, or the top per cent.

    Ties with the last of them are included.
    """
    if question.mode is not None:
        best = max(pairs) if question.mode.most else min(pairs)
        return [pair == best for pair in pairs]
    last = sorted(pairs, reverse=True)[top_count(len(pairs), question.percent) - 1]
    return [pair >= last for pair in pairs]


def top_count(heads: int, percent: int) -> int:
    """The number of people in the top *percent* of *heads*: rounded up, at least one."""
    return max(1, -(-heads * percent // 100))


def clearly_differ(
    type: AttendanceQueryType, right: AttendanceAnswer, wrong: AttendanceAnswer
) -> bool:
    """Whether *wrong* fails every check against *right*, even without control totals."""
    if type.lists_people:
        return right.ids != wrong.ids
    apart = {name for name, value in right.figures if _are_apart(value, wrong[name])} - {CONTROL}
    if type is AttendanceQueryType.STATISTICS:
        return bool(apart.intersection(LATE_AND_EARLY) and apart.intersection(PRESENCE))
    return bool(apart)


def _are_apart(value: FigureValue, other: FigureValue) -> bool:
    if isinstance(value, Fraction):
        return abs(value - other) > MIN_DIFFERENCE
    return value != other


OF_PEOPLE = DifferenceWords(
    repeated="somebody is listed twice",
    foreign="somebody is listed who does not belong there",
    missing="somebody is missing",
)


def fits(given: float, right: FigureValue) -> bool:
    """Whether *given* equals a count exactly, or is within half a unit of an average."""
    if not isinstance(right, Fraction):
        return given == right
    return abs(given - float(right)) <= float(HALF_A_UNIT) + 1e-9  # numbers are read in binary


@dataclass(frozen=True)
class AttendanceTruth:
    """The question, its right answer, and the path of the file to hand in."""

    path: str
    question: AttendanceQuery
    answer: AttendanceAnswer

    def figures_right(
        self, grading: GradingContext[AttendanceTruth], names: Collection[str] = ()
    ) -> Verdict:
        """Check the figures with these *names*, or all figures without names."""
        given = grading.read(self.path, deliverable_model(self.question))
        figures = self.answer.figures
        checked = [(name, value) for name, value in figures if not names or name in names]
        right = all(fits(getattr(given, name), value) for name, value in checked)
        return Verdict(right, "every figure is right" if right else "not every figure is right")

    def rows(self, grading: GradingContext[AttendanceTruth]) -> Sequence[PersonRow]:
        """The rows that were handed in. Raises Unreadable."""
        given = grading.read(self.path, deliverable_model(self.question))
        assert isinstance(given, People), f"{given!r} lists nobody"
        return given.employees
