"""Workers that meet a complication without looking: blind, early and late.

The *blind* worker and the *early* one are those of the certificate's claim ``blindness``. The
*late* worker ignores the complication and begins when the day is far gone, as in the claim
``complications``. Each works a day with one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from trainee_bench.harness.attack.trials import WorkerTrial
from trainee_bench.harness.certification.blindness import blind_trials
from trainee_bench.harness.certification.certificates import fitting_seeds
from trainee_bench.harness.certification.complications import is_handled, late_grades
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.task_context import CompositionError

_FIRST_SEED = 10_000
"""The first of the new seeds, far from those of certificates."""


def complicated_rules(rules: Iterable[str]) -> list[str]:
    """Return those of *rules* that have complications, and for the late worker each rule with a
    single one of them, all once and sorted."""
    found = set[str]()
    for rule in rules:
        plain, *names = rule.split("+")
        if names:
            found |= {rule, *(f"{plain}+{name}" for name in names)}
    return sorted(found)


async def try_workers(rule: str, seeds: int, *, named: bool) -> list[WorkerTrial]:
    """Return how the workers fare with each complication of *rule* at so many *seeds*.

    The late worker is tried if the rule has a single complication; the others if the benchmark has
    *named* the rule.
    """
    trials: list[WorkerTrial] = []
    fitting = fitting_seeds(rule, range(_FIRST_SEED, _FIRST_SEED + seeds))
    complications = find_rule(rule).meta_task.complications
    for complication in complications:
        ways = (("blind", complication.work_blind), ("early", complication.work_early))
        for worker, work in ways if named else ():
            hits = list[bool]()
            for seed in fitting:
                with suppress(CompositionError):
                    hits += [hit async for hit in blind_trials(rule, seed, complication, work)]
            trials.append(_trial(rule, complication.name, worker, hits))
        if len(complications) == 1:
            hits = []
            for seed in fitting:
                late = late_grades(rule, seed, complication)
                hits += [is_handled(grade, complication) async for _, grade in late]
            trials.append(_trial(rule, complication.name, "late", hits))
    return trials


def _trial(rule: str, complication: str, worker: str, hits: Sequence[bool]) -> WorkerTrial:
    return WorkerTrial(rule, complication, worker, sum(hits), len(hits))
