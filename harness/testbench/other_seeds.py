"""The same day with other seeds, for agents that know other days of its rules."""

from __future__ import annotations

from collections.abc import Iterable

from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError


def days_with_seeds(
    scenario: Scenario, number: int, seeds: Iterable[int], count: int
) -> list[ComposedDay]:
    """Return day *number* of *scenario* with the first *count* of *seeds* at which it composes.

    Complications of several tasks do not fit together at every seed, so there may be fewer.
    """
    found: list[ComposedDay] = []
    for seed in seeds:
        if len(found) == count:
            break
        try:
            found.append(composed(scenario.model_copy(update={"seed": seed}), number))
        except CompositionError:
            continue
    return found
