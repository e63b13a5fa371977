"""Attacking a benchmark: every attack on every day, in worker processes.

scenarios ──new seeds──► attack_days ─────┐
their rules with complications ──► try_workers ──► AttackReport
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from functools import partial

import anyio

from trainee_bench.harness.attack.day_attacks import attack_days, attack_names, with_new_seed
from trainee_bench.harness.attack.trials import AttackReport, DayTrial, WorkerTrial
from trainee_bench.harness.attack.worker_trials import complicated_rules, try_workers
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.meta_tasks.scenario import Scenario


@dataclass(frozen=True)
class AttackOptions:
    """The options of an attack: how many new ``seeds`` each scenario has, 0 for its own one; how
    many worker processes there are; and how many scenarios are attacked, None for all."""

    seeds: int
    jobs: int
    sample: int | None = None


@dataclass(frozen=True)
class _Found:
    """The outcome of one piece of work."""

    days: tuple[DayTrial, ...] = ()
    workers: tuple[WorkerTrial, ...] = ()
    left_out: tuple[str, ...] = ()


def attack_benchmark(
    benchmark: LoadedBenchmark, options: AttackOptions, tell: Callable[[str], None]
) -> AttackReport:
    """Return what all attacks reach on *benchmark*; *tell* is told of each piece of work done.

    The workers that do not look are tried at new seeds only. Raises PlanError if no scenario can be
    staged, UnknownRuleError for an unknown rule, and CompositionError for a scenario that does not
    compose with its own seed.
    """
    if not benchmark.scenarios:
        raise PlanError(f"{benchmark.name} has no scenario that can be staged.")
    scenarios = _sample(benchmark.scenarios, options.sample)
    rules = {task.rule for scenario in scenarios for day in scenario.days for task in day.tasks}
    work: dict[str, Callable[[], _Found]] = {}
    for scenario in scenarios:
        for number in range(1, options.seeds + 1):
            title = f"{scenario.name}, new seed {number}"
            work[title] = partial(_attack_new_seed, scenario, number)
        if not options.seeds:
            work[f"{scenario.name}, its own seed"] = partial(_attack_own_seed, scenario)
    for rule in complicated_rules(rules) if options.seeds else ():
        work[rule] = partial(_try_workers, rule, options.seeds, named=rule in rules)
    found: dict[str, _Found] = {}
    with worker_processes(min(options.jobs, len(work))) as pool:
        names: dict[Future[_Found], str] = {pool.submit(do): name for name, do in work.items()}
        for done in as_completed(names):
            name = names[done]
            found[name] = done.result()
            tell(f"{len(found)}/{len(work)} {name}")
    ordered = [found[name] for name in work]
    return AttackReport(
        benchmark=benchmark.name,
        scenarios=len(scenarios),
        seeds=options.seeds,
        days=tuple(trial for part in ordered for trial in part.days),
        workers=tuple(trial for part in ordered for trial in part.workers),
        left_out=tuple(why for part in ordered for why in part.left_out),
    )


def _sample(scenarios: Sequence[Scenario], size: int | None) -> Sequence[Scenario]:
    """Return *size* of *scenarios* at equal distances, all for None."""
    if size is None or size >= len(scenarios):
        return scenarios
    return [scenarios[place * len(scenarios) // size] for place in range(size)]


def _attack_new_seed(scenario: Scenario, number: int) -> _Found:
    attacked = with_new_seed(scenario, number)
    if attacked is None:
        return _Found(left_out=(f"{scenario.name} composes at no seed near its new seed {number}",))
    return _Found(days=tuple(anyio.run(attack_days, attacked, scenario, attack_names())))


def _attack_own_seed(scenario: Scenario) -> _Found:
    return _Found(days=tuple(anyio.run(attack_days, scenario, scenario, attack_names())))


def _try_workers(rule: str, seeds: int, *, named: bool) -> _Found:
    trials = anyio.run(partial(try_workers, rule, seeds, named=named))
    return _Found(workers=tuple(trials))
