"""Claim: the oracle reaches full score, doing nothing scores 0, and staging is deterministic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import compose_day


async def certify_solvable(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the oracle scores 1 without harm, an untouched world 0, and two stagings are
    equal.

    Facts: ``calls_min`` and ``calls_max``, the calls that the oracle needed; ``oracle`` and
    ``nothing``, the mean scores of the oracle and of doing nothing.
    """
    claim = Claim("solvable")
    days: list[_SolvedDay] = []
    for seed in seeds:
        with claim.trying(rule, seed):
            days.append(await _solve(claim, rule, seed))
    claim.facts = {
        "calls_min": min((day.calls for day in days), default=0),
        "calls_max": max((day.calls for day in days), default=0),
        "oracle": mean_of([day.score for day in days]),
        "nothing": mean_of([day.idle for day in days]),
    }
    return claim


class _SolvedDay(NamedTuple):
    """The oracle's calls and score, and the score of doing nothing."""

    calls: int
    score: float
    idle: float


async def _solve(claim: Claim, rule: str, seed: int) -> _SolvedDay:
    """Stage one seed twice, grade it untouched, and let the oracle work it."""
    composition = single_task_day(rule, seed)
    day = await stage_day(composition)
    again = await stage_day(compose_day(composition.scenario_day.scenario))
    async with day.world, again.world:
        same = await day.world.digest() == await again.world.digest()
        claim.expect(same, f"seed {seed}: staging twice gives different digests")
        idle = (await day.grades())[0]
        claim.expect(idle.score == 0, f"seed {seed}: doing nothing scores {idle.score}")
        failures = await day.work()
        grade = (await day.grades())[0]
        missed = [check.sentence for check in grade.checkpoints if not check.passed]
        claim.expect(
            grade.success and grade.score == 1 and not failures,
            f"seed {seed}: the oracle scores {grade.score}; missed {missed}; "
            f"harm {list(grade.harm)}; {grade.error or ''} {list(failures.values())}",
        )
        return _SolvedDay(len(await day.world.log()), grade.score or 0, idle.score or 0)
