"""Claim: every clue is needed. Without any one of them, full score is out of reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from trainee_bench.harness.certification.claim import NO_FACTS, Claim, rotating_sample
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import Variation


async def certify_ablation(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the oracle misses full score if one clue is withheld.

    Facts: ``loss NAME`` for each clue, the oracle's mean loss of score without it.
    """
    claim = Claim("ablation")
    losses: dict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        with claim.trying(rule, seed):
            for clue, grade in (await _without_each(rule, seed)).items():
                name = clue.partition("/")[2]
                losses[name].append(1 - (grade.score or 0))
                claim.expect(
                    grade.error is None and not grade.success and (grade.score or 0) < 1,
                    f"seed {seed}: without {name} the oracle still scores {grade.score}",
                    TriedWorld(seed, withheld=(clue,)),
                )
    claim.end_trials(NO_FACTS)
    claim.facts = {f"loss {name}": sum(lost) / len(lost) for name, lost in sorted(losses.items())}
    return claim


async def _without_each(rule: str, seed: int) -> dict[str, TaskGrade]:
    """Return the oracle's grade without each clue of a sample, by the clue's id."""
    grades: dict[str, TaskGrade] = {}
    instance = single_task_day(rule, seed).tasks[0].instance
    needed = [clue for clue in instance.hidden.clues if clue.id not in instance.hidden.superseded]
    for clue in rotating_sample(needed, seed):
        variation = Variation(withheld=(clue.id,))
        day = await stage_day(single_task_day(rule, seed, variation))
        async with day.world:
            await day.work()
            grades[clue.id] = (await day.grades())[0]
    return grades
