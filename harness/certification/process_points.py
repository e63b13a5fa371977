"""Claim: points for process are few, and count only with an outcome.

They are found by trying: whoever does all the asking and attending of the oracle, but none of the
work, passes exactly these checks, taken by themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    StagedDay,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.checkpoints import Checkpoint, GradingContext
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import MAX_PROCESS_SHARE
from trainee_bench.world.transaction import Transaction

_ASKING = ("chat_", "calendar_attend", "desk_wait")
"""How the names of the tools begin with which one asks and attends."""


async def certify_process(rule: str, seeds: Sequence[int]) -> Claim:
    """What passes without any work is at most a fifth of the points, and counts with an outcome.

    Facts: ``process``, the largest share of these points.
    """
    claim, shares = Claim("process"), list[float]()
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            marks = composition.tasks[0].meta_task.checkpoints()
            idle = await _passed_by_asking(composition, marks)
            for flaw in _flaws(marks, idle):
                claim.expect(False, f"seed {seed}: {flaw}")
            process = [one for one in marks if one.only_with or one.name in idle]
            share = sum(one.weight for one in process) / sum(one.weight for one in marks)
            shares.append(share)
            claim.expect(
                share <= MAX_PROCESS_SHARE + 1e-9,
                f"seed {seed}: {', '.join(one.name for one in process)} are {share:.0%} of the "
                "points and take no work",
            )
    claim.facts = {"process": max(shares, default=0)}
    return claim


def _flaws(marks: Collection[Checkpoint], idle: Collection[str]) -> list[str]:
    """What is wrong with how the checkpoints count with one another."""
    outcomes = {one.name for one in marks if not one.only_with and one.name not in idle}
    process = {one.name for one in marks} - outcomes
    flaws = []
    for one in marks:
        if one.name in process and one.only_with not in outcomes:
            flaws.append(f"{one.name} takes no work and counts without an outcome")
        if one.only_after and one.only_after not in process:
            flaws.append(f"{one.name} needs {one.only_after}, which is no point for process")
    return flaws


async def _passed_by_asking(composition: ComposedDay, marks: Collection[Checkpoint]) -> set[str]:
    """The checks that pass by themselves after all the oracle's asking, and no work."""
    log = await oracle_log(composition)
    day = await stage_day(composition)
    async with day.world:
        for entry in log:
            if _is_asking(day, entry.tool):
                await day.observe(entry.tool, entry.arguments)
        task = composition.tasks[0]

        def see(tx: Transaction) -> set[str]:
            grading = GradingContext(tx, task.id, task.instance.graded.truth)
            return {
                one.name
                for one in marks
                if not one.forbidden and one.verdict(task.meta_task, grading).passed
            }

        return await day.world.read(see)


def _is_asking(day: StagedDay, tool: str) -> bool:
    known = day.seat.tools.get(tool)
    asks = known is not None and (known.read_only or tool.startswith(_ASKING))
    return asks or tool in PASSING_DAYS
