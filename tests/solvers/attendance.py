"""Solver of the family attendance: absent days, overtime, and who is late or early most often."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.solvers.office import Office, Session, asked_fields, find, target_file

FOLDER = "drive:/attendance"
MANUAL = f"{FOLDER}/attendance_rules.md"
ROSTER = f"{FOLDER}/staff_roster.json"
FIRST_VALID, LAST_VALID = 6 * 60, 23 * 60 + 59
FLEXIBLE_GRACE, LUNCH, FLEXIBLE_DAY = 30, 60, 9 * 60
OVERTIME_FROM, BLOCK = 18 * 60 + 30, 30
MONTHS = (
    "January February March April May June July August September October November December"
).split()


def minutes(clock: str) -> int:
    """A time of day, HH:MM, as minutes."""
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


@dataclass
class Hours:
    """The working hours of a department."""

    start: int
    end: int
    flexible: bool
    grace_late: int
    grace_early: int
    head: str


@dataclass
class Tally:
    """What is counted for one employee."""

    employee: dict[str, Any]
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def read_hours(manual: str) -> dict[str, Hours]:
    """Read the manual's table of departments."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in manual.splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    table = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
    return {
        row["Department"]: Hours(
            minutes(row["Start"]),
            minutes(row["End"]),
            row["Hours"] == "flexible",
            grace(row["Grace late"]),
            grace(row["Grace early"]),
            row.get("Head", ""),
        )
        for row in table
    }


def grace(cell: str) -> int:
    """The minutes of grace in a cell of the table."""
    number = re.search(r"\d+", cell)
    return int(number.group()) if number else 0


def read_closures(answer: str) -> list[tuple[str, str]]:
    """The closure days of an answer as (department, date)."""
    return re.findall(r"(\w+) was closed on (?:\w+, )?(\d{4}-\d\d-\d\d)", answer)


def is_about_closures(answer: str) -> bool:
    """Whether an answer tells the closure days."""
    return bool(read_closures(answer)) or "closure days in" in answer


async def find_closures(
    office: Office, manual: str, hours: dict[str, Hours], departments: list[str], month: str
) -> set[tuple[str, str]]:
    """Ask those whom the manual names for the closure days."""
    one = re.search(r"whole company: (.+?) \(", manual)
    if one:
        question = f"Hello, on which days in {month} were departments closed, and which ones?"
        answer = await office.ask(one[1], question, is_about_closures)
        return set(read_closures(answer))
    closures: set[tuple[str, str]] = set()
    for department in departments:
        question = f"Hello, on which days in {month} was the department {department} closed?"
        answer = await office.ask(hours[department].head, question, is_about_closures)
        closures |= set(read_closures(answer))
    return closures


def workdays(year: int, month: int) -> list[str]:
    """The dates from Monday to Friday of a month."""
    day = date(year, month, 1)
    days = []
    while day.month == month:
        if day.weekday() < 5:
            days.append(day.isoformat())
        day += timedelta(days=1)
    return days


def count_day(tally: Tally, punches: list[dict[str, str]], hours: Hours) -> None:
    """Count one workday of one employee."""
    valid = [
        (minutes(punch["timestamp"][11:16]), punch["io"])
        for punch in punches
        if FIRST_VALID <= minutes(punch["timestamp"][11:16]) <= LAST_VALID
    ]
    ins = [time for time, io_ in valid if io_ == "in"]
    outs = [time for time, io_ in valid if io_ == "out"]
    if not ins or not outs:
        tally.counts["absent_days"] += 1
        return
    first, last = min(ins), max(outs)
    tally.counts["present_days"] += 1
    tally.counts["presence_minutes"] += last - first
    late = first - hours.start
    if late > (FLEXIBLE_GRACE if hours.flexible else hours.grace_late):
        tally.counts["late_days"] += 1
        tally.counts["late_minutes"] += late
    early = FLEXIBLE_DAY - (last - first - LUNCH) if hours.flexible else hours.end - last
    if early > (0 if hours.flexible else hours.grace_early):
        tally.counts["early_days"] += 1
        tally.counts["early_minutes"] += early
    extra = last - max(OVERTIME_FROM, hours.end)
    if extra > 0:
        tally.counts["overtime_minutes"] += extra // BLOCK * BLOCK


def report_of(objective: str, tallies: list[Tally]) -> dict[str, Any]:
    """Make the report that the objective asks for."""
    report: dict[str, Any] = {}
    for name in asked_fields(objective):
        if name == "total_absence_days":
            report[name] = sum(tally.counts["absent_days"] for tally in tallies)
        elif name == "presence_minutes":
            report[name] = sum(tally.counts["presence_minutes"] for tally in tallies)
        elif name == "average_overtime_hours":
            total = sum(tally.counts["overtime_minutes"] for tally in tallies)
            average = Decimal(total) / 60 / len(tallies)
            report[name] = float(average.quantize(Decimal("0.01"), ROUND_HALF_UP))
        elif name == "employees":
            report[name] = top_employees(objective, tallies)
        else:
            raise ValueError(f"the objective asks for {name}: {objective}")
    return report


def top_employees(objective: str, tallies: list[Tally]) -> list[dict[str, Any]]:
    """The first employees of the ranking, and those tied with the last of them."""
    rank = find(r"rank by (\w+ days), then (\w+ minutes), both descending", objective)
    keys = [words.replace(" ", "_") for words in rank.groups()]
    taken = int(find(r"take the first (\d+) of \d+ empl", objective)[1])

    def place(tally: Tally) -> list[int]:
        return [tally.counts[key] for key in keys]

    last = place(sorted(tallies, key=place, reverse=True)[taken - 1])
    names = re.findall(r"^  - `(\w+)`", objective, re.MULTILINE)
    return [
        {name: tally.employee.get(name, tally.counts[name]) for name in names}
        for tally in tallies
        if place(tally) >= last
    ]


async def count(office: Office, objective: str) -> list[Tally]:
    """Count the attendance of the month and of the departments that the objective names."""
    about, name, year = find(r"Attendance of (.+?) in (\w+) (\d{4}):", objective).groups()
    month = MONTHS.index(name) + 1
    manual = await office.read(MANUAL)
    roster = json.loads(await office.read(ROSTER))
    table = await office.read(f"{FOLDER}/attendance_{year}-{month:02}.csv")
    hours = read_hours(manual)
    one = re.fullmatch(r"the (\w+) department", about)
    departments = [one[1]] if one else list(hours)
    closures = await find_closures(office, manual, hours, departments, f"{name} {year}")
    punches: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for punch in csv.DictReader(io.StringIO(table)):
        punches[punch["employee_id"], punch["timestamp"][:10]].append(punch)
    tallies = [Tally(person) for person in roster if person["department"] in departments]
    for tally in tallies:
        department = tally.employee["department"]
        for day in workdays(int(year), month):
            if (department, day) not in closures:
                key = (tally.employee["employee_id"], day)
                count_day(tally, punches[key], hours[department])
    return tallies


async def solve(session: Session) -> None:
    """Report the attendance of every task."""
    office = Office(session)
    for task in await office.tasks():
        report = report_of(task.objective, await count(office, task.objective))
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
