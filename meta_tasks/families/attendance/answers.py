"""Right answers, worked out from what was counted; and when two of them clearly differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    RankingMetric,
)
from trainee_bench.meta_tasks.families.attendance.tally import (
    AttendanceSheet,
    ClosureDays,
    Employee,
    Tally,
    sum_tallies,
)

HALF_A_UNIT = Fraction(1, 200)
"""Half of the last of two decimals: how far a rounded number may lie from the exact one."""
MIN_DIFFERENCE = 10 * HALF_A_UNIT
"""Averages farther apart than this are never taken for each other by another rounding."""

FigureValue = Fraction | int | bool
"""Fractions are handed in with two decimals, the others as they are."""

_CONTROL = "presence_minutes"
_CHECKED_APART: Mapping[AttendanceQueryType, tuple[tuple[str, ...], ...]] = {
    AttendanceQueryType.STATISTICS: (
        ("avg_late_days", "avg_early_days", _CONTROL),
        ("employees", "avg_absence_days", "attendance_rate", _CONTROL),
    ),
}


@dataclass(frozen=True)
class ListedEmployee:
    """Somebody who belongs on a list, and the figures that stand with them."""

    employee_id: str
    name: str
    figures: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class AttendanceAnswer:
    """What is right: figures by name, or people in the order of the roster."""

    figures: tuple[tuple[str, FigureValue], ...] = ()
    people: tuple[ListedEmployee, ...] = ()

    def __getitem__(self, name: str) -> FigureValue:
        return dict(self.figures)[name]

    @property
    def ids(self) -> tuple[str, ...]:
        """Who is on the list."""
        return tuple(one.employee_id for one in self.people)

    @property
    def is_rounding_tie(self) -> bool:
        """Whether a figure lies so that it can be rounded up or down."""
        return any(
            isinstance(value, Fraction) and value * 200 % 2 == 1 for _, value in self.figures
        )


def figure_groups(type: AttendanceQueryType) -> tuple[tuple[str, ...], ...]:
    """The figures of an answer, as they are checked together; empty: all of them."""
    return _CHECKED_APART.get(type, ((),))


def clearly_differ(
    type: AttendanceQueryType, one: AttendanceAnswer, other: AttendanceAnswer
) -> bool:
    """Whether nothing that is checked of *one* would pass for *other*, even if nobody looked at
    control totals."""
    if type.lists_people:
        return one.ids != other.ids
    return all(_apart(one, other, names) for names in figure_groups(type))


def _apart(one: AttendanceAnswer, other: AttendanceAnswer, names: Sequence[str]) -> bool:
    return any(
        abs(value - other[name]) > MIN_DIFFERENCE
        if isinstance(value, Fraction)
        else value != other[name]
        for name, value in one.figures
        if name != _CONTROL and (not names or name in names)
    )


def compute_answer(
    question: AttendanceQuery, sheet: AttendanceSheet, closed: ClosureDays
) -> AttendanceAnswer:
    """What is right if departments were *closed* so."""
    totals = sheet.totals(closed)
    if question.type.lists_people:
        return _people(question, sheet.employees, totals)
    return AttendanceAnswer(figures=_figures(question.type, len(totals), sum_tallies(totals)))


def _figures(
    type: AttendanceQueryType, heads: int, sum: Tally
) -> tuple[tuple[str, FigureValue], ...]:
    return (*_asked_figures(type, heads, sum), (_CONTROL, sum.presence_minutes))


def _asked_figures(
    type: AttendanceQueryType, heads: int, sum: Tally
) -> Iterator[tuple[str, FigureValue]]:
    if type is AttendanceQueryType.HAS:
        yield "has_late_or_early", sum.late_days + sum.early_days > 0
        yield "person_days", sum.present_days
    if type is AttendanceQueryType.ABSENCE:
        yield "total_absence_days", sum.absent_days
    if type is AttendanceQueryType.OVERTIME:
        yield "average_overtime_hours", Fraction(sum.overtime_minutes, 60 * heads)
    if type is AttendanceQueryType.STATISTICS:
        yield "employees", heads
    if type in (AttendanceQueryType.AVERAGE_DAYS, AttendanceQueryType.STATISTICS):
        yield "avg_late_days", Fraction(sum.late_days, heads)
        yield "avg_early_days", Fraction(sum.early_days, heads)
    if type is AttendanceQueryType.STATISTICS:
        yield "avg_absence_days", Fraction(sum.absent_days, heads)
        scheduled = sum.present_days + sum.absent_days
        yield "attendance_rate", Fraction(100 * sum.present_days, scheduled)


def _people(
    question: AttendanceQuery, staff: Sequence[Employee], totals: Sequence[Tally]
) -> AttendanceAnswer:
    match question.type:
        case AttendanceQueryType.REMOTE:
            most = max(one.remote_days for one in totals)
            chosen, fields = [one.remote_days == most for one in totals], ["remote_days"]
        case AttendanceQueryType.PERFECT:
            chosen = [not (one.late_days or one.early_days or one.absent_days) for one in totals]
            fields = []
        case _:
            metric = question.ranks_by or RankingMetric.LATE
            days, minutes = f"{metric}_days", f"{metric}_minutes"
            chosen = ranked([(getattr(t, days), getattr(t, minutes)) for t in totals], question)
            fields = [days, minutes]
    return _listed(staff, totals, chosen, (*fields, _CONTROL))


def ranked(pairs: Sequence[tuple[int, int]], question: AttendanceQuery) -> list[bool]:
    """Which of *pairs* (days, minutes) are asked for: an extreme, or the top per cent; who ties
    with the last of them belongs to them."""
    if question.mode is not None:
        best = max(pairs) if question.mode.most else min(pairs)
        return [pair == best for pair in pairs]
    last = sorted(pairs, reverse=True)[top_count(len(pairs), question.percent) - 1]
    return [pair >= last for pair in pairs]


def top_count(heads: int, percent: int) -> int:
    """How many the top *percent* of *heads* are: rounded up, at least one."""
    return max(1, -(-heads * percent // 100))


def _listed(
    staff: Sequence[Employee],
    totals: Sequence[Tally],
    chosen: Sequence[bool],
    fields: tuple[str, ...],
) -> AttendanceAnswer:
    return AttendanceAnswer(
        people=tuple(
            ListedEmployee(one.id, one.name, tuple((name, getattr(tally, name)) for name in fields))
            for one, tally, belongs in zip(staff, totals, chosen, strict=True)
            if belongs
        )
    )
