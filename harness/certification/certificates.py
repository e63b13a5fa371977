"""Certificates: every claim tried on a rule, and on many rules in worker processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress

import anyio

from trainee_bench.harness.certification.ablation import certify_ablation
from trainee_bench.harness.certification.ahead import certify_ahead
from trainee_bench.harness.certification.asking import certify_asking
from trainee_bench.harness.certification.blindness import certify_blindness
from trainee_bench.harness.certification.cheats import certify_cheats, certify_guesses, guess_seeds
from trainee_bench.harness.certification.claim import SEVERAL, Certificate, Claim
from trainee_bench.harness.certification.complications import certify_complications
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.finishing import certify_finishing
from trainee_bench.harness.certification.followers import certify_followers
from trainee_bench.harness.certification.grounds import certify_grounds
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.memory import certify_memory
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.certification.office_claims import (
    certify_live_policy,
    certify_second_opinion,
    certify_wrong_list,
)
from trainee_bench.harness.certification.process_points import certify_process
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.task_pairs import certify_pairs
from trainee_bench.harness.certification.text_ablation import certify_shown
from trainee_bench.harness.certification.uninformed import certify_uninformed
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.task_context import CompositionError

_TRIED = 10
"""Factor for the number of seeds to search for those that a rule fits."""

CLAIMS: Mapping[str, Callable[[str, Sequence[int]], Awaitable[Claim]]] = {
    "solvable": certify_solvable,
    "counterfactuals": certify_counterfactuals,
    "ablation": certify_ablation,
    "asking": certify_asking,
    "process": certify_process,
    "pairs": certify_pairs,
    "shown": certify_shown,
    "uninformed": certify_uninformed,
    "cheats": certify_cheats,
    "guesses": certify_guesses,
    "mutants": certify_mutants,
    "leakage": certify_leakage,
    "ahead": certify_ahead,
    "complications": certify_complications,
    "blindness": certify_blindness,
    "memory": certify_memory,
    "finishing": certify_finishing,
    "followers": certify_followers,
    "live policy": certify_live_policy,
    "second opinion": certify_second_opinion,
    "wrong list": certify_wrong_list,
    "grounds": certify_grounds,
}


async def certify(rule: str, seeds: range, claims: Sequence[str] = tuple(CLAIMS)) -> Certificate:
    """Return the certificate of *rule*: each of *claims* tried over *seeds*.

    "guesses" may use more seeds (see `guess_seeds`). If a rule's complications do not fit together
    at some seeds, further seeds replace those.
    """
    tried, fitting = list[Claim](), fitting_seeds(rule, seeds)
    for name in claims:
        over = guess_seeds(fitting) if name == "guesses" else fitting
        try:
            tried.append(await CLAIMS[name](rule, over))
        except Exception as bug:  # noqa: BLE001 - a bug outside of any seed; the other claims go on
            claim = Claim(name)
            claim.fail(f"{rule}, seeds {over[0]} to {over[-1]}", bug)
            tried.append(claim)
    return Certificate(rule, len(seeds), tuple(tried))


def fitting_seeds(rule: str, seeds: range) -> Sequence[int]:
    """Return as many seeds as *seeds*, from its first on, at which the complications of *rule* fit.

    Returns *seeds* itself if ten times as many do not contain enough.
    """
    if rule.count("+") < SEVERAL:
        return seeds
    fitting = list[int]()
    for seed in range(seeds.start, seeds.start + _TRIED * len(seeds)):
        with suppress(CompositionError):
            single_task_day(rule, seed)
            fitting.append(seed)
        if len(fitting) == len(seeds):
            return fitting
    return seeds


def certify_rules(
    rules: Sequence[str], seeds: range, jobs: int, claims: Sequence[str] = tuple(CLAIMS)
) -> Iterator[Certificate]:
    """Yield the certificates of *rules* as they are done, from at most *jobs* worker processes."""
    with worker_processes(min(jobs, len(rules))) as pool:
        tasks = [pool.submit(_certify_in_process, rule, seeds, claims) for rule in rules]
        for task in as_completed(tasks):
            yield task.result()


def _certify_in_process(rule: str, seeds: range, claims: Sequence[str]) -> Certificate:
    return anyio.run(certify, rule, seeds, claims)


class UnknownClaimError(ValueError):
    """No claim has this name."""


def matching_claims(names: Sequence[str]) -> list[str]:
    """Return *names* in the order of `CLAIMS`; all claims if there are none.

    Raises UnknownClaimError for an unknown name.
    """
    for name in names:
        if name not in CLAIMS:
            raise UnknownClaimError(f"no claim is called {name!r}; there are {', '.join(CLAIMS)}.")
    return [name for name in CLAIMS if not names or name in names]
