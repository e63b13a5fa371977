"""Claim: no complete answer is so common that guessing it pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day
from trainee_bench.meta_tasks.catalog import find_rule

MIN_GUESS_SEEDS = 50
"""With fewer seeds the share of the most common answer is not reported: it cannot be small."""
GUESS_SEEDS = 200
"""Seeds over which answers are counted where a certificate has MIN_GUESS_SEEDS or more."""


def guess_seeds(seeds: Sequence[int]) -> Sequence[int]:
    """The seeds to count answers over: *seeds*, extended to GUESS_SEEDS if they are many."""
    many = len(seeds) >= MIN_GUESS_SEEDS
    first = seeds[0]
    return range(first, first + max(len(seeds), GUESS_SEEDS)) if many else seeds


async def certify_guesses(rule: str, seeds: Sequence[int]) -> Claim:
    """The oracle's deliverables seldom repeat: at most with the rule's ``guess_rate``.

    Facts: ``commonest``, the share of the most common complete answer; ``guess_seeds``, the
    number of seeds it was counted over.
    """
    claim = Claim("guesses")
    answers: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            outputs = await oracle_outputs(composition)
            # An answer that is no file (a booking) counts as its truth says.
            answers[outputs or (repr(composition.tasks[0].instance.graded.truth),)] += 1
    count = max(answers.values(), default=0)
    share = count / len(seeds)
    bound = find_rule(rule).guess_rate
    claim.expect(
        share <= bound or count <= 1,  # a few seeds cannot show a small share
        f"one answer is right in {share:.0%} of seeds, bound {bound:.0%}",
    )
    claim.facts = {"commonest": share, "guess_seeds": len(seeds)}
    return claim
