"""Who has a part in a duty of the week."""

from __future__ import annotations

from collections.abc import Collection

from trainee_bench.meta_tasks.absences import present_employees
from trainee_bench.meta_tasks.authoring import CompositionError, TaskContext
from trainee_bench.world.company.people import Person

DEPARTMENTS = ("Engineering", "Marketing", "Product", "Sales_1", "Sales_2", "Sales_3")
"""Those whose everyday work the duties are about."""


def draw_team(
    context: TaskContext, purpose: str, count: int
) -> tuple[str, Person, tuple[Person, ...]]:
    """A department, who heads it, and *count* of its people, in drawn order; a department that is
    too small is joined by colleagues from elsewhere. Raises CompositionError for a company that is
    too small for it."""
    there = present_employees(context)
    heads = [one for one in there if one.is_manager and one.department in DEPARTMENTS]
    (head,) = context.pick(f"{purpose} head", heads)
    others = [one for one in there if not one.is_manager]
    draws = context.stream(f"{purpose} people")
    draws.shuffle(others)
    team = sorted(others, key=lambda one: one.department != head.department)[:count]
    if len(team) < count:
        raise CompositionError(f"{context.task} needs {count} people, there are {len(team)}")
    return head.department, head, tuple(team)


def draw_reader(context: TaskContext, purpose: str, besides: Collection[Person]) -> Person:
    """Somebody to whom results are sent, none of *besides*."""
    there = [one for one in present_employees(context) if one not in besides]
    (reader,) = context.pick(purpose, there)
    return reader
