"""Rules with complications that fit them and each other, for generated worlds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from trainee_bench.harness.generation.draft import due_afterwards
from trainee_bench.mcp_servers import names_with
from trainee_bench.meta_tasks.catalog import find_rule, needed_tools
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError


def add_complications(
    rule: Rule, first: Sequence[str], possible: Sequence[str], count: int, draws: Random
) -> list[str]:
    """Return the names of *first* and up to *count* more of the *possible* complications of *rule*.

    They are drawn so that all of them fit it and each other.
    """
    left, chosen = list(possible), list(first)
    draws.shuffle(left)
    while left and len(chosen) < len(first) + count:
        name = left.pop()
        if fits_alone(find_rule("+".join([rule.id, *chosen, name])).id):
            chosen.append(name)
    return chosen


@cache
def fits_alone(rule: str) -> bool:
    """Return whether a task of *rule* can be composed as the only one of its world."""
    several = any(found.several_days for found in find_rule(rule).meta_task.complications)
    today, empty = DaySpec(tasks=(due_afterwards(TaskSpec(rule=rule)),)), DaySpec(tasks=())
    days = (empty, empty, today) if several else (today,)
    tools = names_with(needed_tools([rule]))
    try:
        compose_day(Scenario(name="a try", seed=1, days=days, week=several, tools=tools))
    except CompositionError:
        return False
    return True
