"""Claim 1: honest work reaches full score, doing nothing scores 0, staging is deterministic."""

from __future__ import annotations

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import compose_day


async def certify_solvable(rule: str, seeds: range) -> Claim:
    """The oracle scores 1 and does no harm, an untouched world 0, two stagings are equal.

    Facts: ``calls_min`` and ``calls_max``, how many calls the oracle needed; ``oracle`` and
    ``nothing``, their mean scores.
    """
    claim = Claim("solvable")
    calls, scores, idle_scores = [], [], []
    for seed in seeds:
        composition = single_task_day(rule, seed)
        day = await stage_day(composition)
        again = await stage_day(compose_day(composition.scenario_day.scenario))
        async with day.world, again.world:
            same = await day.world.digest() == await again.world.digest()
            claim.expect(same, f"seed {seed}: staging twice gives two digests")
            idle = (await day.grades())[0]
            claim.expect(idle.score == 0, f"seed {seed}: doing nothing scores {idle.score}")
            failures = await day.run_oracles()
            grade = (await day.grades())[0]
            missed = [check.sentence for check in grade.checkpoints if not check.passed]
            claim.expect(
                grade.success and grade.score == 1 and not failures,
                f"seed {seed}: the oracle scores {grade.score}; missed {missed}; "
                f"harm {list(grade.harm)}; {grade.error or ''} {list(failures.values())}",
            )
            calls.append(len(await day.world.log()))
            scores.append(grade.score or 0)
            idle_scores.append(idle.score or 0)
    claim.facts = {
        "calls_min": min(calls),
        "calls_max": max(calls),
        "oracle": sum(scores) / len(scores),
        "nothing": sum(idle_scores) / len(idle_scores),
    }
    return claim
