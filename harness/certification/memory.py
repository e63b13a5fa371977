"""Claim: a task of several days needs facts from earlier days.

The oracle starts again each morning and knows only what it has noted. Without its notes it loses at
least `FORGETTING`. For rules of one day, the claim holds without a trial of memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import find_rule

FORGETTING = 0.3
"""Minimal cost of forgetting, as a share of a task's score."""
FORGETFUL = "oracle_without_notes"


async def certify_memory(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the oracle loses at least `FORGETTING` without its notes.

    Facts: ``forgetting``, the mean loss, for a rule of several days.
    """
    claim, losses = Claim("memory"), list[float]()
    task = find_rule(rule).meta_task
    earlier = any(complication.several_days for complication in task.complications)
    if not task.family_class.whole_week and not earlier:
        claim.leave_out(rule, seeds, "the task takes one day")
        return claim
    for seed in seeds:
        with claim.trying(rule, seed):
            (grade,) = (await cached_grade(FORGETFUL, single_task_day(rule, seed))).tasks
            losses.append(1 - (grade.score or 0))
            claim.expect(
                grade.error is None and losses[-1] >= FORGETTING - 1e-9,
                f"seed {seed}: without its notes the oracle loses only {losses[-1]:.2f}; "
                f"{grade.error or ''}",
            )
    claim.facts = {"forgetting": mean_of(losses)}
    return claim
