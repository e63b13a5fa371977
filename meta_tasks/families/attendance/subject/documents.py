"""Writers and parsers of a month's files: manual, roster, punches and approvals."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from operator import itemgetter
from random import Random

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    LINE,
    WORD,
    Converter,
    Handbook,
    TextTemplate,
    ValueTemplate,
    head_of,
    one_of,
)
from trainee_bench.meta_tasks.families.attendance.subject.month import AttendanceMonth
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceRules,
    Employee,
    WorkedDay,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import DepartmentScope
from trainee_bench.world.company.people import Company, Person

MANUAL_NAME = "attendance_rules.md"
MANUAL = Handbook(
    path=f"drive:/attendance/{MANUAL_NAME}",
    resource="trainee_bench.meta_tasks.families.attendance/manual.md",
    topic="attendance rules",
    questions=(
        "Where are the attendance rules?",
        "Which rules apply to counting attendance?",
        "Is there a manual for attendance?",
        "How are punches counted?",
        "When is somebody counted as late or absent?",
        "Where can I read how working hours and overtime are counted?",
        "Which document says what counts as lateness?",
        "Is it written down how clock-in times are evaluated?",
        "Do we have a policy on coming late and leaving early?",
        "Where do I look up how many minutes of tardiness are tolerated?",
        "Are there instructions for timekeeping and punctuality?",
        "How are days of remote work counted in the attendance?",
    ),
    referral=f"That is in the manual next to the punches on the drive: {MANUAL_NAME} in the folder "
    "attendance.",
)
_NOT_APPROVED = "A forgotten punch stays missing; none is approved afterwards."
_APPROVED = (
    "A forgotten punch can be approved afterwards. The approved punches are listed in "
    "approvals.json; they are already among the punches (source `approval`) and count like any "
    "other, at the approved time."
)
_ONE_IS_ENOUGH = (
    "With only a valid `in` or only a valid `out`, the day counts as present. Without a valid "
    "`in`, it is not late; leaving early and overtime count as on any other day. Without a valid "
    "`out`, it is not early and has no overtime."
)
_BOTH_NEEDED = "So is a workday without a valid `in` or without a valid `out`."
_ASK_HR = ValueTemplate(
    "HR knows them for the whole company: {value} can tell you in the chat.", LINE
)
_ASK_HEAD = "Ask the head of the department for them in the chat."
_HEADER = "| Department | Start | End | Hours | Grace late | Grace early |"
_NOON = 12 * 60
_ODD = 30
"""The number of days with more than two punches, or with one before the doors open."""


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


MINUTES: Converter[int] = Converter(
    r"\d\d:\d\d", _minutes, lambda minutes: f"{minutes // 60:02}:{minutes % 60:02}"
)
"""Minutes of the day, written as 09:05."""

# the manual ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class DepartmentRow:
    """A department in the manual's table, with its head if the head is the person to ask."""

    department: str
    rules: AttendanceRules
    head: str = ""


_GRACE = Converter(
    r"\d+ min|–",
    lambda text: int(text.removesuffix(" min").replace("–", "0")),
    lambda minutes: f"{minutes} min" if minutes else "–",
)
_RULES = TextTemplate(
    AttendanceRules,
    "{starts} | {ends} | {flexible} | {grace_late} | {grace_early}",
    {
        "starts": MINUTES,
        "ends": MINUTES,
        "flexible": one_of({True: "flexible", False: "fixed"}),
        "grace_late": _GRACE,
        "grace_early": _GRACE,
    },
)
_HEAD = Converter(
    rf"(?: {FULL_NAME.pattern} \|)?",
    lambda text: text[1:-2],
    lambda name: f" {name} |" if name else "",
)
_ROW = TextTemplate(
    DepartmentRow,
    "| {department} | {rules} |{head}",
    {"department": WORD, "rules": _RULES.converter(), "head": _HEAD},
)


def closure_contact(company: Company, scope: DepartmentScope) -> Person:
    """The person who knows the closure days of *scope*."""
    return head_of(company, "HR" if scope is DepartmentScope.ALL else scope.value)


def manual_text(
    company: Company, scope: DepartmentScope, month: AttendanceMonth, approves: bool
) -> str:
    """The manual's text, which does not depend on the closure days."""
    some, contact = month.rules_of(0), closure_contact(company, scope)
    is_hr = scope is DepartmentScope.ALL
    header = _HEADER if is_hr else f"{_HEADER} Head |"
    ask = _ASK_HR.render(f"{contact.name} ({contact.title})") if is_hr else _ASK_HEAD
    rows = [
        DepartmentRow(name, policy.rules, "" if is_hr else head_of(company, name).name)
        for name, policy in month.policies.items()
    ]
    table = [header, "|" + "---|" * (header.count("|") - 1), *map(_ROW.render, rows)]
    return MANUAL.text(
        {
            "{month}": f"{month.days[0]:%B %Y}",
            "{opens}": MINUTES.render(some.opens),
            "{closes}": MINUTES.render(some.closes),
            "{forgotten}": _APPROVED if approves else _NOT_APPROVED,
            "{missing}": _BOTH_NEEDED if some.missing_is_absent else _ONE_IS_ENOUGH,
            "{window}": str(some.window),
            "{lunch}": str(some.lunch),
            "{least}": str(some.least // 60),
            "{overtime}": MINUTES.render(some.overtime_from),
            "{block}": str(some.block),
            "{table}": "\n".join(table),
            "{ask}": ask,
        }
    )


def parse_manual(text: str, scope: DepartmentScope) -> tuple[Mapping[str, AttendanceRules], str]:
    """The rules of each department, and the name of the person to ask about *scope*."""
    rows = {row.department: row for row in _ROW.find_all(text)}
    both_needed = _BOTH_NEEDED in text
    rules = {name: replace(row.rules, missing_is_absent=both_needed) for name, row in rows.items()}
    hr = _ASK_HR.search(text)
    return rules, hr.partition(" (")[0] if hr else rows[scope.value].head


# roster, approvals and punches --------------------------------------------------------------


def file_names(first: date, approves: bool) -> list[str]:
    """The names of the files about the month of *first*: manual, roster, punches, and approvals if
    there are any."""
    names = [MANUAL_NAME, "staff_roster.json", f"attendance_{first:%Y-%m}.csv"]
    return [*names, "approvals.json"] if approves else names


def roster_json(staff: Sequence[Employee]) -> str:
    """The employees who clock in, one per line."""
    return _lines([asdict(employee) for employee in staff])


def parse_roster(text: str) -> list[Employee]:
    """The employees who clock in."""
    return [Employee(**row) for row in json.loads(text)]


def approvals_json(month: AttendanceMonth) -> str:
    """The forgotten punches that were approved, one per line."""
    rows = []
    for (place, number), punch in sorted(month.approved.items()):
        day = month.entries[place][number]
        at = day and (day.arrives if punch == "in" else day.leaves)
        assert at is not None, "an approved punch has a time"
        rows.append(
            {
                "employee_id": month.staff[place].employee_id,
                "date": month.days[number].isoformat(),
                "io": punch,
                "approved_time": MINUTES.render(at),
                "status": "approved",
            }
        )
    return _lines(rows)


def _lines(rows: Sequence[Mapping[str, str | bool]]) -> str:
    """A JSON list with one line for each of *rows*."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


def punches_csv(draws: Random, month: AttendanceMonth) -> str:
    """All punches as CSV, by person and in chronological order."""
    people, days = len(month.staff), len(month.days)
    odd = {divmod(drawn, days) for drawn in draws.sample(range(people * days), _ODD)}
    lines = ["employee_id,timestamp,io,source,tags"]
    for place, row in enumerate(month.entries):
        for number, entry in enumerate(row):
            if entry is None:
                continue
            arrives, leaves, remote = entry
            tag, approved = "remote" if remote else "", month.approved.get((place, number))
            punches = []
            if arrives is not None:
                punches.append((arrives, "in", "approval" if approved == "in" else "clock", tag))
            if (place, number) in odd and arrives is not None and leaves is not None:
                for at, punch in _more_punches(draws, month.rules_of(place), arrives, leaves):
                    punches.append((at, punch, "clock", tag if at >= arrives else ""))
            if leaves is not None:
                punches.append((leaves, "out", "approval" if approved == "out" else "clock", tag))
            start = f"{month.staff[place].employee_id},{month.days[number].isoformat()}T"
            lines += [
                f"{start}{MINUTES.render(at)},{punch},{source},{tag}"
                for at, punch, source, tag in sorted(punches, key=itemgetter(0))
            ]
    return "\n".join(lines) + "\n"


def _more_punches(
    draws: Random, rules: AttendanceRules, arrives: int, leaves: int
) -> list[tuple[int, str]]:
    """Punches that change nothing: a second in, a break at noon, or an in before opening."""
    lot = draws.randrange(3)
    if lot == 0:
        return [(min(arrives + draws.randint(1, 20), leaves), "in")]
    if lot == 1 and arrives < _NOON and leaves > _NOON + 60:
        out = _NOON + draws.randint(0, 30)
        return [(out, "out"), (out + draws.randint(15, 30), "in")]
    return [(rules.opens - draws.randint(5, 55), "in")]


def parse_punches(
    text: str, rules: Mapping[str, AttendanceRules]
) -> dict[tuple[str, str], WorkedDay]:
    """First in and last out of the valid punches, by employee id and day (ISO).

    *rules* has the rules of each employee in question, by id.
    """
    found: dict[tuple[str, str], WorkedDay] = {}
    for row in csv.DictReader(io.StringIO(text)):
        id, (day, _, clock) = row["employee_id"], row["timestamp"].partition("T")
        at = MINUTES.parse(clock)
        if id not in rules or not rules[id].opens <= at <= rules[id].closes:
            continue
        arrives, leaves, remote = found.get((id, day), WorkedDay(None, None, False))
        if row["io"] == "in":
            arrives = at if arrives is None else min(arrives, at)
        else:
            leaves = at if leaves is None else max(leaves, at)
        found[id, day] = WorkedDay(arrives, leaves, remote or row["tags"] == "remote")
    return found
