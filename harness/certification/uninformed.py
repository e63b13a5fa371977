"""Claim: who knows nothing of what is hidden earns next to nothing, however well they guess.

Two ways to work without it. The *guesser* hands in what the oracle does in a world with other
secrets: everything open is right, everything hidden a guess. The *shortcut* is the family's own
(`MetaTask.shortcut`): what can be seen, and the cheapest assumption about the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    StagedDay,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade, grade_task
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.habits import NO_HABITS
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.world.transaction import Transaction

CEILING = 0.15
"""What either may earn at most, on average over the seeds."""
GUESSES = 2
"""How many guesses are made for each seed; the best one counts."""
TRUTHS = 5
"""Against how many possible truths each guess is held."""
_MISSED = ("calendar_attend", "desk_wait")
"""Calls that the guesser leaves out: it comes to no appointment."""


async def certify_uninformed(rule: str, seeds: Sequence[int]) -> Claim:
    """Neither the guesser nor the shortcut earns more than `CEILING` on average.

    Facts: ``guesser mean`` and ``guesser max``, and the same of ``shortcut``: of each seed the best
    guess counts, and of that the mean over possible truths.
    """
    claim, guessed, cut = Claim("uninformed"), list[float](), list[float]()
    for seed in seeds:
        with claim.trying(rule, seed):
            plain = single_task_day(rule, seed)
            if plain.tasks[0].instance.hidden.clues:
                guessed.append(await _best_guess(rule, seed, plain))
            cut.append(await _shortcut(plain))
    for name, scores in (("guesser", guessed), ("shortcut", cut)):
        if not scores:  # a rule without clues, whose answer nobody has to guess
            continue
        mean = claim.note_scores(name, scores)
        claim.expect(
            mean <= CEILING,
            f"the {name}, who is told nothing, scores {mean:.2f} on average, above {CEILING}",
        )
    claim.tried = max(claim.tried, 1)
    return claim


async def _shortcut(plain: ComposedDay) -> float:
    """What the family's shortcut earns. Raises what it raises, unless that is a tool's refusal."""
    task = plain.tasks[0]
    day = await stage_day(plain)
    async with day.world:
        shortcut = scripted(task.meta_task.family_class.shortcut)
        failures = await day.work({task.id: shortcut}, NO_HABITS)
        for error in failures.values():
            if not isinstance(error, ToolFailed):
                raise error
        return (await day.grades())[0].score or 0


async def _best_guess(rule: str, seed: int, plain: ComposedDay) -> float:
    """What the best of the guesses earns, on average over possible truths."""
    clues = tuple(clue.id for clue in plain.tasks[0].instance.hidden.clues)
    possible = [plain]
    for offset in range(1, max(GUESSES, TRUTHS) + 1):
        drawn = Variation(secret_seed_offsets=dict.fromkeys(clues, offset))
        possible.append(single_task_day(rule, seed, drawn))
    withheld = single_task_day(rule, seed, Variation(withheld=clues))
    best = 0.0
    for guess in possible[1 : GUESSES + 1]:
        truths = [one for one in possible[: TRUTHS + 1] if one is not guess]
        best = max(best, mean_of(await _held_against(guess, withheld, truths)))
    return best


async def _held_against(
    guess: ComposedDay, withheld: ComposedDay, truths: Sequence[ComposedDay]
) -> list[float]:
    """What the work of the oracle of *guess* earns where nobody tells anything, if each of
    *truths* is right. What lies open is the same in all of them."""
    log = await oracle_log(guess)
    day = await stage_day(withheld)
    async with day.world:
        for entry in log:
            if _is_repeated(day, entry.tool):
                await day.observe(entry.tool, entry.arguments)

        def see(tx: Transaction) -> list[TaskGrade]:
            return [grade_task(tx, truth, truth.tasks[0]) for truth in truths]

        grades = await day.world.read(see)
    for grade in grades:
        if grade.error is not None:
            raise RuntimeError(grade.error)
    return [grade.score or 0 for grade in grades]


def _is_repeated(day: StagedDay, tool: str) -> bool:
    known = day.seat.tools.get(tool)
    works = known is not None and not known.read_only and tool not in _MISSED
    return works or tool in PASSING_DAYS
