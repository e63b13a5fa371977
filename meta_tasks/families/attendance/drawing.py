"""An instance: a month of punches whose closure days matter to what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from meta_tasks.families.attendance.arranging import arrange
from meta_tasks.families.attendance.asked import Level, Question, Type
from meta_tasks.families.attendance.closures import CHOICES, possible_closures
from meta_tasks.families.attendance.counting import Closed, Sheet
from meta_tasks.families.attendance.month import (
    Month,
    Staff,
    draw_month,
    draw_staff,
    month_before,
    workdays,
)
from meta_tasks.families.attendance.policy import Team, makes_up, teams
from meta_tasks.stage import Stage

_FORTNIGHT = 10


@dataclass(frozen=True)
class Drawn:
    """What lies open, and the closures there can be; ``sheet`` is what counts, of those and of
    the days that are asked about."""

    folder: str
    month: Month
    sheet: Sheet
    closures: tuple[Closed, ...]


def draw_instance(stage: Stage, question: Question, level: Level) -> Drawn:
    """A month, drawn anew until there are closures enough that change the answer."""
    folder, first = _free_month(stage)
    days = workdays(first)
    asked = _days_asked(stage, question, days)
    departments = teams(level, stage.stream("teams"))
    staff = draw_staff(stage.stream("staff"), departments, _names(stage))
    places = [n for n, one in enumerate(staff) if one.employee.department in _of(question)]
    for attempt in count():
        draws = stage.stream(f"month {attempt}")
        month = draw_month(draws, departments, staff, days, makes_up(level))
        arrange(draws, question, month, places, asked)
        sheet = _sheet(month, staff, places, asked, departments)
        closures = possible_closures(draws, question, sheet)
        if len(closures) == CHOICES:
            return Drawn(folder, month, sheet, closures)
    raise AssertionError("count() has no end")


def _free_month(stage: Stage) -> tuple[str, date]:
    """The latest month that no other task of the day is about, and the folder of its data."""
    today = stage.day.starts.date()
    for number in count(1):
        first = month_before(today, number)
        name = f"{first:%Y-%m}"
        if stage.commons.claims.setdefault(f"attendance {name}", stage.task) == stage.task:
            return "drive:/attendance" if number == 1 else f"drive:/attendance/{name}", first
    raise AssertionError("count() has no end")


def _days_asked(stage: Stage, question: Question, days: Sequence[date]) -> Sequence[int]:
    """The positions of the days that are asked about: of one type a fortnight, else all."""
    if question.type is not Type.HAS:
        return range(len(days))
    begins = [
        number
        for number, day in enumerate(days)
        if day.weekday() == 0 and number + _FORTNIGHT <= len(days)
    ]
    begin = stage.stream("fortnight").choice(begins)
    return range(begin, begin + _FORTNIGHT)


def _sheet(
    month: Month,
    staff: Sequence[Staff],
    places: Sequence[int],
    asked: Sequence[int],
    departments: Mapping[str, Team],
) -> Sheet:
    return Sheet(
        [staff[place].employee for place in places],
        [month.days[number] for number in asked],
        [[month.entries[place][number] for number in asked] for place in places],
        {name: team.rules for name, team in departments.items()},
    )


def _of(question: Question) -> tuple[str, ...]:
    return question.scope.departments


def _names(stage: Stage) -> list[str]:
    """First and last names in the company: nobody on the roster has one of them."""
    people = (*stage.company.people, stage.company.trainee)
    return [name for person in people for name in person.name.split()]
