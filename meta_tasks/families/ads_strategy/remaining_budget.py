"""A budget from which another task of the day takes its part."""

from __future__ import annotations

import json

from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient, wait_for_file

MIN_REMAINING_SHARE = 0.5
"""How much of the budget must be left at least."""


def calculate_remaining_budget(context: TaskContext, budget: int) -> int:
    """What is left of *budget* after another task's amount; all of it without such a task.

    Raises CompositionError if too little would be left.
    """
    if context.task_input is None:
        return budget
    left = remaining_whole_units(budget, context.task_input.cents)
    if left < MIN_REMAINING_SHARE * budget:
        raise CompositionError(
            f"{context.task_input.task} leaves {context.task} too little of its budget; use another seed"
        )
    return left


def remaining_whole_units(budget: int, cents: int) -> int:
    """What is left in whole units of currency."""
    return (100 * budget - cents) // 100


def deduction_phrase(context: TaskContext) -> str:
    """How the task says so, "" without such a task."""
    given = context.task_input
    if given is None:
        return ""
    return (
        f" less {given.words} of {given.path}, your result of {given.task}, since that is paid "
        "from it; cents that are left do not count"
    )


async def wait_for_amount(client: ToolClient, path: str) -> int:
    """The amount in another task's result, in cents, as soon as it is there."""
    return round(100 * float(json.loads(await wait_for_file(client, path))["statistics"]))
