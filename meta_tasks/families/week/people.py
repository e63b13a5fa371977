"""The people in a duty of the week."""

from __future__ import annotations

from collections.abc import Collection

from trainee_bench.meta_tasks.absences import present_employees
from trainee_bench.meta_tasks.authoring import CompositionError, TaskContext
from trainee_bench.world.company.people import Person

DEPARTMENTS = ("Engineering", "Marketing", "Product", "Sales_1", "Sales_2", "Sales_3")
"""The departments whose everyday work the duties are about."""


def draw_team(
    context: TaskContext, purpose: str, count: int
) -> tuple[str, Person, tuple[Person, ...]]:
    """Draw a department, its head, and *count* people of its team, in random order.

    Colleagues from elsewhere join a department that is too small. Raises CompositionError if the
    whole company is too small.
    """
    present = present_employees(context)
    company = context.company
    leading = {p.id for name in DEPARTMENTS for p in company.staff(name, manager=True)}
    heads = [person for person in present if person.id in leading]
    (head,) = context.pick(f"{purpose} head", heads)
    others = [person for person in present if not person.is_manager]
    draws = context.stream(f"{purpose} people")
    draws.shuffle(others)
    team = sorted(others, key=lambda person: person.department != head.department)[:count]
    if len(team) < count:
        raise CompositionError(f"{context.task} needs {count} people, there are {len(team)}")
    return head.department, head, tuple(team)


def draw_reader(context: TaskContext, purpose: str, besides: Collection[Person]) -> Person:
    """Draw the person who gets the results, none of *besides*."""
    taken = {person.id for person in besides}
    present = [person for person in present_employees(context) if person.id not in taken]
    (reader,) = context.pick(purpose, present)
    return reader
