"""Upper bounds for the days of a scenario that have more work than hours."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.bounding.least_day import last_form, least_day, own_clues
from trainee_bench.harness.bounding.model import most_worth
from trainee_bench.meta_tasks.benchmark import BenchmarkError
from trainee_bench.meta_tasks.complicated_task import ComplicatedTruth
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import Scenario, Variation
from trainee_bench.meta_tasks.task_context import CompositionError

_OTHER_SECRETS = (1, 2, 3)
"""Seed offsets for other values of a fact, to test whether the fact decides the result."""


def with_bounds(scenario: Scenario) -> Scenario:
    """Return *scenario* with a bound on each day that has more work than hours.

    Raises SolverMissing, and BenchmarkError as `day_bound` does.
    """
    days = tuple(
        day.model_copy(update={"bound": day_bound(scenario, number)}) if day.best else day
        for number, day in enumerate(scenario.days)
    )
    return scenario.model_copy(update={"days": days})


def day_bound(scenario: Scenario, number: int) -> int:
    """Return a worth that no agent can exceed on day *number* (from 0) of *scenario*.

    Raises SolverMissing, and BenchmarkError if the scenario's best plan exceeds the bound: no agent
    can do all tasks of that plan.
    """
    composition = compose_day(scenario, number)
    bound = most_worth(least_day(composition, decisive_clues(composition)))
    best = composition.spec.best_worth
    if best is not None and best > bound:
        raise BenchmarkError(
            f"{scenario.name}: the best of {composition.spec.name} is worth {best}, but nobody can "
            f"do more than {bound}; name tasks that can all be done, as trainee-bench generate does"
        )
    return bound


def decisive_clues(composition: ComposedDay) -> frozenset[str]:
    """Return the ids of the clues that decide the result of their task.

    A clue decides it if the right result changes whenever the clue's text changes.
    """
    return frozenset(
        clue.id
        for task in composition.tasks
        for clue in own_clues(task)
        if _decides(composition, task, clue.id)
    )


def _decides(composition: ComposedDay, task: ComposedTask, clue: str) -> bool:
    text, result = _payload(task, clue), _right_result(task)
    others = [
        other
        for other in (_other_task(composition, task, {clue: offset}) for offset in _OTHER_SECRETS)
        if other is not None and _payload(other, clue) != text
    ]
    return bool(others) and all(_right_result(other) != result for other in others)


def _other_task(
    composition: ComposedDay, task: ComposedTask, offsets: Mapping[str, int]
) -> ComposedTask | None:
    """Compose *task* with other secrets; None if the day cannot be composed with them."""
    day = composition.scenario_day
    try:
        other = compose_day(day.scenario, day.day, Variation(secret_seed_offsets={**offsets}))
    except CompositionError:
        return None
    return next(found for found in other.tasks if found.id == task.id)


def _payload(task: ComposedTask, id: str) -> str:
    """Return the final text of the clue with this *id*, or "" if there is none."""
    return next((last_form(clue, task)[0].payload for clue in own_clues(task) if clue.id == id), "")


def _right_result(task: ComposedTask) -> object:
    """Return what distinguishes right results: the values of a right file, or the ground truth."""
    truth = task.instance.graded.truth
    own = truth.task if isinstance(truth, ComplicatedTruth) else truth
    return task.instance.graded.right_text or own
