"""Somebody whom another task of the day finds out, and who is to be invited as well."""

from __future__ import annotations

import json

from meta_tasks.families.meeting_book.party import Party
from meta_tasks.hands import Hands, written_for_another
from meta_tasks.stage import CompositionError, Stage
from world.apps.calendar import MeetingBooked


def found_guest(
    stage: Stage, party: Party, other: MeetingBooked | None, named: frozenset[str]
) -> frozenset[str]:
    """The id of whom another task's result names; none without such a task.

    Raises CompositionError if it is one of those to ask, who decide for themselves, somebody
    whom they have *named* anyway, or somebody who is elsewhere at that time.
    """
    if stage.given is None:
        return frozenset()
    elsewhere = {other.organizer, *other.attendees} if other else set()
    if stage.given.person in {person.id for person in party.asked} | named | elsewhere:
        raise CompositionError(
            f"whom {stage.given.task} finds out has a part in {stage.task} anyway; use another seed"
        )
    return frozenset({stage.given.person})


def also_invited(stage: Stage) -> str:
    """How the task says so, "" without such a task."""
    given = stage.given
    if given is None:
        return ""
    return (
        f"Invite as well {given.words} of {given.path}, your result of {given.task}. They have "
        "agreed and need not be asked."
    )


async def name_in(hands: Hands, path: str) -> str:
    """The name of the only employee in another task's result, as soon as it is there."""
    (row,) = json.loads(await written_for_another(hands, path))["employees"]
    return str(row["name"])
