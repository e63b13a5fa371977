"""The files about a month: roster, punches, approvals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from random import Random

from trainee_bench.meta_tasks.families.attendance.month import AttendanceMonth, StaffMember
from trainee_bench.meta_tasks.families.attendance.policy import AttendanceRules, format_clock
from trainee_bench.meta_tasks.families.attendance.tally import WorkedDay

HEADER = "employee_id,timestamp,io,source,tags"
_NOON = 12 * 60
_ODD = 30
"""Days on which somebody punches more often than twice, or before the doors open."""
_CLOCK = tuple(format_clock(minutes) for minutes in range(24 * 60))


def roster_json(staff: Sequence[StaffMember]) -> str:
    """Everybody who clocks in, a line each."""
    return _lines(
        {
            "employee_id": one.employee.id,
            "name": one.employee.name,
            "department": one.employee.department,
            "employment_type": one.employment,
            "active": True,
        }
        for one in staff
    )


def approvals_json(month: AttendanceMonth) -> str:
    """The forgotten punches that were approved, a line each."""
    return _lines(
        {
            "employee_id": month.staff[place].employee.id,
            "date": month.days[number].isoformat(),
            "io": io,
            "approved_time": format_clock(_time(month.entries[place][number], io)),
            "status": "approved",
        }
        for (place, number), io in sorted(month.approved.items())
    )


def punches_csv(draws: Random, month: AttendanceMonth) -> str:
    """All punches as CSV, person by person and in the order of time."""
    dates = [day.isoformat() for day in month.days]
    odd = _odd_days(draws, month)
    lines = [HEADER]
    for place, row in enumerate(month.entries):
        id = month.staff[place].employee.id
        for number, entry in enumerate(row):
            if entry is None:
                continue
            arrives, leaves, remote = entry
            start, tag = f"{id},{dates[number]}T", ",remote" if remote else ","
            approved = month.approved.get((place, number))
            if arrives is not None:
                source = "approval" if approved == "in" else "clock"
                lines.append(f"{start}{_CLOCK[arrives]},in,{source}{tag}")
            if (place, number) in odd and arrives is not None and leaves is not None:
                for at, io in _more(draws, month.rules_of(place), arrives, leaves):
                    if at < arrives:  # before the doors open
                        lines.insert(-1, f"{start}{_CLOCK[at]},{io},clock,")
                    else:
                        lines.append(f"{start}{_CLOCK[at]},{io},clock{tag}")
            if leaves is not None:
                source = "approval" if approved == "out" else "clock"
                lines.append(f"{start}{_CLOCK[leaves]},out,{source}{tag}")
    return "\n".join(lines) + "\n"


def _odd_days(draws: Random, month: AttendanceMonth) -> frozenset[tuple[int, int]]:
    people, days = len(month.staff), len(month.days)
    return frozenset(divmod(drawn, days) for drawn in draws.sample(range(people * days), _ODD))


def _more(
    draws: Random, rules: AttendanceRules, arrives: int, leaves: int
) -> list[tuple[int, str]]:
    """Punches that change nothing: in once more, out and in at noon, in before the doors open."""
    lot = draws.randrange(3)
    if lot == 0:
        return [(min(arrives + draws.randint(1, 20), leaves), "in")]
    if lot == 1 and arrives < _NOON and leaves > _NOON + 60:
        out = _NOON + draws.randint(0, 30)
        return [(out, "out"), (out + draws.randint(15, 30), "in")]
    return [(rules.opens - draws.randint(5, 55), "in")]


def _time(entry: WorkedDay | None, io: str) -> int:
    time = None if entry is None else entry.arrives if io == "in" else entry.leaves
    assert time is not None, "only what is there was approved"
    return time


def _lines(rows: Iterable[dict[str, str | bool]]) -> str:
    """A JSON list with a line for each of *rows*."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
