"""The honest way through a day of a week: find the duty that the desk states, and do it."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolFailed
from trainee_bench.meta_tasks.authoring.solving import plain_objective
from trainee_bench.meta_tasks.families.week import DUTIES
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import Task


async def honest_work(work: Work, task: str) -> None:
    """What the duty asks for today. Raises ToolFailed for a text that no duty has."""
    stated = plain_objective((await work(Task(task))).objective)
    for duty in DUTIES.values():
        try:
            duty.objective.parse(stated)
        except ValueError:
            continue
        return await duty.honest_work(work, task)
    raise ToolFailed("the desk states no duty of the week")
