"""The honest solver: read the manual, ask for the closure days, count the punches."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from trainee_bench.meta_tasks.authoring.asking import MAX_WAIT_FOR_ANSWER, id_of
from trainee_bench.meta_tasks.families.attendance.answers import AttendanceAnswer, compute_answer
from trainee_bench.meta_tasks.families.attendance.month import workdays
from trainee_bench.meta_tasks.families.attendance.policy import AttendanceRules
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    RankingMetric,
    RankingMode,
)
from trainee_bench.meta_tasks.families.attendance.tally import AttendanceSheet, Employee, WorkedDay
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

_FOLDER = re.compile(r"drive:/attendance[\w/-]*")
_PATH = re.compile(r"workspace:/dept_\S+\.json")
_PERIOD = re.compile(r"from (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)")
_TOP = re.compile(r"top(\d+)_(late|early)")
_ROW = re.compile(
    r"^\| (?P<name>\w+) \| (?P<starts>\d\d:\d\d) \| (?P<ends>\d\d:\d\d) \| (?P<hours>\w+) "
    r"\| (?:(?P<late>\d+) min|–) \| (?:(?P<early>\d+) min|–) \|(?: (?P<head>[^|]+) \|)?$",
    re.MULTILINE,
)
_KEEPER = re.compile(r"whole company: ([^(]+) \(")
_CLOSED = re.compile(r"(\w+) was closed on \w+, (\d{4}-\d\d-\d\d)")
_ANY_ONE = "With only an `in`"


@dataclass(frozen=True)
class _Task:
    """What the objective says."""

    question: AttendanceQuery
    folder: str
    path: str
    period: tuple[str, str] | None


async def evaluate_attendance(client: ToolClient) -> None:
    """Hand in what is asked. Raises ToolFailed if nobody tells the closure days."""
    task = _parse_objective(str((await wait_for_task(client))["objective"]))
    files = await _files(client, task.folder)
    text = await read_text(client, files["md"])
    asked = await _ask_for_closures(client, task.question, text, files["csv"])
    roster = json.loads(await read_text(client, files["roster"]))
    punches = await read_text(client, files["csv"])
    told = await _closure_days(client, asked)
    sheet = _sheet(task, _rules(text), roster, punches)
    closed: dict[str, tuple[int, ...]] = {
        name: tuple(sheet.days.index(day) for day in days if day in sheet.days)
        for name, days in told.items()
    }
    right = compute_answer(task.question, sheet, closed)
    await client.call("files_write", path=task.path, text=_as_json(right))
    await client.call("desk_submit", task=client.task)


@dataclass(frozen=True)
class _SentQuestion:
    """A question that was put in the chat."""

    person: str
    message: int
    at: datetime


# what is asked --------------------------------------------------------------------------


def _parse_objective(objective: str) -> _Task:
    folder, path, period = (
        _FOLDER.search(objective),
        _PATH.search(objective),
        _PERIOD.search(objective),
    )
    if folder is None or path is None:
        raise LookupError(f"the objective names no folder or no file: {objective}")
    name = path.group().partition("dept_")[2]
    scope = next(scope for scope in DepartmentScope if name.startswith(f"{scope}_"))
    return _Task(
        _question(scope, name.removeprefix(f"{scope}_").removesuffix(".json")),
        folder.group(),
        path.group(),
        (period[1], period[2]) if period else None,
    )


def _question(scope: DepartmentScope, suffix: str) -> AttendanceQuery:
    top = _TOP.match(suffix)
    if top is not None:
        return AttendanceQuery(
            AttendanceQueryType.TOP, scope, percent=int(top[1]), metric=RankingMetric(top[2])
        )
    for mode in RankingMode:
        if suffix.startswith(mode):
            return AttendanceQuery(AttendanceQueryType.EXTREME, scope, mode)
    return AttendanceQuery(
        next(type for type in AttendanceQueryType if suffix.startswith(type)), scope
    )


# what is read and told ------------------------------------------------------------------


async def _files(client: ToolClient, folder: str) -> dict[str, str]:
    """The files of the folder, by what they are."""
    listed = await client.call("files_list", folder=folder)
    paths = [str(entry["path"]) for entry in listed.data["entries"]]
    return {
        "csv": next(path for path in paths if path.endswith(".csv")),
        "roster": next(path for path in paths if path.endswith("roster.json")),
        "md": next(path for path in paths if path.endswith(".md")),
    }


async def _ask_for_closures(
    client: ToolClient, question: AttendanceQuery, manual: str, csv_path: str
) -> _SentQuestion:
    """Write to whom the manual names; the answer comes while other things are read."""
    file = csv_path.rpartition("/")[2]
    month = date.fromisoformat(file[len("attendance_") :].partition(".")[0] + "-01")
    if question.scope is DepartmentScope.ALL:
        named = _KEEPER.search(manual)
        person = named.group(1) if named else ""
        words = f"Which departments had closure days in {month:%B %Y}, and when?"
    else:
        rows = {row["name"]: row["head"] for row in _ROW.finditer(manual)}
        person = rows[question.scope.value]
        words = f"Which days in {month:%B %Y} were closure days of {question.scope}?"
    id = await id_of(client, person)
    sent = await client.call("chat_send_message", to=id, text=words)
    return _SentQuestion(id, sent.data["message"]["id"], sent.time)


async def _closure_days(client: ToolClient, asked: _SentQuestion) -> Mapping[str, list[date]]:
    """When which department was closed. Raises ToolFailed if nobody tells."""
    while True:
        history = await client.call("chat_read_history", peer=asked.person, after=asked.message)
        for message in history.data["messages"]:
            if message["answers"] == asked.message and not message["automatic"]:
                told = _CLOSED.findall(message["text"])
                if not told:
                    raise ToolFailed(f"{asked.person} does not tell: {message['text']}")
                days: defaultdict[str, list[date]] = defaultdict(list)
                for name, day in told:
                    days[name].append(date.fromisoformat(day))
                return days
        if history.time >= asked.at + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{asked.person} has not answered")
        await client.wait_at_least(3)


# counting -------------------------------------------------------------------------------


def _rules(manual: str) -> dict[str, AttendanceRules]:
    """The rules of each department, from the manual's table."""
    both_needed = _ANY_ONE not in manual
    return {
        row["name"]: AttendanceRules(
            _minutes(row["starts"]),
            _minutes(row["ends"]),
            row["hours"] == "flexible",
            int(row["late"] or 0),
            int(row["early"] or 0),
            both_needed,
        )
        for row in _ROW.finditer(manual)
    }


def _sheet(
    task: _Task, rules: Mapping[str, AttendanceRules], roster: list[dict[str, str]], punches: str
) -> AttendanceSheet:
    staff = [
        Employee(one["employee_id"], one["name"], one["department"])
        for one in roster
        if one["department"] in task.question.scope.departments
    ]
    read = _entries(punches, {one.id: rules[one.department] for one in staff})
    first = min(day for _, day in read)[:8] + "01"
    days = [
        day
        for day in workdays(date.fromisoformat(first))
        if task.period is None or task.period[0] <= day.isoformat() <= task.period[1]
    ]
    entries = [[read.get((one.id, day.isoformat())) for day in days] for one in staff]
    return AttendanceSheet(staff, days, entries, rules)


def _entries(
    punches: str, rules: Mapping[str, AttendanceRules]
) -> dict[tuple[str, str], WorkedDay]:
    """First in and last out of each employee (by id) and day, of the punches that count."""
    found: dict[tuple[str, str], WorkedDay] = {}
    for row in csv.DictReader(io.StringIO(punches)):
        id, (day, _, at) = row["employee_id"], row["timestamp"].partition("T")
        if id not in rules or not rules[id].opens <= _minutes(at) <= rules[id].closes:
            continue
        arrives, leaves, remote = found.get((id, day), WorkedDay(None, None, False))
        if row["io"] == "in":
            arrives = _minutes(at) if arrives is None else min(arrives, _minutes(at))
        else:
            leaves = _minutes(at) if leaves is None else max(leaves, _minutes(at))
        found[id, day] = WorkedDay(arrives, leaves, remote or row["tags"] == "remote")
    return found


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _as_json(right: AttendanceAnswer) -> str:
    """The answer as JSON, rounded to two decimals."""
    if not right.figures:
        people = [
            {"employee_id": one.employee_id, "name": one.name, **dict(one.figures)}
            for one in right.people
        ]
        return json.dumps({"employees": people}, indent=2)
    rounded = {
        name: float(round(value, 2)) if isinstance(value, Fraction) else value
        for name, value in right.figures
    }
    return json.dumps(rounded, indent=2)
