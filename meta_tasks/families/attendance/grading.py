"""What is expected, and how what was handed in is held against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pydantic import BaseModel

from meta_tasks.deliverable import Deliverable, Flaw, plain
from meta_tasks.families.attendance.answers import HALF_A_UNIT, Answer, Figure, parts
from meta_tasks.families.attendance.asked import Question, Type
from meta_tasks.families.attendance.reports import PeopleReport, model_of
from meta_tasks.meta_task import Case, Verdict

_SPREAD = 1e-9
"""Allowed beside half a unit: numbers are read in binary."""
_FIGURES: Mapping[str, float] = {"figures_right": 4}
_PEOPLE: Mapping[str, float] = {"people_right": 1, "values_right": 3}
WEIGHTS: Mapping[Type, Mapping[str, float]] = {
    Type.HAS: _FIGURES,
    Type.ABSENCE: _FIGURES,
    Type.AVERAGE_DAYS: _FIGURES,
    Type.OVERTIME: _FIGURES,
    Type.STATISTICS: {"days_right": 2, "presence_right": 2},
    Type.EXTREME: _PEOPLE,
    Type.TOP: _PEOPLE,
    Type.REMOTE: _PEOPLE,
    Type.PERFECT: _PEOPLE,
}
"""The outcomes of each type. Figures can be guessed, so none counts without a control total;
people can, too, so their names alone count little."""


@dataclass(frozen=True)
class Expected:
    """What is to be handed in where, to which question."""

    path: str
    question: Question
    answer: Answer

    @property
    def model(self) -> type[Deliverable]:
        """The form of it."""
        return model_of(self.question)


def people_right(case: Case[Expected]) -> Verdict:
    """Precision and recall over the people, by id and name."""
    given = case.handed_in(case.truth.path, case.truth.model)
    if isinstance(given, Flaw):
        return Verdict(False, given.seen)
    assert isinstance(given, PeopleReport), f"{given!r} lists nobody"
    ids = sorted((row.employee_id.strip(), plain(row.name)) for row in given.employees)
    right = sorted((one.employee_id, plain(one.name)) for one in case.truth.answer.people)
    seen = [f"the list has {len(ids)} entries"]
    seen += ["somebody on it is there twice"] if len(set(ids)) < len(ids) else []
    seen += ["somebody on it does not belong there"] if set(ids) - set(right) else []
    seen += ["somebody is missing"] if set(right) - set(ids) else []
    return Verdict(ids == right, "; ".join(seen))


def values_right(case: Case[Expected]) -> Verdict:
    """Precision and recall over the people with their figures."""
    given = case.handed_in(case.truth.path, case.truth.model)
    if isinstance(given, Flaw):
        return Verdict(False, given.seen)
    assert isinstance(given, PeopleReport), f"{given!r} lists nobody"
    right = sorted((one.employee_id, one.figures) for one in case.truth.answer.people)
    listed = sorted((row.employee_id.strip(), _values(row)) for row in given.employees)
    wrong = "" if listed == right else ", not each that of an employee asked for"
    return Verdict(listed == right, f"{len(listed)} entries have figures{wrong}")


def _values(row: BaseModel) -> tuple[tuple[str, int], ...]:
    """What stands in *row* beside id and name."""
    return tuple(row.model_dump(exclude={"employee_id", "name"}).items())


def figures_right(case: Case[Expected], part: int) -> Verdict:
    """Whether the figures of one part of the answer are right, all of them."""
    given = case.handed_in(case.truth.path, case.truth.model)
    if isinstance(given, Flaw):
        return Verdict(False, given.seen)
    names = parts(case.truth.question.type)[part]
    right = all(
        _fits(getattr(given, name), value)
        for name, value in case.truth.answer.figures
        if not names or name in names
    )
    return Verdict(right, "every figure is right" if right else "not every figure is right")


def _fits(given: float, right: Figure) -> bool:
    """Counted things exactly; averages within half a unit of the exact number."""
    if not isinstance(right, Fraction):
        return given == right
    return abs(given - float(right)) <= float(HALF_A_UNIT) + _SPREAD
