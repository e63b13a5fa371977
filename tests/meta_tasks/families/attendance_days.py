"""Scenes and days of the attendance family; a recount that shares no code with it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta

from pydantic import JsonValue

from tests.meta_tasks.days import day_with, hand_in, texts_of, truth_of, with_truth
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.attendance import Attendance
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    AttendanceTruth,
)
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scenario import TaskSpec

RULES = [rule.id for rule in Attendance.rules()]
TYPES = (
    "has_late_or_early",
    "total_absence_days",
    "avg_late_early_days",
    "average_overtime_hours",
    "attendance_statistics",
    "late_early_employee",
    "top_percent_employees",
    "employees_with_most_remote_days",
    "employees_with_perfect_attendance",
)


def day_of(rule: str, seed: int, **parameters: JsonValue) -> ComposedDay:
    """A day with one task of *rule*, some of whose parameters are fixed."""
    return day_with(TaskSpec(rule=rule, parameters=parameters), seed=seed, name=rule)


def scene_of(rule: str, seed: int, **parameters: JsonValue) -> TaskInstance[AttendanceTruth]:
    instance: TaskInstance[AttendanceTruth] = day_of(rule, seed, **parameters).tasks[0].instance
    return instance


def files_of(instance: TaskInstance[AttendanceTruth]) -> dict[str, str]:
    """The texts of the files of a scene, by the last part of their path."""
    return {path.rpartition("/")[2]: text for path, text in texts_of(instance).items()}


def csv_of(instance: TaskInstance[AttendanceTruth]) -> str:
    return next(text for name, text in files_of(instance).items() if name.endswith(".csv"))


def manual_of(instance: TaskInstance[AttendanceTruth]) -> str:
    return files_of(instance)["attendance_rules.md"]


def worked_example(rule: str, right: AttendanceAnswer, **parameters: JsonValue) -> ComposedDay:
    """A day of *rule* whose right answer is *right* instead of the drawn one."""
    plain = day_of(rule, 1, **parameters)
    return with_truth(plain, replace(truth_of(plain), answer=right))


async def outcomes(day: StagedDay, work: JsonValue) -> dict[str, bool]:
    """Whether each checkpoint passes, without the process point."""
    return dict([*(await hand_in(day, work)).items()][:-1])


# a recount, from what is written in the files and in the clue ------------------------------

_HOURS = {  # starts, ends, graces, whether one punch will do
    "L1": (time(9), time(18), 10, True),
    "L2": (time(9, 30), time(18, 30), 5, False),
    "L3": (time(9), time(18), 5, False),
    "L4": (time(10), time(20), 0, False),
    "L5": (time(9), time(18), 5, False),
}


@dataclass
class Recount:
    """One employee's month, added up."""

    id: str
    name: str
    late: list[int] = field(default_factory=list)
    early: list[int] = field(default_factory=list)
    absent: int = 0
    present: int = 0
    overtime: int = 0
    all_overtime: int = 0
    remote: int = 0
    minutes: int = 0


def recount(
    instance: TaskInstance[AttendanceTruth], level: str, *, closed: bool = True
) -> list[Recount]:
    """Everybody asked about; without *closed*, as if there had been no closure days."""
    shut = (
        re.findall(r"(\w+) was closed on \w+, (\S{10})", instance.hidden.clues[0].payload) * closed
    )
    punches: dict[tuple[str, str], list[tuple[datetime, str, bool]]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(csv_of(instance))):
        at = datetime.fromisoformat(row["timestamp"])
        if at.time() >= time(6):
            key = row["employee_id"], f"{at:%Y-%m-%d}"
            punches[key].append((at, row["io"], row["tags"] == "remote"))
    counted = []
    for employee in json.loads(files_of(instance)["staff_roster.json"]):
        if instance.graded.truth.question.scope not in ("all", employee["department"]):
            continue
        month = Recount(employee["employee_id"], employee["name"])
        flexible = f"| {employee['department']} | 10:00 | 20:00 | flexible |" in manual_of(instance)
        for day in _days(instance):
            if (employee["department"], day) not in shut:
                _add(month, punches[month.id, day], "L4" if flexible else level)
        counted.append(month)
    return counted


def _days(instance: TaskInstance[AttendanceTruth]) -> list[str]:
    period = re.search(r"from (\S{10}) to (\S{10}):", instance.told.objective)
    named = next(name for name in files_of(instance) if name.endswith(".csv"))
    first = datetime.strptime(named, "attendance_%Y-%m.csv")
    days = [first + timedelta(days=number) for number in range(31)]
    found = [f"{d:%Y-%m-%d}" for d in days if d.month == first.month and d.weekday() < 5]
    return [d for d in found if period is None or period[1] <= d <= period[2]]


def _add(month: Recount, punches: list[tuple[datetime, str, bool]], level: str) -> None:
    starts, ends, grace, one_will_do = _HOURS[level]
    first = min((at for at, io, _ in punches if io == "in"), default=None)
    last = max((at for at, io, _ in punches if io == "out"), default=None)
    if not punches or (not one_will_do and (first is None or last is None)):
        month.absent += 1
        return
    month.present += 1
    month.remote += any(remote for _, _, remote in punches)
    begin, end = (datetime.combine(punches[0][0], clock) for clock in (starts, ends))
    if first and last:
        month.minutes += (last - first) // timedelta(minutes=1)
    if first and first > begin + timedelta(minutes=30 if level == "L4" else grace):
        month.late.append((first - begin) // timedelta(minutes=1))
    if last:
        over = (last - max(end, end.replace(hour=18, minute=30))) // timedelta(minutes=1)
        if level == "L4":
            over = (last - end) // timedelta(minutes=1)
        month.overtime += max(0, over) // 30 * 30
        month.all_overtime += max(0, over)
    if level == "L4" and first and last:
        short = timedelta(hours=10) - (last - first)
        if short > timedelta():
            month.early.append(short // timedelta(minutes=1))
    elif last and level != "L4" and last < end - timedelta(minutes=grace):
        month.early.append((end - last) // timedelta(minutes=1))


def answer_of(
    instance: TaskInstance[AttendanceTruth], months: list[Recount]
) -> Mapping[str, JsonValue]:
    """The deliverable for the counted *months*."""
    asked, heads = instance.graded.truth.question, len(months)
    late, early = (sum(len(getattr(m, n)) for m in months) for n in ("late", "early"))
    absent, present = sum(m.absent for m in months), sum(m.present for m in months)
    control = {"presence_minutes": sum(m.minutes for m in months)}
    averages = {"avg_late_days": late / heads, "avg_early_days": early / heads}
    match asked.type.value:
        case "has_late_or_early":
            return {"has_late_or_early": late + early > 0, "person_days": present, **control}
        case "total_absence_days":
            return {"total_absence_days": absent, **control}
        case "avg_late_early_days":
            return {**averages, **control}
        case "average_overtime_hours":
            hours = sum(m.overtime for m in months) / 60 / heads
            return {"average_overtime_hours": hours, **control}
        case "attendance_statistics":
            rate = 100 * present / (present + absent)
            absence = {"avg_absence_days": absent / heads, "attendance_rate": rate}
            return {"employees": heads, **averages, **absence, **control}
        case "employees_with_most_remote_days":
            most = max(m.remote for m in months)
            chosen = [(m, {"remote_days": most}) for m in months if m.remote == most]
        case "employees_with_perfect_attendance":
            perfect = [m for m in months if not (m.late or m.early or m.absent)]
            chosen = [(m, {}) for m in perfect]
        case _:
            chosen = _ranked(instance, months)
    rows = [
        {"employee_id": m.id, "name": m.name, **values, "presence_minutes": m.minutes}
        for m, values in chosen
    ]
    return {"employees": rows}  # type: ignore[dict-item]


def _ranked(
    instance: TaskInstance[AttendanceTruth], months: list[Recount]
) -> list[tuple[Recount, dict[str, int]]]:
    asked = instance.graded.truth.question
    by = str(asked.metric or asked.mode).rpartition("_")[2]
    pairs = {m.id: (len(getattr(m, by)), sum(getattr(m, by))) for m in months}
    order = sorted(pairs.values(), reverse=not str(asked.mode).startswith("least"))
    last = order[max(1, (len(months) * asked.percent + 99) // 100) - 1]
    chosen = [m for m in months if order.index(pairs[m.id]) <= order.index(last)]
    return [(m, {f"{by}_days": pairs[m.id][0], f"{by}_minutes": pairs[m.id][1]}) for m in chosen]
