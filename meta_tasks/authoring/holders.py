"""Picking the people of a scene: heads of departments, candidates for a role, people still free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from trainee_bench.meta_tasks.absences import free_to_leave, without_absent
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.company.people import Company, Person

SELDOM_NEEDED = ("Engineering", "Sales_2", "Sales_3")
"""The departments whose people few families ask or send away."""
HOLDER = "a hidden fact is held"
"""The role of a person who holds a fact for a task."""


def head_of(company: Company, department: str) -> Person:
    """Return the head of *department*: the first of its managers, if there are several."""
    return company.department(department).managers[0]


def first_groups(
    context: TaskContext, groups: Iterable[Sequence[Person]], at_least: int
) -> tuple[Person, ...]:
    """Return the people of the first of *groups*, and of as many more groups as it takes to have
    *at_least* that many; nobody twice.

    Small companies may lack the people that a role is meant for; the later groups are the next
    best. Raises CompositionError if all groups together have too few.
    """
    found: dict[str, Person] = {}
    for group in groups:
        for person in group:
            found.setdefault(person.id, person)
        if len(found) >= at_least:
            return tuple(found.values())
    raise CompositionError(
        f"{context.task} needs {at_least} candidates, but the company has {len(found)}"
    )


def pick_free(context: TaskContext, purpose: str, people: Sequence[Person], role: str) -> Person:
    """Return one of *people*, drawn from the open stream *purpose*: if possible somebody who does
    not have this *role* for another task of the day.

    Raises CompositionError if there is nobody.
    """
    (drawn,) = context.pick(purpose, context.prefer_unclaimed(people, role))
    context.claim_role(drawn, role)
    return drawn


def pick_colleagues(
    context: TaskContext, purpose: str, count: int = 1, until: datetime | None = None
) -> tuple[Person, ...]:
    """Return *count* colleagues to hold a hidden fact, drawn from the open stream *purpose*.

    They are at work and lead nobody. If possible they are in departments that other tasks seldom
    need, and hold nothing for another task of the day. With *until*, they can be away until then
    (see `free_to_leave`). Raises CompositionError if there are too few.
    """
    company = context.company
    leading = {person.manager for person in company.people}
    able = [
        person
        for person in without_absent(context, company.people)
        if not person.is_manager and person.id not in leading
    ]
    if until is not None:
        able = free_to_leave(context, able, until)
    seldom = [person for person in able if person.department in SELDOM_NEEDED]
    people = first_groups(context, (seldom, able), count)
    free = context.prefer_unclaimed(people, HOLDER)
    drawn = context.pick(purpose, free if len(free) >= count else people, count)
    for person in drawn:
        context.claim_role(person, HOLDER)
    return drawn
