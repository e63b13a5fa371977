"""The same day with other seeds, for agents that know other days of its rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from trainee_bench.harness.testbench.staged_day import oracle_outputs
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
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


def same_tasks(
    composition: ComposedDay, other: ComposedDay
) -> Iterator[tuple[ComposedTask, ComposedTask]]:
    """Yield each task of *composition* with the same task of *other*, the same day with another
    seed. Their ids may differ, since tasks are numbered as they arrive."""
    left = defaultdict[tuple[int, str], list[ComposedTask]](list)
    for task in other.tasks:
        left[task.published_place, task.rule].append(task)
    for task in composition.tasks:
        yield task, left[task.published_place, task.rule].pop(0)


async def answers_with_other_seeds(
    composition: ComposedDay, others: Sequence[ComposedDay]
) -> dict[str, list[tuple[int, str]]]:
    """Return the right answers with other seeds by the path of the deliverable, each with the
    index of its day among *others*.

    *others* are the same day with other seeds.
    """
    found = defaultdict[str, list[tuple[int, str]]](list)
    for number, other in enumerate(others):
        texts = dict(zip(other.deliverable_paths, await oracle_outputs(other), strict=True))
        for task, same in same_tasks(composition, other):
            own = task.instance.told.deliverable_paths
            for path, theirs in zip(own, same.instance.told.deliverable_paths, strict=True):
                found[path].append((number, texts[theirs]))
    return dict(found)
