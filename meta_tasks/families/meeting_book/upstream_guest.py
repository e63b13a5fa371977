"""Somebody whom another task of the day finds out, and who is to be invited as well."""

from __future__ import annotations

import json

from trainee_bench.meta_tasks.families.meeting_book.participants import Participants
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient, wait_for_file
from trainee_bench.world.apps.calendar import MeetingBooked


def find_upstream_guest(
    context: TaskContext, party: Participants, other: MeetingBooked | None, named: frozenset[str]
) -> frozenset[str]:
    """The id of whom another task's result names; none without such a task.

    Raises CompositionError if it is one of those to ask, who decide for themselves, somebody
    whom they have *named* anyway, or somebody who is elsewhere at that time.
    """
    if context.task_input is None:
        return frozenset()
    elsewhere = {other.organizer, *other.attendees} if other else set()
    if context.task_input.person in {person.id for person in party.asked} | named | elsewhere:
        raise CompositionError(
            f"whom {context.task_input.task} finds out has a part in {context.task} anyway; use another seed"
        )
    return frozenset({context.task_input.person})


def guest_phrase(context: TaskContext) -> str:
    """How the task says so, "" without such a task."""
    given = context.task_input
    if given is None:
        return ""
    return (
        f"Invite as well {given.words} of {given.path}, your result of {given.task}. They have "
        "agreed and need not be asked."
    )


async def wait_for_name(client: ToolClient, path: str) -> str:
    """The name of the only employee in another task's result, as soon as it is there."""
    (row,) = json.loads(await wait_for_file(client, path))["employees"]
    return str(row["name"])
