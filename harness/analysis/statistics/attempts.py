"""Several attempts at the same work: how often all of them succeed, and how often any does.

    results ──day_attempts(), task_attempts()──► AttemptCounts ──pass_rates()──► PassRate for each k

pass^k and pass@k are estimated without bias for each day or task, and averaged. Attempts that could
not be graded are counted apart, never dropped in silence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb

from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.records.results import UNSUPPORTED, EpisodeResult

Chance = Callable[[int, int, int], float]
"""A chance from the number of successes, the number of attempts, and k."""
_DIGITS = 12
"""Decimals to which sums are rounded, so that three thirds are one in every table."""


def all_succeed(successes: int, attempts: int, k: int) -> float:
    """Return pass^k of one day or task: the chance that *k* independent attempts all succeed.

    With c successes in n attempts, C(c, k) / C(n, k) is unbiased for p to the power of k: Yao et
    al. 2024, tau-bench (arXiv 2406.12045). Raises ValueError unless 1 <= k <= n and 0 <= c <= n.
    """
    _check(successes, attempts, k)
    return comb(successes, k) / comb(attempts, k)


def any_succeeds(successes: int, attempts: int, k: int) -> float:
    """Return pass@k of one day or task: the chance that any of *k* independent attempts succeeds.

    With c successes in n attempts, 1 - C(n - c, k) / C(n, k) is unbiased for 1 - (1 - p) to the
    power of k: Chen et al. 2021 (arXiv 2107.03374). Raises ValueError unless 1 <= k <= n and
    0 <= c <= n.
    """
    _check(successes, attempts, k)
    choices = comb(attempts, k)
    return (choices - comb(attempts - successes, k)) / choices


def _check(successes: int, attempts: int, k: int) -> None:
    if not (1 <= k <= attempts and 0 <= successes <= attempts):
        raise ValueError(f"{successes} successes in {attempts} attempts give no figure for k = {k}")


@dataclass(frozen=True)
class AttemptCounts:
    """The attempts of one agent at one day or task of a scenario.

    ``successes`` of the ``graded`` attempts succeeded; ``broken`` more could not be graded.
    """

    scenario: str
    successes: int
    graded: int
    broken: int

    def attempts(self, *, broken_as_failed: bool) -> int:
        """Return the number of attempts, with or without broken ones."""
        return self.graded + self.broken * broken_as_failed


@dataclass(frozen=True)
class PassRate:
    """pass^k (``all_succeed``) and pass@k (``any_succeeds``), averaged over ``units``.

    A unit is a day or a task with k attempts or more.
    """

    k: int
    units: int
    all_succeed: Estimate
    any_succeeds: Estimate


def day_attempts(results: Iterable[EpisodeResult]) -> list[AttemptCounts]:
    """Return the attempts of one agent at each day or week: a success is a complete day.

    An attempt is broken if any of its tasks could not be graded.
    """
    found: dict[tuple[str, str], list[bool | None]] = defaultdict(list)
    for result in results:
        outcome = None if result.broken else result.success
        found[result.scenario, result.day].append(outcome)
    return [_counted(scenario, outcomes) for (scenario, _), outcomes in sorted(found.items())]


def task_attempts(results: Iterable[EpisodeResult]) -> list[AttemptCounts]:
    """Return the attempts of one agent at each task. Tasks whose family does not exist are left
    out.

    A task is known by its rule and its place among the tasks of that rule, because the tasks of an
    episode that broke have no ids.
    """
    found: dict[tuple[str, str, str, int], list[bool | None]] = defaultdict(list)
    for result in results:
        met: Counter[str] = Counter()
        for task in sorted(result.tasks, key=lambda task: task.task):
            if task.error == UNSUPPORTED:
                continue
            key = (result.scenario, result.day, task.rule, met[task.rule])
            met[task.rule] += 1
            found[key].append(None if task.score is None else task.success)
    return [_counted(key[0], outcomes) for key, outcomes in sorted(found.items())]


def _counted(scenario: str, outcomes: Sequence[bool | None]) -> AttemptCounts:
    graded = [outcome for outcome in outcomes if outcome is not None]
    return AttemptCounts(scenario, sum(graded), len(graded), len(outcomes) - len(graded))


def pass_rates(
    attempts: Sequence[AttemptCounts], agent: str, *, broken_as_failed: bool = False
) -> tuple[PassRate, ...]:
    """Return the rates of *agent* for each k from 1 to the most attempts of any unit.

    Each is a mean over the units with k attempts or more, and its interval comes from resampling
    scenarios. Broken attempts are left out, or count as failures.
    """
    most = max((unit.attempts(broken_as_failed=broken_as_failed) for unit in attempts), default=0)
    return tuple(
        rate
        for k in range(1, most + 1)
        if (rate := _pass_rate(attempts, agent, k, broken_as_failed)) is not None
    )


def _pass_rate(
    attempts: Sequence[AttemptCounts], agent: str, k: int, broken_as_failed: bool
) -> PassRate | None:
    kept = [u for u in attempts if u.attempts(broken_as_failed=broken_as_failed) >= k]
    every, some = (
        bootstrap_mean(_by_scenario(kept, k, chance, broken_as_failed), agent, "attempts")
        for chance in (all_succeed, any_succeeds)
    )
    if every is None or some is None:
        return None
    return PassRate(k, len(kept), every, some)


def _by_scenario(
    attempts: Sequence[AttemptCounts], k: int, chance: Chance, broken_as_failed: bool
) -> list[ScenarioTotal]:
    chances: dict[str, list[float]] = defaultdict(list)
    for unit in attempts:
        total = unit.attempts(broken_as_failed=broken_as_failed)
        chances[unit.scenario].append(chance(unit.successes, total, k))
    return [ScenarioTotal(round(sum(own), _DIGITS), len(own)) for _, own in sorted(chances.items())]


@dataclass(frozen=True)
class RepeatedWork:
    """The results of several attempts of one agent, without broken attempts and with them as
    failures.

    ``fewest`` and ``most`` are the numbers of graded attempts at a day. ``broken`` attempts at days
    could not be graded in full.
    """

    agent: str
    fewest: int
    most: int
    broken: int
    days: tuple[PassRate, ...]
    days_broken_as_failed: tuple[PassRate, ...]
    tasks: tuple[PassRate, ...]
    tasks_broken_as_failed: tuple[PassRate, ...]


def repeated_work(results: Sequence[EpisodeResult]) -> list[RepeatedWork]:
    """Return the figures of each agent that attempted a day several times, by name."""
    found = []
    for agent in sorted({result.agent for result in results}):
        own = [result for result in results if result.agent == agent]
        days, tasks = day_attempts(own), task_attempts(own)
        if max(day.attempts(broken_as_failed=True) for day in days) < 2:
            continue
        found.append(
            RepeatedWork(
                agent=agent,
                fewest=min(day.graded for day in days),
                most=max(day.graded for day in days),
                broken=sum(day.broken for day in days),
                days=pass_rates(days, agent),
                days_broken_as_failed=pass_rates(days, agent, broken_as_failed=True),
                tasks=pass_rates(tasks, agent),
                tasks_broken_as_failed=pass_rates(tasks, agent, broken_as_failed=True),
            )
        )
    return found
