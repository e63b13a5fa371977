"""Attacking a benchmark: every attack on every day, in worker processes.

scenarios ──new seeds──► attack_days ─────┐
their rules with complications ──► try_workers ──► AttackReport
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.scenario import Scenario


@dataclass(frozen=True)
class AttackOptions:
    """The options of an attack.

    Each scenario has so many new ``seeds``, or its own one with 0. There are ``jobs`` worker
    processes. ``sample`` is the number of scenarios, None for all. ``attacks`` are the names of
    those that are made; all without names.
    """

    seeds: int
    jobs: int
    sample: int | None = None
    attacks: tuple[str, ...] = ()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The attacks to make, in their usual order. Raises PlanError for an unknown one."""
        known = attack_names()
        for name in self.attacks:
            if name not in known:
                raise PlanError(f"there is no attack {name!r}; there are {', '.join(known)}.")
        return tuple(name for name in known if name in self.attacks or not self.attacks)


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

    The workers that do not look are tried at new seeds only, and not if single attacks are named.
    Raises PlanError if an attack is unknown, and if no scenario can be staged or none composes at a
    new seed. Raises UnknownRuleError for an unknown rule, and CompositionError for a scenario that
    does not compose with its own seed.
    """
    if not benchmark.scenarios:
        raise PlanError(f"{benchmark.name} has no scenario that can be staged.")
    attacks, scenarios = options.chosen, _sample(benchmark.scenarios, options.sample)
    rules = {task.rule for scenario in scenarios for day in scenario.days for task in day.tasks}
    work: dict[str, Callable[[], _Found]] = {}
    for scenario in scenarios:
        for number in range(1, options.seeds + 1):
            title = f"{scenario.name}, new seed {number}"
            work[title] = partial(_attack_new_seed, scenario, number, attacks)
        if not options.seeds:
            work[f"{scenario.name}, its own seed"] = partial(_attack_own_seed, scenario, attacks)
    for rule in complicated_rules(rules) if options.seeds and not options.attacks else ():
        work[rule] = partial(_try_workers, rule, options.seeds, named=rule in rules)
    found: dict[str, _Found] = {}
    with worker_processes(min(options.jobs, len(work))) as pool:
        names: dict[Future[_Found], str] = {pool.submit(do): name for name, do in work.items()}
        for done in as_completed(names):
            name = names[done]
            try:
                found[name] = done.result()
            except Exception as error:
                error.add_note(f"This happened in the attack on {name}.")
                raise
            tell(f"{len(found)}/{len(work)} {name}")
    ordered = [found[name] for name in work]
    days = tuple(trial for part in ordered for trial in part.days)
    if not days:
        raise PlanError(
            f"{benchmark.name}: nothing was attacked, since no scenario composes at a new seed. "
            "Attack the scenarios' own seeds with --same-seeds."
        )
    left_out = (why for part in ordered for why in part.left_out)
    return AttackReport(
        benchmark=benchmark.name,
        scenarios=len(scenarios),
        seeds=options.seeds,
        days=days,
        workers=tuple(trial for part in ordered for trial in part.workers),
        left_out=(*_not_staged(benchmark), *left_out),
        known={rule: why for rule in sorted(rules) if (why := _known_reason(rule))},
    )


def _known_reason(rule: str) -> str:
    """Return why what was right at another seed is often right in *rule*; "" if it is not."""
    task = find_rule(rule).meta_task
    return task.family_class.guessing_waived or task.plain.repetition_works


def _not_staged(benchmark: LoadedBenchmark) -> Iterator[str]:
    """Yield what of *benchmark* nobody can work, so no attack can either."""
    for scenario in benchmark.refused:
        yield f"{scenario.name} cannot be staged: {scenario.reason}"
    for task in benchmark.unsupported:
        yield f"{task.scenario}: there is no family for its task {task.name}"


def _sample(scenarios: Sequence[Scenario], size: int | None) -> Sequence[Scenario]:
    """Return *size* of *scenarios* at equal distances, all for None."""
    if size is None or size >= len(scenarios):
        return scenarios
    return [scenarios[place * len(scenarios) // size] for place in range(size)]


def _attack_new_seed(scenario: Scenario, number: int, attacks: Sequence[str]) -> _Found:
    attacked = with_new_seed(scenario, number)
    if attacked is None:
        return _Found(left_out=(f"{scenario.name} composes at no seed near its new seed {number}",))
    return _Found(days=tuple(anyio.run(attack_days, attacked, scenario, attacks)))


def _attack_own_seed(scenario: Scenario, attacks: Sequence[str]) -> _Found:
    return _Found(days=tuple(anyio.run(attack_days, scenario, scenario, attacks)))


def _try_workers(rule: str, seeds: int, *, named: bool) -> _Found:
    trials = anyio.run(partial(try_workers, rule, seeds, named=named))
    return _Found(workers=tuple(trials))
