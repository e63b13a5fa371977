"""Claim: points for process are few, and count only with an outcome.

They are found by a trial. A worker does all the asking and attending of the oracle but none of the
work. The checks that then pass by themselves are points for process.
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
"""Beginnings of the names of tools for asking and attending."""


async def certify_process(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that points without any work are at most a fifth, and count only with an outcome.

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
            process = [mark for mark in marks if mark.only_with or mark.name in idle]
            share = sum(mark.weight for mark in process) / sum(mark.weight for mark in marks)
            shares.append(share)
            claim.expect(
                share <= MAX_PROCESS_SHARE + 1e-9,
                f"seed {seed}: {', '.join(mark.name for mark in process)} are {share:.0%} of the "
                "points and take no work",
            )
    claim.facts = {"process": max(shares, default=0)}
    return claim


def _flaws(marks: Collection[Checkpoint], idle: Collection[str]) -> list[str]:
    """Return the flaws in how the checkpoints depend on each other."""
    outcomes = {mark.name for mark in marks if not mark.only_with and mark.name not in idle}
    process = {mark.name for mark in marks} - outcomes
    flaws = []
    for mark in marks:
        if mark.name in process and mark.only_with not in outcomes:
            flaws.append(f"{mark.name} takes no work and counts without an outcome")
        if mark.only_after and mark.only_after not in process:
            flaws.append(f"{mark.name} needs {mark.only_after}, which is not a point for process")
    return flaws


async def _passed_by_asking(composition: ComposedDay, marks: Collection[Checkpoint]) -> set[str]:
    """Return the checks that pass by themselves after all the oracle's asking, without work."""
    log = await oracle_log(composition)
    day = await stage_day(composition)
    async with day.world:
        for entry in log:
            if _is_asking(day, entry.tool):
                await day.observe(entry.tool, entry.arguments)
        task = composition.tasks[0]

        def passing_marks(tx: Transaction) -> set[str]:
            grading = GradingContext(tx, task.id, task.instance.graded.truth)
            return {
                mark.name
                for mark in marks
                if not mark.forbidden and mark.verdict(task.meta_task, grading).passed
            }

        return await day.world.read(passing_marks)


def _is_asking(day: StagedDay, tool: str) -> bool:
    known = day.seat.tools.get(tool)
    asks = known is not None and (known.read_only or tool.startswith(_ASKING))
    return asks or tool in PASSING_DAYS
