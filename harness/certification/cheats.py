"""Claim: agents that do not do the work score next to nothing, and never full marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade


async def certify_cheats(rule: str, seeds: Sequence[int]) -> Claim:
    """Every cheating agent stays below its score ceiling on average and never succeeds.

    Facts: ``NAME mean`` and ``NAME max``, the scores of each cheat; notes name the checkpoints it
    passes.
    """
    claim = Claim("cheats")
    for name, agent in discover_agents().items():
        if agent.score_ceiling is None:
            continue
        grades: dict[int, TaskGrade] = {}
        for seed in seeds:
            with claim.trying(rule, seed):
                grades[seed] = await _grade(agent, single_task_day(rule, seed))
        mean = claim.note_scores(name, [grade.score or 0 for grade in grades.values()])
        claim.expect(
            mean <= agent.score_ceiling,
            f"{name} scores {mean:.2f} on average, above its ceiling of {agent.score_ceiling}",
        )
        _check_grades(claim, name, grades)
    return claim


def _check_grades(claim: Claim, name: str, grades: Mapping[int, TaskGrade]) -> None:
    """Check every grade of one cheat, by seed, and note the checkpoints it passes."""
    passed: Counter[str] = Counter()
    for seed, grade in grades.items():
        claim.expect(grade.error is None, f"seed {seed}, {name}: {grade.error}")
        claim.expect(grade.score != 1, f"seed {seed}: {name} reaches full score")
        passed.update(check.name for check in grade.checkpoints if check.passed)
    if passed:
        listed = ", ".join(f"{check} {count}x" for check, count in passed.most_common())
        claim.notes.append(f"{name} passes {listed}")


async def _grade(agent: type[Agent], composition: ComposedDay) -> TaskGrade:
    """The grade of *agent* on a day or week of its own, in process."""
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent.name, day)
        return (await day.grades())[0]
