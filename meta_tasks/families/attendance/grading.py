"""What is expected, and how what was handed in is held against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pydantic import BaseModel

from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable, fold_text
from trainee_bench.meta_tasks.families.attendance.answers import (
    HALF_A_UNIT,
    AttendanceAnswer,
    FigureValue,
    figure_groups,
)
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    PeopleReport,
    deliverable_model,
)
from trainee_bench.meta_tasks.families.attendance.query import AttendanceQuery, AttendanceQueryType
from trainee_bench.meta_tasks.meta_task import GradingContext, Verdict

_SPREAD = 1e-9
"""Allowed beside half a unit: numbers are read in binary."""
_FIGURES: Mapping[str, float] = {"figures_right": 4}
_PEOPLE: Mapping[str, float] = {"people_right": 1, "values_right": 3}
WEIGHTS: Mapping[AttendanceQueryType, Mapping[str, float]] = {
    AttendanceQueryType.HAS: _FIGURES,
    AttendanceQueryType.ABSENCE: _FIGURES,
    AttendanceQueryType.AVERAGE_DAYS: _FIGURES,
    AttendanceQueryType.OVERTIME: _FIGURES,
    AttendanceQueryType.STATISTICS: {"days_right": 2, "presence_right": 2},
    AttendanceQueryType.EXTREME: _PEOPLE,
    AttendanceQueryType.TOP: _PEOPLE,
    AttendanceQueryType.REMOTE: _PEOPLE,
    AttendanceQueryType.PERFECT: _PEOPLE,
}
"""The outcomes of each type. Figures can be guessed, so none counts without a control total;
people can, too, so their names alone count little."""


@dataclass(frozen=True)
class AttendanceTruth:
    """What is to be handed in where, to which question."""

    path: str
    question: AttendanceQuery
    answer: AttendanceAnswer

    @property
    def model(self) -> type[Deliverable]:
        """The form of it."""
        return deliverable_model(self.question)


def people_right(grading: GradingContext[AttendanceTruth]) -> Verdict:
    """Precision and recall over the people, by id and name."""
    given = grading.read_deliverable(grading.truth.path, grading.truth.model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    assert isinstance(given, PeopleReport), f"{given!r} lists nobody"
    ids = sorted((row.employee_id.strip(), fold_text(row.name)) for row in given.employees)
    right = sorted((one.employee_id, fold_text(one.name)) for one in grading.truth.answer.people)
    seen = [f"the list has {len(ids)} entries"]
    seen += ["somebody on it is there twice"] if len(set(ids)) < len(ids) else []
    seen += ["somebody on it does not belong there"] if set(ids) - set(right) else []
    seen += ["somebody is missing"] if set(right) - set(ids) else []
    return Verdict(ids == right, "; ".join(seen))


def values_right(grading: GradingContext[AttendanceTruth]) -> Verdict:
    """Precision and recall over the people with their figures."""
    given = grading.read_deliverable(grading.truth.path, grading.truth.model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    assert isinstance(given, PeopleReport), f"{given!r} lists nobody"
    right = sorted((one.employee_id, one.figures) for one in grading.truth.answer.people)
    listed = sorted((row.employee_id.strip(), _values(row)) for row in given.employees)
    wrong = "" if listed == right else ", not each that of an employee asked for"
    return Verdict(listed == right, f"{len(listed)} entries have figures{wrong}")


def _values(row: BaseModel) -> tuple[tuple[str, int], ...]:
    """What stands in *row* beside id and name."""
    return tuple(row.model_dump(exclude={"employee_id", "name"}).items())


def figures_right(grading: GradingContext[AttendanceTruth], part: int) -> Verdict:
    """Whether the figures of one part of the answer are right, all of them."""
    given = grading.read_deliverable(grading.truth.path, grading.truth.model)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    names = figure_groups(grading.truth.question.type)[part]
    right = all(
        _fits(getattr(given, name), value)
        for name, value in grading.truth.answer.figures
        if not names or name in names
    )
    return Verdict(right, "every figure is right" if right else "not every figure is right")


def _fits(given: float, right: FigureValue) -> bool:
    """Counted things exactly; averages within half a unit of the exact number."""
    if not isinstance(right, Fraction):
        return given == right
    return abs(given - float(right)) <= float(HALF_A_UNIT) + _SPREAD
