"""The manual that lies beside the data: how punches are counted, and whom to ask."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files

from trainee_bench.meta_tasks.families.attendance.policy import AttendanceRules, format_clock
from trainee_bench.meta_tasks.families.attendance.query import DepartmentScope
from trainee_bench.world.company.people import Company, Person

MANUAL_NAME = "manuals_for_attendance_rules.md"

_NOT_MADE_UP = "A punch that was forgotten stays missing; nothing is approved afterwards."
_MADE_UP = (
    "A punch that was forgotten can be approved afterwards. Those approved are listed in "
    "approvals.json; they stand among the punches already (source `approval`) and count like any "
    "other, at the approved time."
)
_ONE_IS_ENOUGH = (
    "With only an `in` or only an `out` the day is present; without an `in` it is not late, "
    "without an `out` it is neither early nor has overtime."
)
_BOTH_NEEDED = "So is a day without an `in`, and a day without an `out`."


def manual_text(
    company: Company,
    scope: DepartmentScope,
    month: date,
    rules: Mapping[str, AttendanceRules],
    makes_up: bool,
) -> str:
    """The manual's text; it is the same whatever day was a closure day."""
    some = next(iter(rules.values()))
    return _template().format(
        month=f"{month:%B %Y}",
        opens=format_clock(some.opens),
        closes=format_clock(some.closes),
        forgotten=_MADE_UP if makes_up else _NOT_MADE_UP,
        missing=_BOTH_NEEDED if some.missing_is_absent else _ONE_IS_ENOUGH,
        window=some.window,
        lunch=some.lunch,
        least=some.least // 60,
        overtime=format_clock(some.overtime_from),
        block=some.block,
        table=_table(company, scope, rules),
        ask=_whom_to_ask(company, scope),
    )


@cache
def _template() -> str:
    resource = files("trainee_bench.meta_tasks.families.attendance") / "manual.md"
    return resource.read_text(encoding="utf-8")


def department_head(company: Company, department: str) -> Person:
    """Who heads *department*: the first of its managers, if there are several."""
    return company.department(department).managers[0]


def closure_contact(company: Company, scope: DepartmentScope) -> Person:
    """Who knows the closure days of *scope*."""
    return department_head(company, "HR" if scope is DepartmentScope.ALL else scope.value)


def _whom_to_ask(company: Company, scope: DepartmentScope) -> str:
    if scope is DepartmentScope.ALL:
        return (
            f"HR knows them for the whole company: {closure_contact(company, scope).name} "
            f"({closure_contact(company, scope).title}) tells them in the chat."
        )
    return "Only the head of the department knows them; ask in the chat."


def _table(company: Company, scope: DepartmentScope, rules: Mapping[str, AttendanceRules]) -> str:
    heads = scope is not DepartmentScope.ALL
    names = ["Department", "Start", "End", "Hours", "Grace late", "Grace early"]
    lines = [_line([*names, *["Head"] * heads]), "|" + "---|" * (len(names) + heads)]
    for name, one in rules.items():
        grace = ["–", "–"] if one.flexible else [f"{one.grace_late} min", f"{one.grace_early} min"]
        hours = "flexible" if one.flexible else "fixed"
        cells = [name, format_clock(one.starts), format_clock(one.ends), hours, *grace]
        lines.append(_line([*cells, *[department_head(company, name).name] * heads]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
