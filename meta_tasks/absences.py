"""Who is away on a day: settled openly, so that no task counts on somebody who is not there.

Tasks are composed one after the other. A task that sends people away says so here, and those
composed after it leave them out; of those composed before it, the finished day is looked over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from meta_tasks.meta_task import Scene
from meta_tasks.stage import CompositionError, Stage
from world.people import Person
from world.presence import Away


def note_absence(stage: Stage, person: Person) -> None:
    """*person* is away today. Raises CompositionError if another task has said so."""
    stage.claim(_claim(person))


def at_work(stage: Stage, people: Iterable[Person]) -> list[Person]:
    """Those of *people* who are not known to be away, in their order."""
    return [person for person in people if _claim(person) not in stage.commons.claims]


def refuse_absent_holders(scenes: Sequence[Scene[Any]]) -> None:
    """Raise CompositionError where somebody who is away has something to tell or to hear."""
    away = {
        planned.event.person
        for scene in scenes
        for planned in scene.events
        if isinstance(planned.event, Away)
    }
    for scene in scenes:
        holders = {clue.id: clue.holder for clue in scene.clues}
        holders |= {expected.id: expected.holder for expected in scene.expectations}
        for id, holder in holders.items():
            if holder in away:
                raise CompositionError(
                    f"{holder}, who has to answer for {id}, is away that day; use another seed or "
                    "put the tasks on different days"
                )


def _claim(person: Person) -> str:
    return f"{person.id} is away"
