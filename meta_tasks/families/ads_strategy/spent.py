"""A budget from which another task of the day takes its part."""

from __future__ import annotations

import json

from meta_tasks.hands import Hands, written_for_another
from meta_tasks.stage import CompositionError, Stage

LEAST_SHARE = 0.5
"""How much of the budget must be left at least."""


def budget_left(stage: Stage, budget: int) -> int:
    """What is left of *budget* after another task's amount; all of it without such a task.

    Raises CompositionError if too little would be left.
    """
    if stage.given is None:
        return budget
    left = whole_left(budget, stage.given.cents)
    if left < LEAST_SHARE * budget:
        raise CompositionError(
            f"{stage.given.task} leaves {stage.task} too little of its budget; use another seed"
        )
    return left


def whole_left(budget: int, cents: int) -> int:
    """What is left in whole units of currency."""
    return (100 * budget - cents) // 100


def less_spent(stage: Stage) -> str:
    """How the task says so, "" without such a task."""
    given = stage.given
    if given is None:
        return ""
    return (
        f" less {given.words} of {given.path}, your result of {given.task}, since that is paid "
        "from it; cents that are left do not count"
    )


async def cents_in(hands: Hands, path: str) -> int:
    """The amount in another task's result, in cents, as soon as it is there."""
    return round(100 * float(json.loads(await written_for_another(hands, path))["statistics"]))
