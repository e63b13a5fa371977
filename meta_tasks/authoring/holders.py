"""Picking the people of a scene: who heads a department, who may be meant, who is still free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.company.people import Company, Person


def head_of(company: Company, department: str) -> Person:
    """Who heads *department*: the first of its managers, if there are several."""
    return company.department(department).managers[0]


def first_groups(
    context: TaskContext, groups: Iterable[Sequence[Person]], at_least: int
) -> tuple[Person, ...]:
    """The people of the first of *groups*, and of as many further ones as it takes to have
    *at_least* so many; nobody twice.

    Small companies lack the people that a role is meant for; the later groups are the next
    best. Raises CompositionError if all groups together have too few.
    """
    found: list[Person] = []
    for group in groups:
        found += [person for person in group if person not in found]
        if len(found) >= at_least:
            return tuple(found)
    raise CompositionError(
        f"{context.task} needs {at_least} candidates, the company has {len(found)}"
    )


def pick_free(context: TaskContext, purpose: str, people: Sequence[Person], role: str) -> Person:
    """One of *people*, drawn from the open stream *purpose*: if possible somebody who has not
    this *role* for another task of the day already.

    Raises CompositionError if there is nobody.
    """
    claims = context.reservations.claims
    free = [person for person in people if _claim(role, person) not in claims] or people
    (drawn,) = context.pick(purpose, free)
    claims.setdefault(_claim(role, drawn), context.task)
    return drawn


def _claim(role: str, person: Person) -> str:
    return f"{role} by {person.id}"
