"""The rules by which punches are counted, level by level and department by department."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.families.attendance.query import DEPARTMENTS, PolicyLevel

FLEXIBLE_AT_L5 = 3
"""Departments with flexible hours at level 5; they are larger and more often remote."""
HEADS, HEADS_FLEXIBLE_AT_L5 = 10, 12
REMOTE, REMOTE_FLEXIBLE_AT_L5 = 0.20, 0.30


def format_clock(minutes: int) -> str:
    """Minutes of the day as 09:05."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


@dataclass(frozen=True)
class AttendanceRules:
    """How one department's punches are counted. Times are minutes of the day."""

    starts: int
    ends: int
    flexible: bool
    grace_late: int
    grace_early: int
    missing_is_absent: bool
    window: int = 30
    """Flexible hours: how long after ``starts`` one may come."""
    least: int = 9 * 60
    """Flexible hours: minutes to be worked a day, lunch not counted."""
    lunch: int = 60
    overtime_from: int = 18 * 60 + 30
    block: int = 30
    """Overtime counts in full blocks of so many minutes."""
    opens: int = 6 * 60
    closes: int = 24 * 60 - 1
    """Punches before the one and after the other are ignored."""

    @property
    def late_after(self) -> int:
        """Who comes later than this is late."""
        return self.starts + (self.window if self.flexible else self.grace_late)


@dataclass(frozen=True)
class DepartmentPolicy:
    """A department: its rules, its head-count, and how often its people work remotely."""

    rules: AttendanceRules
    heads: int = HEADS
    remote: float = REMOTE


_NINE, _HALF_PAST_NINE, _TEN = 9 * 60, 9 * 60 + 30, 10 * 60
_BASE = AttendanceRules(_NINE, 18 * 60, False, 5, 5, True)
_FLEXIBLE = AttendanceRules(_TEN, 20 * 60, True, 0, 0, True)
_RULES: Mapping[PolicyLevel, AttendanceRules] = {
    PolicyLevel.L1: AttendanceRules(_NINE, 18 * 60, False, 10, 10, False),
    PolicyLevel.L2: AttendanceRules(_HALF_PAST_NINE, 18 * 60 + 30, False, 5, 5, True),
    PolicyLevel.L3: _BASE,
    PolicyLevel.L4: _FLEXIBLE,
    PolicyLevel.L5: _BASE,
}


def allows_corrections(level: PolicyLevel) -> bool:
    """Whether a forgotten punch can be approved afterwards."""
    return level in (PolicyLevel.L3, PolicyLevel.L4, PolicyLevel.L5)


def department_policies(level: PolicyLevel, draws: Random) -> Mapping[str, DepartmentPolicy]:
    """The departments at *level*; *draws* choose those with flexible hours at level 5."""
    drawn: Sequence[str] = ()
    if level is PolicyLevel.L5:
        drawn = draws.sample(DEPARTMENTS, FLEXIBLE_AT_L5)
    other = DepartmentPolicy(_FLEXIBLE, HEADS_FLEXIBLE_AT_L5, REMOTE_FLEXIBLE_AT_L5)
    return {
        name: other if name in drawn else DepartmentPolicy(_RULES[level]) for name in DEPARTMENTS
    }
