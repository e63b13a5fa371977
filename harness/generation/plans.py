"""The best order for the oracle's work on a day, from which its deadlines are then measured.

An order is a permutation of the day's tasks, the most urgent first. Each is tried by working the
day with all tasks due at its end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence, Set
from datetime import datetime, timedelta
from random import Random

from trainee_bench.harness.generation.deadlines import arrivals, settled_at
from trainee_bench.harness.generation.rehearsal import rehearse
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import FIRST_DAY, DaySpec, Scenario
from trainee_bench.meta_tasks.task_context import CompositionError

DRAWN = 10
"""Number of orders that are drawn; the best of them is improved by swapping neighbours."""
GIVEN_UP = 3
"""Number of failed orders after which there is probably too much to do."""


def in_order(spec: DaySpec, ends: datetime, order: Sequence[str]) -> DaySpec:
    """Return *spec* with all tasks due at the end of the day, and the *order* of its rules."""
    tasks = (
        task.model_copy(update={"deadline": ends.time(), "moved": None}) for task in spec.tasks
    )
    return spec.model_copy(update={"tasks": tuple(tasks), "order": tuple(order)})


async def best_order(
    scenario: Scenario, day: int, draws: Random, urgent: Set[str]
) -> tuple[str, ...] | None:
    """Return the order of the day's rules by which the oracle needs the least time for all tasks.

    Each task's time counts from its arrival until it is done. The rules of *urgent* come first in
    every drawn order. None if the oracle cannot do all tasks in any of the first orders.
    """
    rules, days = [task.rule for task in scenario.days[day].tasks], [*scenario.days]
    days[day] = in_order(days[day], datetime.combine(FIRST_DAY, scenario.ends), rules)
    try:
        composition = compose_day(scenario.model_copy(update={"days": tuple(days)}), day)
    except CompositionError:
        return None
    drawn = [draws.sample(rules, len(rules)) for _ in range(DRAWN)]
    candidates = [tuple(sorted(order, key=lambda rule: rule not in urgent)) for order in drawn]

    known = dict[tuple[str, ...], timedelta | None]()

    async def time_of(order: tuple[str, ...]) -> timedelta | None:
        if order not in known:
            known[order] = await _time_taken(composition.with_plan(order=order))
        return known[order]

    found = list[tuple[timedelta, tuple[str, ...]]]()
    for number, order in enumerate(candidates, start=1):
        taken = await time_of(order)
        if taken is not None:
            found.append((taken, order))
        elif number == GIVEN_UP and not found:
            return None
    return await _improved(*min(found), time_of)


async def _improved(
    taken: timedelta,
    order: tuple[str, ...],
    time_of: Callable[[tuple[str, ...]], Awaitable[timedelta | None]],
) -> tuple[str, ...]:
    """Return *order* with neighbours swapped if that takes less time, in two passes from the
    start."""
    for place in [*range(len(order) - 1)] * 2:
        tried = (*order[:place], order[place + 1], order[place], *order[place + 2 :])
        needed = await time_of(tried)
        if needed is not None and needed < taken:
            taken, order = needed, tried
    return order


async def _time_taken(composition: ComposedDay) -> timedelta | None:
    """Return how long an oracle that knows what will change takes for all tasks of the day in its
    order.

    None if it does not do all of them in full.
    """
    rehearsal = await rehearse(composition, foresight=True)
    if rehearsal is None or not rehearsal.full or None in rehearsal.handed_in.values():
        return None
    done, came = settled_at(composition, rehearsal), arrivals(composition)
    return sum((done[rule] - came[rule] for rule in done), timedelta())
