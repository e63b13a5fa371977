"""Days with more work than hours: deadlines too tight for everything, and the best possible plan.

The best plan is found exactly, for the planner that works the certificate. Sets of tasks are tried
by their worth, the greatest first, until the oracles submit a whole set on time, in the order that
is best for all tasks or by deadline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from random import Random

from trainee_bench.harness.generation.deadlines import (
    SHORTEST,
    arrivals,
    measure_slack,
    settled_at,
    submission_causes,
    time_for,
)
from trainee_bench.harness.generation.rehearsal import rehearse
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import FIRST_DAY, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError

WORTHS = (10, 15, 20, 25, 30, 40)
"""Possible worths of a task; one of them is drawn."""
TIGHTER = (0.75, 0.6, 0.5, 0.4)
"""Factors for the time that the oracle took for everything, tried in turn."""
MOST_TRIED = 150
"""Number of sets of tasks to try before a day is given up."""
MOST_DONE = 0.9
"""Largest share of the worth that the best plan may do."""
_GRID = timedelta(minutes=5)


@dataclass(frozen=True)
class _Plan:
    """The rules whose tasks are done, and the order of all rules that makes it possible."""

    rules: tuple[str, ...]
    order: tuple[str, ...]


async def overload(
    scenario: Scenario,
    handed_in: Mapping[str, datetime],
    slack: tuple[float, float] | None,
    draws: Random,
) -> Scenario | None:
    """Return *scenario*, of one day, with worths and deadlines that leave no time for everything.

    *handed_in* is when the oracle submitted each rule's task. *slack* is the least and the most
    time for the best plan, over the oracle's. None if no such day is found.
    """
    worths = {task.rule: draws.choice(WORTHS) for task in scenario.days[0].tasks}
    composition = compose_day(scenario)
    for part in TIGHTER:
        tight = _tightened(composition, worths, handed_in, part)
        best = await _best_plan(tight)
        if best is None:
            return None
        if sum(worths[rule] for rule in best.rules) <= MOST_DONE * sum(worths.values()):
            planned = _with_best(tight, best)
            return await _with_slack(planned, slack, draws) if slack else planned
    return None


async def _with_slack(
    scenario: Scenario, slack: tuple[float, float], draws: Random
) -> Scenario | None:
    """Return *scenario* with new deadlines for the best plan, so that it has this *slack*.

    None if the best plan then has another slack, or leaves too little undone.
    """
    composition = compose_day(scenario)
    rehearsal = await rehearse(composition)
    if rehearsal is None or not rehearsal.full:
        return None
    done, arrives = settled_at(composition, rehearsal), arrivals(composition)
    if not done.keys() >= set(scenario.days[0].best):
        return None
    due = {}
    for rule in scenario.days[0].best:
        there = time_for(done[rule] - arrives[rule], slack, draws)
        due[rule] = min(composition.day.ends, arrives[rule] + (there // _GRID + 1) * _GRID)
    settled = _with_deadlines(scenario, due)
    tasks = settled.days[0].tasks
    best = await _best_plan(settled)
    worths = {task.rule: task.worth or 0 for task in tasks}
    if best is None or sum(worths[rule] for rule in best.rules) > MOST_DONE * sum(worths.values()):
        return None
    settled = _with_best(settled, best)
    composition = compose_day(settled)
    found = await measure_slack(composition)
    return settled if found is not None and slack[0] <= found <= slack[1] else None


def _tightened(
    composition: ComposedDay,
    worths: Mapping[str, int],
    handed_in: Mapping[str, datetime],
    part: float,
) -> Scenario:
    """Return the day with worths, and with deadlines after *part* of the oracle's time.

    A task whose complications take longer keeps its deadline.
    """
    scenario = composition.scenario_day.scenario
    arrives = {task.rule: task.arrives for task in composition.tasks}
    tasks = [
        task.model_copy(update={"worth": worths[task.rule], "moved": None})
        for task in scenario.days[0].tasks
    ]
    due = {}
    for task in tasks:
        taken = handed_in[task.rule] - arrives[task.rule]
        due[task.rule] = arrives[task.rule] + max(SHORTEST, part * taken // _GRID * _GRID)
    return _with_deadlines(_of_tasks(scenario, tasks, [task.rule for task in tasks]), due)


def _with_deadlines(scenario: Scenario, due: Mapping[str, datetime]) -> Scenario:
    """Return *scenario* with these deadlines; a task whose complications take longer keeps its
    own."""
    best = scenario.days[0].best
    tasks = [*scenario.days[0].tasks]
    due = _after_causes(scenario, due)
    for place, spec in enumerate(scenario.days[0].tasks):
        if spec.rule not in due:
            continue
        tried = [*tasks]
        tried[place] = spec.model_copy(update={"deadline": due[spec.rule].time()})
        try:
            compose_day(_of_tasks(scenario, tried, best))
        except CompositionError:
            continue
        tasks = tried
    return _of_tasks(scenario, tasks, best)


def _after_causes(scenario: Scenario, due: Mapping[str, datetime]) -> dict[str, datetime]:
    """Return *due*, with later deadlines for tasks that come only when another is submitted.

    Even if the other task takes all its time, there is still some left.
    """
    settled = dict(due)
    ends = datetime.combine(FIRST_DAY, scenario.ends)
    given = {task.rule: task.deadline or scenario.ends for task in scenario.days[0].tasks}
    for rule, cause in submission_causes(scenario.days[0].tasks).items():
        if rule in due:
            latest = due.get(cause, datetime.combine(FIRST_DAY, given[cause]))
            settled[rule] = min(ends, max(due[rule], latest + SHORTEST))
    return settled


async def _best_plan(scenario: Scenario) -> _Plan | None:
    """Return the plan of the most worth that the oracles submit on time, in the day's order or by
    deadline.

    None if there are too many sets to try.
    """
    tasks, composition = scenario.days[0].tasks, compose_day(scenario)
    due = {task.rule: task.deadline or scenario.ends for task in tasks}
    by_deadline = tuple(sorted(due, key=lambda rule: (due[rule], rule)))
    orders = dict.fromkeys((composition.spec.order, by_deadline))
    for number, rules in enumerate(_by_worth({task.rule: task.worth or 0 for task in tasks})):
        if number == MOST_TRIED:
            return None
        for order in orders:
            rehearsal = await rehearse(composition.with_plan(best=rules, order=order))
            if rehearsal is not None and rehearsal.full:
                return _Plan(rules, order)
    return None


def _by_worth(worths: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield all sets of rules except the empty one, by descending worth."""
    names = sorted(worths)
    sets = [rules for count in range(1, len(names) + 1) for rules in combinations(names, count)]
    yield from sorted(sets, key=lambda rules: (-sum(worths[rule] for rule in rules), rules))


def _with_best(scenario: Scenario, plan: _Plan) -> Scenario:
    (day,) = scenario.days
    update = {"best": plan.rules, "order": plan.order}
    return scenario.model_copy(update={"days": (day.model_copy(update=update),)})


def _of_tasks(scenario: Scenario, tasks: Sequence[TaskSpec], best: Sequence[str]) -> Scenario:
    (day,) = scenario.days
    made = DaySpec(name=day.name, tasks=tuple(tasks), best=tuple(best), order=day.order)
    return scenario.model_copy(update={"days": (made,)})
