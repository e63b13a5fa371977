"""The objective, and the closure days, which colleagues tell when asked.

Only the head of a department knows its closure days; HR knows those of all departments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    PATH,
    Converter,
    FirstOf,
    HiddenFact,
    Hints,
    TextTemplate,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    IN_QUESTION,
    deliverable_model,
    top_count,
)
from trainee_bench.meta_tasks.families.attendance.subject.policy import AttendanceSheet, ClosureDays
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    DEPARTMENTS,
    FILE_NAME,
    MONTH,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    RankingMetric,
    workdays,
)

SCOPES: Mapping[DepartmentScope, str] = {
    scope: "all departments together" if scope is DepartmentScope.ALL else f"the {scope} department"
    for scope in DepartmentScope
}
_TASKS: Mapping[AttendanceQueryType, str] = {
    AttendanceQueryType.HAS: "find out whether anybody came late or left early",
    AttendanceQueryType.ABSENCE: "count the days on which employees were absent",
    AttendanceQueryType.AVERAGE_DAYS: "calculate the average number of late days (days on which "
    "somebody came too late) and of early days (days on which somebody left too early) per "
    "employee",
    AttendanceQueryType.OVERTIME: "calculate the average overtime per employee",
    AttendanceQueryType.STATISTICS: "prepare the attendance statistics",
    AttendanceQueryType.REMOTE: "name the employee with the most remote days (all of them if "
    "several tie)",
    AttendanceQueryType.PERFECT: "name the employees with perfect attendance (no late, no early "
    "and no absent day)",
}
DAYS: Mapping[RankingMetric, str] = {
    RankingMetric.LATE: "days on which they came too late",
    RankingMetric.EARLY: "days on which they left too early",
}
_ROUNDED = (
    AttendanceQueryType.AVERAGE_DAYS,
    AttendanceQueryType.OVERTIME,
    AttendanceQueryType.STATISTICS,
)

HINTS = Hints(
    strategy="The punches alone do not give the result: read the rules, ask for the missing "
    "information, then count. Find out early whom to ask, and count while you wait for the answer.",
    where="The manual next to the data has each department's rules. Its last section says what "
    "is not marked in the data, and whom to ask about it. The answer arrives in the chat a few "
    "minutes later.",
    how="Read the manual with files_read and ask with chat_send_message, naming department and "
    "month. Read the punch file in pages (files_read) or select rows with sheets_query. Before you "
    "count anything, leave out what does not count. Then take each person's first in and last out "
    "of each day, and apply the department's hours and grace.",
)


def task_words(question: AttendanceQuery, heads: int) -> str:
    """The task in words; *heads* is the number of employees in question."""
    metric = question.ranks_by
    if metric is None:
        return _TASKS[question.type]
    if question.mode is not None:
        end = "most" if question.mode.most else "fewest"
        none = (
            ""
            if question.mode.most
            else f"; an employee with no {metric} day counts as 0 days and 0 minutes"
        )
        return (
            f"name the employee with the {end} {metric} days ({DAYS[metric]}; break ties by the "
            f"{end} {metric} minutes, and name everybody who still ties{none})"
        )
    count = top_count(heads, question.percent)
    return (
        f"name the top {question.percent} per cent of employees by {metric} days "
        f"({DAYS[metric]}): rank by {metric} days, then {metric} minutes, both descending; take "
        f"the first {count} of {heads} employees, and everyone who has as many {metric} days and "
        f"{metric} minutes as the last of them"
    )


@dataclass(frozen=True)
class AttendanceBrief:
    """The facts that the objective states. It is about ``first`` to ``last``, or without ``last``
    about the month that begins with ``first``. The name of the file states the question.
    """

    folder: str
    output: str
    task: str
    first: date
    last: date | None = None

    @property
    def question(self) -> AttendanceQuery:
        """The question. Raises ValueError if the file's name does not state one."""
        found = FILE_NAME.search(self.output)
        if found is None:
            raise ValueError(f"{self.output} states no question")
        return found

    @property
    def scope(self) -> DepartmentScope:
        """The department in question, or all of them."""
        return self.question.scope

    @property
    def days(self) -> tuple[date, ...]:
        """The workdays in question."""
        days, last = workdays(self.first.replace(day=1)), self.last or date.max
        return tuple(day for day in days if self.first <= day <= last)

    @property
    def fields(self) -> str:
        """The description of the file's fields, with a note on their order or rounding."""
        last = ""
        if self.question.type.lists_people:
            last = "\nThe order of the employees does not matter."
        elif self.question.type in _ROUNDED:
            last = "\nRound only the final result."
        everybody = (
            "of all departments" if self.scope is DepartmentScope.ALL else "of the department"
        )
        fields = deliverable_model(self.question).describe()
        return fields.replace(IN_QUESTION, f"for all employees {everybody}") + last


_TASK = (
    ": {task}.\n"
    "The punches, the staff roster and the manual are in {folder} on the company's drive. Count "
    "exactly as the manual says. The manual also says whom to ask for information that is not in "
    "this folder; without that information, the result is wrong.\n"
    "Hand in {output}, a JSON file with exactly these fields:\n{fields}"
)
_WRITTEN: Mapping[str, Converter[Any]] = {"scope": one_of(SCOPES), "folder": PATH, "output": PATH}
OBJECTIVE = FirstOf(
    [
        TextTemplate(
            AttendanceBrief,
            "Attendance of {scope} in {first}" + _TASK,
            {**_WRITTEN, "first": MONTH},
            fixed={"last": None},
        ),
        TextTemplate(
            AttendanceBrief, "Attendance of {scope} from {first} to {last}" + _TASK, _WRITTEN
        ),
    ]
)

# the clue -----------------------------------------------------------------------------------

CLOSURES = "closures"
_REASONS = (
    "the power was off in our part of the building",
    "we moved to other rooms",
    "the heating was being repaired",
    "water had leaked through the ceiling",
    "a new floor was being laid",
    "the fire alarms were being replaced",
)


@dataclass(frozen=True)
class ClosureDay:
    """A day on which a department was closed; *reason* is empty if it is not told."""

    department: str
    day: date
    reason: str = ""

    @property
    def weekday(self) -> str:
        """The name of the weekday."""
        return f"{self.day:%A}"


@dataclass(frozen=True)
class Closures:
    """All closure days of a month."""

    month: date
    days: tuple[ClosureDay, ...]


_DEPARTMENT = {"department": one_of({name: name for name in DEPARTMENTS})}
_WITH_REASON = TextTemplate(
    ClosureDay,
    "{department} was closed on {weekday}, {day}: {reason}",
    _DEPARTMENT | {"reason": one_of({reason: reason for reason in _REASONS})},
)
_CLOSURE = TextTemplate(
    ClosureDay, "{department} was closed on {weekday}, {day}", _DEPARTMENT, fixed={"reason": ""}
)
OF_ONE = HiddenFact(
    name=CLOSURES,
    questions=(
        "Which days in {month} {year} were closure days of {name}?",
        "On which days in {month} was {name} closed?",
        "When was your department closed in {month}?",
        "Which closure days did your department have in {month}?",
        "Did {name} have any closure days in {month} {year}?",
        "Was {name} shut on any days in {month}?",
        "Which {month} dates should I leave out of the attendance statistics of {name}?",
        "Were there days in {month} on which the punches of {name} do not count?",
        "I am evaluating {csv}: on which days was {name} closed?",
        "Are there days in {month} that I have to exclude from the attendance data of {name}?",
        "Is there a day in {month} that does not count as a workday in {name}?",
        "On which dates in {month} could nobody of {name} work in the office?",
        "Was {name} out of its rooms in {month}, for building work or repairs, and when?",
    ),
    answer=TextTemplate(
        Closures,
        "{days}. There were no other closure days in {month}.",
        {"days": separated(_WITH_REASON.converter(), ". "), "month": MONTH},
    ),
)
OF_ALL = HiddenFact(
    name=CLOSURES,
    questions=(
        "Which departments had closure days in {month} {year}, and when?",
        "On which days in {month} were departments closed?",
        "Which closure days did you collect for {month}?",
        "Which department was closed on which day in {month}?",
        "Were there any closure days in {month} {year}?",
        "Which departments were shut in {month}, and when?",
        "Could you send me the closure days of all departments in {month} {year}?",
        "Which {month} dates should I leave out of the attendance statistics of the company?",
        "Were there days in {month} on which the punches of a department do not count?",
        "I am evaluating {csv}: which departments were closed on which days?",
        "Are there days in {month} that I have to exclude from the attendance data?",
        "Are there days in {month} that do not count as workdays in a department?",
        "On which dates in {month} could a department not work in its rooms?",
        "Which departments had to stay out of the office in {month}, for building work or repairs?",
    ),
    answer=TextTemplate(
        Closures,
        "In {month}, {days}. No other department was closed.",
        {"days": separated(_CLOSURE.converter(), "; "), "month": MONTH},
    ),
)


def closures_fact(scope: DepartmentScope) -> HiddenFact[Closures]:
    """The clue about the departments in *scope*."""
    return OF_ALL if scope is DepartmentScope.ALL else OF_ONE


def about(scope: DepartmentScope, first: date, csv: str) -> dict[str, str]:
    """The slots of the questions about the month that begins with *first* and its file *csv*."""
    return {"name": scope.value, "month": f"{first:%B}", "year": f"{first:%Y}", "csv": csv}


def told_closures(
    scope: DepartmentScope, sheet: AttendanceSheet, closed: ClosureDays, draws: Random
) -> Closures:
    """The closure days as they are told.

    *draws* must be open: then a head who corrects the days gives the same reason again for each day
    that stays.
    """
    days = [(name, day) for name, closed_on in closed.items() for day in closed_on]
    known = scope is not DepartmentScope.ALL
    reasons = draws.choices(_REASONS, k=len(sheet.days))
    told = (ClosureDay(name, sheet.days[day], reasons[day] if known else "") for name, day in days)
    return Closures(sheet.days[0].replace(day=1), tuple(told))
