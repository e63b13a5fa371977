"""Claim 4: agents that do not do the work score almost 0, and never reach full score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade


async def certify_cheats(rule: str, seeds: range) -> Claim:
    """Every agent with a score ceiling stays below it on average and never succeeds.

    Facts: ``NAME mean`` and ``NAME max``; notes name the checkpoints a cheat passes.
    """
    claim = Claim("cheats")
    for name, agent in discover_agents().items():
        if agent.score_ceiling is None:
            continue
        grades = {seed: await _grade(agent, single_task_day(rule, seed)) for seed in seeds}
        scores = [grade.score or 0 for grade in grades.values()]
        mean = sum(scores) / len(scores)
        claim.facts |= {f"{name} mean": mean, f"{name} max": max(scores)}
        claim.expect(
            mean <= agent.score_ceiling,
            f"{name} scores {mean:.2f} on average; ceiling {agent.score_ceiling}",
        )
        _check_grades(claim, name, grades)
    return claim


def _check_grades(claim: Claim, name: str, grades: Mapping[int, TaskGrade]) -> None:
    """Check every grade of a cheat, by seed; note the checkpoints it passes."""
    passed: Counter[str] = Counter()
    for seed, grade in grades.items():
        claim.expect(grade.error is None, f"seed {seed}, {name}: {grade.error}")
        claim.expect(grade.score != 1, f"seed {seed}: {name} reaches full score")
        passed.update(check.name for check in grade.checkpoints if check.passed)
    if passed:
        listed = ", ".join(f"{check} {count}x" for check, count in passed.most_common())
        claim.notes.append(f"{name} passes {listed}")


async def _grade(agent: type[Agent], composition: ComposedDay) -> TaskGrade:
    """The grade of *agent* on a newly staged day, in this process."""
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent.name, day)
        return (await day.grades())[0]
