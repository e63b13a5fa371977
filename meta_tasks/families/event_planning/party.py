"""The people for whom an event is planned: a department, or a team where tasks may be alike."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from trainee_bench.meta_tasks.absences import present_employees
from trainee_bench.meta_tasks.authoring import CompositionError, TaskContext, pick_free
from trainee_bench.meta_tasks.families.event_planning.data import MOST_MEMBERS
from trainee_bench.world.company.people import Person

FEWEST_MEMBERS = 3
"""A smaller department is drawn only if there are no others, a smaller team never."""


@dataclass(frozen=True)
class Party:
    """The people of an event: what they are called together, the start of the file's name, and
    the person who asks for it. Only the members of a team are named."""

    name: str
    people: tuple[Person, ...]
    file: str
    requester: Person
    is_team: bool = False


def draw_team(context: TaskContext, department: str | None) -> Party:
    """Draw a team whose members are all at work, with the person who leads it: if possible one for
    which no other task plans an event.

    Raises CompositionError if *department*, or every department, has no team of a fitting size.
    """
    teams = defaultdict[str, list[Person]](list)
    for person in context.company.people:
        teams[person.manager or ""].append(person)
    present = {person.id for person in present_employees(context)}
    leads = [
        lead
        for lead in context.company.staff(department, manager=True)
        if FEWEST_MEMBERS <= 1 + len(teams[lead.id]) <= MOST_MEMBERS
        and all(person.id in present for person in (lead, *teams[lead.id]))
    ]
    if not leads:
        raise CompositionError(
            f"{context.task} needs a team of {FEWEST_MEMBERS} to {MOST_MEMBERS} people in "
            f"{department or 'any department'} who are all at work; take a larger company"
        )
    lead = pick_free(context, "team", leads, "a team event")
    file = f"team_{re.sub(r'[^a-z0-9]+', '_', lead.id)}"
    return Party(f"{lead.name}'s team", (lead, *teams[lead.id]), file, lead, is_team=True)
