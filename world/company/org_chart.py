"""The positions of a company of any size: titles, departments and who reports to whom.

A size of 50 gives the paper's company. Other sizes are divided among the departments by fixed
shares with the largest remainder method, and a department's positions among its roles likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

EXECUTIVE = "Executive"
EXECUTIVES = ("CEO", "CTO", "COO", "CFO")


class OrgPosition(NamedTuple):
    """A position in the company, before a person holds it."""

    title: str
    department: str
    superior: int | None
    """The index, in the chart, of the superior's position."""
    leads: bool


class _Plan(NamedTuple):
    """The composition of a department."""

    department: str
    share: int
    """Percentage of all people who are not executives."""
    span: int
    """The number of people whom one manager leads."""
    reports_to: str
    manager: str
    roles: tuple[tuple[str, int], ...]
    """Title and weight of each staff role."""


def _sales(number: int) -> _Plan:
    roles = (("Account Executive", 1), ("Sales Representative", 1))
    return _Plan(f"Sales_{number}", 6, 7, "COO", "Sales Manager", roles)


_PLANS = (
    _Plan(
        "Engineering",
        41,
        8,
        "CTO",
        "Engineering Manager",
        (
            ("Senior Software Engineer", 4),
            ("Software Engineer", 9),
            ("QA Engineer", 2),
            ("DevOps Engineer", 1),
        ),
    ),
    _sales(1),
    _sales(2),
    _sales(3),
    _Plan(
        "Marketing",
        14,
        5,
        "COO",
        "Marketing Manager",
        (("SEO Specialist", 2), ("Content Specialist", 2), ("Social Media Specialist", 1)),
    ),
    _Plan(
        "Product",
        11,
        6,
        "CTO",
        "Product Manager",
        (("Product Designer", 1), ("UX/UI Designer", 3)),
    ),
    _Plan("HR", 7, 10, "COO", "HR Manager", (("HR Generalist", 1), ("Recruiter", 1))),
    _Plan("Finance", 9, 6, "CFO", "Finance Manager", (("Accountant", 2), ("Financial Analyst", 1))),
)


def build_org_chart(size: int) -> tuple[OrgPosition, ...]:
    """Return the positions of a company of `size` people, superiors before those who report to
    them.

    `size` is at least 10. Each department has at least a manager. From 48 people on, there are four
    executives; smaller companies have fewer, and the CEO replaces the missing ones.
    """
    executives = EXECUTIVES[: max(1, min(len(EXECUTIVES), size // 12))]
    positions = [
        OrgPosition(title, EXECUTIVE, None if title == "CEO" else 0, leads=False)
        for title in executives
    ]
    shares = [plan.share for plan in _PLANS]
    for plan, heads in zip(_PLANS, _peopled(apportion(size - len(positions), shares)), strict=True):
        positions.extend(
            _department(
                plan, heads, position_of_superior(plan.reports_to, positions), len(positions)
            )
        )
    return tuple(positions)


def position_of_superior(title: str, positions: Sequence[OrgPosition]) -> int:
    """Return the index of the executive with this title, or of the CEO if there is none."""
    for index, position in enumerate(positions):
        if position.title == title:
            return index
    return 0


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` by `weights` with the largest remainder method; ties go to the earlier
    weight."""
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % whole))
    for i in by_remainder[: total - sum(parts)]:
        parts[i] += 1
    return parts


def _peopled(heads: list[int]) -> list[int]:
    """Fill empty departments: the largest gives one head to each empty one."""
    while 0 in heads:
        heads[heads.index(max(heads))] -= 1
        heads[heads.index(0)] += 1
    return heads


def _department(plan: _Plan, heads: int, superior: int, first: int) -> list[OrgPosition]:
    """Return the positions of one department; the first will have the index `first` in the
    chart."""
    managers = -(-heads // (plan.span + 1))
    staff = heads - managers
    counts = apportion(staff, [weight for _, weight in plan.roles])
    titles = [
        title for (title, _), count in zip(plan.roles, counts, strict=True) for _ in range(count)
    ]
    positions = [
        OrgPosition(plan.manager, plan.department, superior, leads=True) for _ in range(managers)
    ]
    # Round robin, so that each manager's team has its share of every role.
    positions += [
        OrgPosition(title, plan.department, first + i % managers, leads=False)
        for i, title in enumerate(titles)
    ]
    return positions
