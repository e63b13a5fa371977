"""Tasks that may be alike are told apart by their ids.

In a world in which any rule may come any number of times (`Scenario.copies`), the way in which
everybody speaks of a task ends with its id in brackets. So colleagues know for which task a fact
is: a question that names one task is never answered for another, and a question that fits several
tasks is asked back. A note under each task asks for its id.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trainee_bench.meta_tasks.meta_task import PlannedEvent, TaskInstance, with_note
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished


def note_on(task: str) -> str:
    """Return the note that asks for the id of *task* in messages about it."""
    return (
        f"Some tasks here are alike. Whenever you ask a colleague something for this one, name its "
        f"id, {task}."
    )


def about_task(text: str, task: str) -> str:
    """Return a question or sentence that says for which *task* it is meant."""
    return f"{text} ({task})"


def told_apart(instance: TaskInstance[Any], task: str) -> TaskInstance[Any]:
    """Return *instance* with its id in the ways to ask for its facts, and with the note about
    that."""
    told, hidden = instance.told, instance.hidden
    return replace(
        instance,
        told=replace(told, objective=with_note(told.objective, note_on(task))),
        hidden=replace(
            hidden,
            clues=tuple(_asked_with_id(clue, task) for clue in hidden.clues),
            events=tuple(_event_with_id(planned, task) for planned in hidden.events),
        ),
    )


def _asked_with_id(clue: Clue, task: str) -> Clue:
    if not clue.asks:
        return clue
    asks = tuple(about_task(ask, task) for ask in clue.asks)
    return clue.model_copy(update={"asks": asks, "keys": (*clue.keys, task)})


def _event_with_id(planned: PlannedEvent, task: str) -> PlannedEvent:
    """Return *planned* with the id in a changed request, and in a public answer about something of
    this task. An answer without keys is the same for all tasks."""
    event = planned.event
    if isinstance(event, RequestChanged):
        noted = with_note(event.objective, note_on(task))
        return replace(planned, event=event.model_copy(update={"objective": noted}))
    if isinstance(event, ReferralPublished) and event.keys:
        update = {
            "topic": about_task(event.topic, task),
            "asks": tuple(about_task(ask, task) for ask in event.asks),
            "keys": (*event.keys, task),
        }
        return replace(planned, event=event.model_copy(update=update))
    return planned
