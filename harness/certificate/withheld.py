"""Claim 3: without any one of its clues nobody reaches full score."""

from __future__ import annotations

from collections import defaultdict

from harness.certificate.claim import Claim
from harness.certificate.rotation import turn_by_turn
from harness.in_process import single_task, stage_day
from meta_tasks.scenario import Variation


async def certify_withheld(rule: str, seeds: range) -> Claim:
    """Kept from a clue, the oracle falls short of full score.

    Facts: ``loss NAME`` for each clue, the mean score lost without it.
    """
    claim = Claim("withheld")
    losses: dict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        clues = single_task(rule, seed).tasks[0].scene.clues
        for clue in turn_by_turn(clues, seed):
            variation = Variation(withheld=(clue.id,))
            day = await stage_day(single_task(rule, seed, variation))
            async with day.world:
                await day.run_oracles()
                grade = (await day.grades())[0]
            name = clue.id.partition("/")[2]
            losses[name].append(1 - (grade.score or 0))
            claim.expect(
                grade.error is None and not grade.success and (grade.score or 0) < 1,
                f"seed {seed}: without {name} the oracle still scores {grade.score}",
            )
    if not losses:
        claim.tried = 1
        claim.notes.append("this rule has no clues")
    claim.facts = {f"loss {name}": sum(lost) / len(lost) for name, lost in sorted(losses.items())}
    return claim
