"""The bound of a scenario's days with more work than hours."""

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
"""The other values with which it is tried whether a fact decides the result."""


def with_bounds(scenario: Scenario) -> Scenario:
    """*scenario* with the bound of each day that has more work than hours.

    Raises SolverMissing, and BenchmarkError as `day_bound` does.
    """
    days = tuple(
        day.model_copy(update={"bound": day_bound(scenario, number)}) if day.best else day
        for number, day in enumerate(scenario.days)
    )
    return scenario.model_copy(update={"days": days})


def day_bound(scenario: Scenario, number: int) -> int:
    """A worth that nobody exceeds on day *number* (from 0) of *scenario*.

    Raises SolverMissing, and BenchmarkError if the scenario's best exceeds it: then nobody can do
    what that names.
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
    """The ids of the clues that decide the result of their task: whenever what is told is another
    thing, so is what is right."""
    return frozenset(
        clue.id
        for task in composition.tasks
        for clue in own_clues(task)
        if _decides(composition, task, clue.id)
    )


def _decides(composition: ComposedDay, task: ComposedTask, clue: str) -> bool:
    told, right = _payload(task, clue), _right(task)
    others = [
        other
        for other in (_other_task(composition, task, {clue: offset}) for offset in _OTHER_SECRETS)
        if other is not None and _payload(other, clue) != told
    ]
    return bool(others) and all(_right(other) != right for other in others)


def _other_task(
    composition: ComposedDay, task: ComposedTask, offsets: Mapping[str, int]
) -> ComposedTask | None:
    """*task* as it is with other secrets; None if the day cannot be composed with them."""
    day = composition.scenario_day
    try:
        other = compose_day(day.scenario, day.day, Variation(secret_seed_offsets={**offsets}))
    except CompositionError:
        return None
    return next(found for found in other.tasks if found.id == task.id)


def _payload(task: ComposedTask, id: str) -> str:
    """What is told in the end by the clue of this *id*; "" if there is none."""
    return next((last_form(clue, task)[0].payload for clue in own_clues(task) if clue.id == id), "")


def _right(task: ComposedTask) -> object:
    """What tells right results apart: the values of a right file, where the family states them."""
    truth = task.instance.graded.truth
    own = truth.task if isinstance(truth, ComplicatedTruth) else truth
    return task.instance.graded.right_text or own
