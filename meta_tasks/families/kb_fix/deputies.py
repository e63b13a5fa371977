"""Owners who are away, and who stands in for them: all of it open, and told by nobody.

Only the owner's mailbox names the deputy, to whoever writes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from trainee_bench.meta_tasks.absences import mark_absent, without_absent
from trainee_bench.meta_tasks.families.kb_fix.data import possible_owners
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.people import Person

_SELDOM_ASKED = ("Engineering", "Sales_2", "Sales_3")
"""Departments whose people other tasks of a day seldom need."""
_ENOUGH = 6
_NOTES = ("I am on leave.", "I am at a trade fair and do not read messages.", "I am on a course.")
_STARTS = timedelta(hours=1)


def absence_candidates(context: TaskContext) -> list[Person]:
    """Owners on whom little else of a day depends; in a small company anybody who leads none."""
    deputies = context.reservations.claims
    people = [
        person
        for person in possible_owners(context)
        if not person.is_manager and _claim(person) not in deputies
    ]
    seldom = [person for person in people if person.department in _SELDOM_ASKED]
    return seldom if len(seldom) >= _ENOUGH else people


def find_deputies(context: TaskContext, owners: Sequence[Person]) -> Mapping[str, Person]:
    """Somebody else for each of the *owners*, by the owner's id, if possible of the same
    department. The owners are away from now on. Raises CompositionError if there are too few.
    """
    for owner in owners:
        mark_absent(context, owner)
    draws, found = context.stream("deputies"), dict[str, Person]()
    for owner in owners:
        free = [
            person
            for person in without_absent(context, possible_owners(context))
            if person not in found.values()
        ]
        near = [person for person in free if person.department == owner.department]
        if not free:
            raise CompositionError(f"{context.task} finds nobody to stand in for {owner.name}")
        found[owner.id] = deputy = draws.choice(near or free)
        context.reservations.claims.setdefault(_claim(deputy), context.task)
    return found


def away_events(context: TaskContext, deputies: Mapping[str, Person]) -> Iterator[PlannedEvent]:
    """They are away for the day at least; the directory does not say so."""
    draws = context.stream("absences")
    for owner, deputy in deputies.items():
        days = timedelta(days=draws.choice((1, 2, 5, 6)))
        away = AbsenceBegins(
            person=owner,
            until=context.day.starts + days + _STARTS,
            note=draws.choice(_NOTES),
            deputy=deputy.id,
            public=False,
        )
        yield PlannedEvent(away)


def _claim(person: Person) -> str:
    return f"{person.id} stands in"
