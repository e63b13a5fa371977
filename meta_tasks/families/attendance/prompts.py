"""What is asked, in words, and the hints to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.families.attendance.answers import top_count
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    RankingMetric,
)
from trainee_bench.meta_tasks.meta_task import Hints

_ROUNDING = "Round only at the end, from the exact number, to two decimals."
_ORDER = "The order of the employees does not matter."


def objective(
    question: AttendanceQuery,
    folder: str,
    path: str,
    model: type[Deliverable],
    days: Sequence[date],
    heads: int,
) -> str:
    """The whole objective."""
    asked = f"{_scope(question.scope)} {_period(days, question)}: {_asked(question, heads)}."
    data = (
        f"The punches, the staff roster and the manual are in {folder} on the company's drive. "
        "Count exactly as the manual says. It also says who tells you what no file has; without "
        "that the result is wrong."
    )
    fields = f"Hand in {path}, JSON with exactly these fields:\n{model.describe()}"
    last = _ORDER if question.type.lists_people else _ROUNDING if _rounds(question) else ""
    return "\n".join([f"Attendance of {asked}", data, fields, last]).rstrip("\n")


def title(question: AttendanceQuery, days: Sequence[date]) -> str:
    """A line for the list of tasks."""
    return f"Attendance in {days[0]:%B}: {_scope(question.scope)}"


def _scope(scope: DepartmentScope) -> str:
    if scope is DepartmentScope.ALL:
        return "all departments together"
    return f"the department {scope}"


def _period(days: Sequence[date], question: AttendanceQuery) -> str:
    if question.type is AttendanceQueryType.HAS:
        return f"from {days[0].isoformat()} to {days[-1].isoformat()}"
    return f"in {days[0]:%B %Y}"


def _rounds(question: AttendanceQuery) -> bool:
    return question.type in (
        AttendanceQueryType.AVERAGE_DAYS,
        AttendanceQueryType.OVERTIME,
        AttendanceQueryType.STATISTICS,
    )


def _asked(question: AttendanceQuery, heads: int) -> str:
    match question.type:
        case AttendanceQueryType.HAS:
            return "find out whether anybody came late or left early"
        case AttendanceQueryType.ABSENCE:
            return "count the days on which employees were absent"
        case AttendanceQueryType.AVERAGE_DAYS:
            return "work out the average numbers of late days and of early days per employee"
        case AttendanceQueryType.OVERTIME:
            return "work out the average overtime per employee"
        case AttendanceQueryType.STATISTICS:
            return "draw up the attendance statistics"
        case AttendanceQueryType.REMOTE:
            return (
                "name the employees with the most remote days (everybody who has the largest "
                "number)"
            )
        case AttendanceQueryType.PERFECT:
            return (
                "name the employees with perfect attendance (no late, no early and no absent day)"
            )
        case _:
            return _ranking(question, heads)


def _ranking(question: AttendanceQuery, heads: int) -> str:
    metric = "late" if question.ranks_by is RankingMetric.LATE else "early"
    if question.mode is not None:
        end = "most" if question.mode.most else "fewest"
        none = "" if question.mode.most else f"; who has no {metric} day has 0 of both"
        return (
            f"name the employee with the {end} {metric} days (if several have equally many, the "
            f"one of them with the {end} {metric} minutes; if these are equal, too, all of "
            f"them{none})"
        )
    count = top_count(heads, question.percent)
    return (
        f"name the top {question.percent} per cent of employees by {metric} days: ranked by "
        f"{metric} days, where these are equal by {metric} minutes, the largest first, the first "
        f"{count} of {heads} employees, and everybody who ties in both with the last of these"
    )


HINTS = Hints(
    strategy="The punches alone do not give the result: first the rules, then what no file has, "
    "then count. Find out early whom to ask, and count while the answer is on its way.",
    where="The manual beside the data has the rules of each department and, at its end, what is "
    "not marked in the data and who tells it. The chat has the answer some minutes later.",
    how="Read the manual with files_read and ask with chat_send_message, naming department and "
    "month. Rows of the punch file can be read in pages (files_read) or selected with "
    "sheets_query. Leave out what does not count before you count anything; then take the first "
    "in and the last out of each person and day, and mind the department's hours and grace.",
)
