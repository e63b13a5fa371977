"""Closure days: which departments were closed when. Nobody but their heads can say it.

What could have been closed is settled by the open data: closures that each make another answer,
of which every part would be wrong without them. Which of them it is comes from the clue's secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from trainee_bench.meta_tasks.families.attendance.answers import (
    AttendanceAnswer,
    clearly_differ,
    compute_answer,
)
from trainee_bench.meta_tasks.families.attendance.query import (
    DEPARTMENTS,
    AttendanceQuery,
    DepartmentScope,
)
from trainee_bench.meta_tasks.families.attendance.tally import AttendanceSheet, ClosureDays
from trainee_bench.world.colleagues.knowledge import Clue

MAX_CLOSURE_SETS = 12
"""Closures there can be."""
MAX_SAME_PEOPLE = 6
"""So many of them may name the same people, with other figures."""
DAYS_CLOSED = 2
"""Days on which a department was closed, if it was."""
DEPARTMENTS_CLOSED = 5
"""Departments that were closed, where all are asked about."""
_TRIES = 150
_REASONS = (
    "the power was off in our part of the building",
    "we moved to other rooms",
    "the heating was being repaired",
    "water had come through the ceiling",
    "the floor was being laid anew",
    "the fire alarms were being replaced",
)


def possible_closures(
    draws: Random, question: AttendanceQuery, sheet: AttendanceSheet
) -> tuple[ClosureDays, ...]:
    """Closures each of which makes another answer to *question*; fewer than CHOICES if *sheet*
    does not have so many."""
    found: dict[AttendanceAnswer, ClosureDays] = {}
    alike: Counter[tuple[str, ...]] = Counter()
    ignored = compute_answer(question, sheet, {})
    for _ in range(_TRIES):
        closed = _some(draws, question.scope, len(sheet.days))
        right = compute_answer(question, sheet, closed)
        if right in found or right.is_rounding_tie or alike[right.ids] == MAX_SAME_PEOPLE:
            continue
        if clearly_differ(question.type, right, ignored):
            found[right] = closed
            alike[right.ids] += question.type.lists_people
        if len(found) == MAX_CLOSURE_SETS:
            break
    return tuple(found.values())


def _some(draws: Random, scope: DepartmentScope, days: int) -> ClosureDays:
    closed = (
        draws.sample(DEPARTMENTS, DEPARTMENTS_CLOSED)
        if scope is DepartmentScope.ALL
        else [scope.value]
    )
    return {
        name: tuple(sorted(draws.sample(range(days), DAYS_CLOSED)))
        for name in DEPARTMENTS
        if name in closed
    }


def closure_clue(
    id: str,
    holder: str,
    question: AttendanceQuery,
    sheet: AttendanceSheet,
    closed: ClosureDays,
    csv: str,
    secret: Random,
) -> Clue:
    """What *holder* tells who asks for the closure days, with reasons drawn from the *secret*."""
    month, year = f"{sheet.days[0]:%B}", f"{sheet.days[0]:%Y}"
    told = list(_told(sheet, closed))
    if question.scope is DepartmentScope.ALL:
        asks = _asks_of_all(month, year, csv)
        payload = f"In {month} {year}, {'; '.join(told)}. No other department was closed."
    else:
        asks = _asks_of_one(question.scope.value, month, year, csv)
        why = secret.sample(_REASONS, len(told))
        days = " ".join(f"{day}: {reason}." for day, reason in zip(told, why, strict=True))
        payload = f"{days} In {month} {year} these were the only days."
    return Clue(id=id, holder=holder, asks=asks, keys=(csv,), payload=payload)


def _told(sheet: AttendanceSheet, closed: ClosureDays) -> Iterator[str]:
    for name, days in closed.items():
        for day in days:
            yield f"{name} was closed on {sheet.days[day]:%A}, {sheet.days[day].isoformat()}"


def _asks_of_one(name: str, month: str, year: str, csv: str) -> tuple[str, ...]:
    return (
        f"Which days in {month} {year} were closure days of {name}?",
        f"On which days in {month} was {name} closed?",
        f"When was your department closed in {month}?",
        f"Which closure days did your department have in {month}?",
        f"Did {name} have any closure days in {month} {year}?",
        f"Was {name} shut on any days in {month}?",
        f"Which {month} dates should I leave out of the attendance statistics of {name}?",
        f"Were there days in {month} on which the punches of {name} do not count?",
        f"I am evaluating {csv}: on which days was {name} closed?",
        f"Are there days in {month} that I have to exclude from the attendance data of {name}?",
        f"Is there a day in {month} that does not count as a workday in {name}?",
    )


def _asks_of_all(month: str, year: str, csv: str) -> tuple[str, ...]:
    return (
        f"Which departments had closure days in {month} {year}, and when?",
        f"On which days in {month} were departments closed?",
        f"Which closure days did you collect for {month}?",
        f"Which department was closed on which day in {month}?",
        f"Were there any closure days in {month} {year}?",
        f"Which departments were shut in {month}, and when?",
        f"Could you send me the closure days of all departments in {month} {year}?",
        f"Which {month} dates should I leave out of the attendance statistics of the company?",
        f"Were there days in {month} on which the punches of a department do not count?",
        f"I am evaluating {csv}: which departments were closed on which days?",
        f"Are there days in {month} that I have to exclude from the attendance data?",
        f"Are there days in {month} that do not count as workdays in a department?",
    )
