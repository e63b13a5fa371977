"""The manual that lies beside the data: how punches are counted, and whom to ask."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files

from meta_tasks.families.attendance.asked import Scope
from meta_tasks.families.attendance.policy import Rules, clock
from world.people import Company, Person

NAME = "manuals_for_attendance_rules.md"

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


def manual(
    company: Company, scope: Scope, month: date, rules: Mapping[str, Rules], makes_up: bool
) -> str:
    """The manual's text; it is the same whatever day was a closure day."""
    some = next(iter(rules.values()))
    return _template().format(
        month=f"{month:%B %Y}",
        opens=clock(some.opens),
        closes=clock(some.closes),
        forgotten=_MADE_UP if makes_up else _NOT_MADE_UP,
        missing=_BOTH_NEEDED if some.missing_is_absent else _ONE_IS_ENOUGH,
        window=some.window,
        lunch=some.lunch,
        least=some.least // 60,
        overtime=clock(some.overtime_from),
        block=some.block,
        table=_table(company, scope, rules),
        ask=_whom_to_ask(company, scope),
    )


@cache
def _template() -> str:
    resource = files("meta_tasks.families.attendance") / "manual.md"
    return resource.read_text(encoding="utf-8")


def head_of(company: Company, department: str) -> Person:
    """Who heads *department*: the first of its managers, if there are several."""
    return company.department(department).managers[0]


def keeper(company: Company, scope: Scope) -> Person:
    """Who knows the closure days of *scope*."""
    return head_of(company, "HR" if scope is Scope.ALL else scope.value)


def _whom_to_ask(company: Company, scope: Scope) -> str:
    if scope is Scope.ALL:
        return (
            f"HR knows them for the whole company: {keeper(company, scope).name} "
            f"({keeper(company, scope).title}) tells them in the chat."
        )
    return "Only the head of the department knows them; ask in the chat."


def _table(company: Company, scope: Scope, rules: Mapping[str, Rules]) -> str:
    heads = scope is not Scope.ALL
    names = ["Department", "Start", "End", "Hours", "Grace late", "Grace early"]
    lines = [_line([*names, *["Head"] * heads]), "|" + "---|" * (len(names) + heads)]
    for name, one in rules.items():
        grace = ["–", "–"] if one.flexible else [f"{one.grace_late} min", f"{one.grace_early} min"]
        hours = "flexible" if one.flexible else "fixed"
        cells = [name, clock(one.starts), clock(one.ends), hours, *grace]
        lines.append(_line([*cells, *[head_of(company, name).name] * heads]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
