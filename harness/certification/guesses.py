"""Claim 5: no full answer is so common that it is worth guessing."""

from __future__ import annotations

from collections import Counter

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day
from trainee_bench.meta_tasks.catalog import all_rules


async def certify_guesses(rule: str, seeds: range) -> Claim:
    """What the oracle hands in is seldom the same: at most the rule's ``guess_rate``.

    Facts: ``commonest``, the share of the commonest full answer; ``answers``, over how many seeds.
    """
    claim = Claim("guesses")
    answers: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        composition = single_task_day(rule, seed)
        handed_in = await oracle_outputs(composition)
        # what is no file (a booking) is right as the truth has it
        answers[handed_in or (repr(composition.tasks[0].instance.truth),)] += 1
    often = answers.most_common(1)[0][1]
    share = often / len(seeds)
    bound = all_rules()[rule].guess_rate
    claim.expect(
        share <= bound or often == 1,  # a few seeds cannot show a small share
        f"one answer is right in {share:.0%} of seeds, bound {bound:.0%}",
    )
    claim.facts = {"commonest": share, "answers": len(seeds)}
    return claim
