"""The people who are away on a day. Tasks share this, so that none relies on somebody who is not
there.

Tasks are composed one after the other. A task that sends people away records it here, and later
tasks leave them out. For earlier tasks, the finished day is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.apps.chat import ClueHandedOver
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import WorkingDay


def mark_absent(context: TaskContext, person: Person) -> None:
    """Record that *person* is away today. Raises CompositionError if another task has done so."""
    context.claim(_claim(person))


def without_absent(context: TaskContext, people: Iterable[Person]) -> list[Person]:
    """Return those of *people* who are not known to be away, in their order."""
    return [person for person in people if _claim(person) not in context.reservations.claims]


def present_employees(context: TaskContext) -> list[Person]:
    """Return all employees except executives who are not known to be away, in the company's
    order."""
    people = (person for person in context.company.people if person.department != EXECUTIVE)
    return without_absent(context, people)


def check_holders_present(
    scenes: Sequence[tuple[TaskInstance[Any], Sequence[WorkingDay]]],
) -> None:
    """Raise CompositionError if somebody who has something to tell or hear for a task is away to
    the end of each of its days. *scenes* are all tasks of a world with their days."""
    absences = [
        (planned.event.person, planned.due or days[0].starts, planned.event.until)
        for instance, days in scenes
        for planned in instance.hidden.events
        if isinstance(planned.event, AbsenceBegins)
    ]
    for instance, days in scenes:
        away = {
            person
            for person, begins, until in absences
            if all(begins < day.ends <= until for day in days)
        }
        holders = [(clue.id, clue.holder) for clue in instance.hidden.clues]
        holders += [(expected.id, expected.holder) for expected in instance.hidden.expectations]
        holders += [
            (planned.event.clue, planned.event.holder)
            for planned in instance.hidden.events
            if isinstance(planned.event, ClueHandedOver)
        ]
        for id, holder in holders:
            if holder in away:
                raise CompositionError(
                    f"{holder}, who has to answer for {id}, is away that day; use another seed or "
                    "put the tasks on different days"
                )


def _claim(person: Person) -> str:
    return f"{person.id} is away"
