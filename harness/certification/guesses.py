"""Claim 5: no answer is so common that guessing it pays."""

from __future__ import annotations

from collections import Counter

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day
from trainee_bench.meta_tasks.catalog import all_rules


async def certify_guesses(rule: str, seeds: range) -> Claim:
    """The share of the oracle's most common answer is at most the rule's ``guess_rate``.

    Facts: ``commonest``, that share.
    """
    claim = Claim("guesses")
    answers: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        composition = single_task_day(rule, seed)
        handed_in = await oracle_outputs(composition)
        # without deliverables, such as a booking, the instance's truth is the answer
        answers[handed_in or (repr(composition.tasks[0].instance.truth),)] += 1
    often = answers.most_common(1)[0][1]
    share = often / len(seeds)
    bound = all_rules()[rule].guess_rate
    claim.expect(
        share <= bound or often == 1,  # a few seeds cannot show a small share
        f"one answer is right in {share:.0%} of seeds, bound {bound:.0%}",
    )
    claim.facts = {"commonest": share}
    return claim
