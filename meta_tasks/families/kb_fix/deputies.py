"""Owners who are away, and who stands in for them: all of it open, and told by nobody.

Only the owner's mailbox names the deputy, to whoever writes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from meta_tasks.absences import at_work, note_absence
from meta_tasks.families.kb_fix.charts import staff
from meta_tasks.meta_task import Planned
from meta_tasks.stage import CompositionError, Stage
from world.people import Person
from world.presence import Away

_SELDOM_ASKED = ("Engineering", "Sales_2", "Sales_3")
"""Departments whose people other tasks of a day seldom need."""
_ENOUGH = 6
_NOTES = ("I am on leave.", "I am at a trade fair and do not read messages.", "I am on a course.")
_STARTS = timedelta(hours=1)


def may_be_away(stage: Stage) -> list[Person]:
    """Owners on whom little else of a day depends; in a small company anybody who leads none."""
    deputies = stage.commons.claims
    people = [
        person
        for person in staff(stage)
        if not person.is_manager and _claim(person) not in deputies
    ]
    seldom = [person for person in people if person.department in _SELDOM_ASKED]
    return seldom if len(seldom) >= _ENOUGH else people


def find_deputies(stage: Stage, owners: Sequence[Person]) -> Mapping[str, Person]:
    """Somebody else for each of the *owners*, by the owner's id, if possible of the same
    department. The owners are away from now on. Raises CompositionError if there are too few.
    """
    for owner in owners:
        note_absence(stage, owner)
    draws, found = stage.stream("deputies"), dict[str, Person]()
    for owner in owners:
        free = [person for person in at_work(stage, staff(stage)) if person not in found.values()]
        near = [person for person in free if person.department == owner.department]
        if not free:
            raise CompositionError(f"{stage.task} finds nobody to stand in for {owner.name}")
        found[owner.id] = deputy = draws.choice(near or free)
        stage.commons.claims.setdefault(_claim(deputy), stage.task)
    return found


def absences(stage: Stage, deputies: Mapping[str, Person]) -> Iterator[Planned]:
    """They are away for the day at least; the directory does not say so."""
    draws = stage.stream("absences")
    for owner, deputy in deputies.items():
        days = timedelta(days=draws.choice((1, 2, 5, 6)))
        away = Away(
            person=owner,
            until=stage.day.starts + days + _STARTS,
            note=draws.choice(_NOTES),
            deputy=deputy.id,
            public=False,
        )
        yield Planned(away)


def _claim(person: Person) -> str:
    return f"{person.id} stands in"
