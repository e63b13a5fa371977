"""Claims: cheats and guesses earn next to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.certification.claim import WAIVED, Claim
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day, stage_day
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade


async def certify_cheats(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that every cheating agent stays below its score ceiling on average and never succeeds.

    Facts: ``NAME mean`` and ``NAME max``, the scores of each cheat. Notes name the checkpoints that
    it passes, or say that one which knows other seeds is left out.
    """
    claim = Claim("cheats")
    task = find_rule(rule).meta_task
    why = task.family_class.guessing_waived or task.plain.repetition_works
    for name, agent in discover_agents().items():
        if agent.score_ceiling is None:
            continue
        if why and agent.knows_other_seeds:
            claim.notes.append(f"{name} is left out: {why}")
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
    """Check every grade of one cheat, by seed, and note the checkpoints that it passes."""
    passed: Counter[str] = Counter()
    for seed, grade in grades.items():
        world = TriedWorld(seed)
        claim.expect(grade.error is None, f"seed {seed}, {name}: {grade.error}", world)
        claim.expect(grade.score != 1, f"seed {seed}: {name} reaches full score", world)
        passed.update(check.name for check in grade.checkpoints if check.passed)
    if passed:
        listed = ", ".join(f"{check} {count}x" for check, count in passed.most_common())
        claim.notes.append(f"{name} passes {listed}")


async def _grade(agent: type[Agent], composition: ComposedDay) -> TaskGrade:
    """Return the grade of *agent* on its own day or week, in this process."""
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent.name, day)
        return (await day.grades())[0]


MIN_GUESS_SEEDS = 50
"""With fewer seeds the share of the most common answer is not reported: it cannot be small."""
GUESS_SEEDS = 200
"""Number of seeds for counting answers if a certificate has MIN_GUESS_SEEDS or more."""


def guess_seeds(seeds: Sequence[int]) -> Sequence[int]:
    """Return the seeds for counting answers: *seeds*, extended to GUESS_SEEDS if they are many."""
    many = len(seeds) >= MIN_GUESS_SEEDS
    first = seeds[0]
    return range(first, first + max(len(seeds), GUESS_SEEDS)) if many else seeds


async def certify_guesses(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the oracle's deliverables rarely repeat: at most with the rule's ``guess_rate``.

    Facts: ``commonest``, the share of the most common complete answer; ``guess_seeds``, the number
    of seeds over which it was counted.
    """
    claim = Claim("guesses")
    if waived := find_rule(rule).meta_task.family_class.guessing_waived:
        claim.tried = 1
        claim.inapplicable = f"{WAIVED}: {waived}"
        return claim
    answers: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            outputs = await oracle_outputs(composition)
            truth = composition.tasks[0].instance.graded.truth
            # An answer that is not a file, such as a booking or a return, counts by its truth.
            answers[outputs if any(outputs) else (repr(truth),)] += 1
    count = max(answers.values(), default=0)
    share = count / len(seeds)
    bound = find_rule(rule).guess_rate
    claim.expect(
        share <= bound or count <= 1,  # a few seeds cannot show a small share
        f"one answer is right in {share:.0%} of seeds, bound {bound:.0%}",
    )
    claim.facts = {"commonest": share, "guess_seeds": len(seeds)}
    return claim
