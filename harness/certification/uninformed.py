"""Claim: a worker without the hidden facts earns next to nothing, however well it guesses.

There are two such workers. The *guesser* submits what the oracle does in a world with other
secrets: everything open is right, everything hidden a guess. The *shortcut* is the family's own
(`MetaTask.shortcut`): it uses what can be seen, and the cheapest assumption about the rest.
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
"""Limit for the score of either, on average over the seeds."""
GUESSES = 2
"""Number of guesses for each seed; the best one counts."""
TRUTHS = 5
"""Number of possible truths against which each guess is graded."""
_MISSED = ("calendar_attend", "desk_wait")
"""Calls that the guesser leaves out: it attends no appointment."""


async def certify_uninformed(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that neither the guesser nor the shortcut earns more than `CEILING` on average.

    Facts: ``guesser mean`` and ``guesser max``, and the same for ``shortcut``. For each seed the
    best guess counts, by its mean over possible truths.
    """
    claim, guessed, cut = Claim("uninformed"), list[float](), list[float]()
    for seed in seeds:
        with claim.trying(rule, seed):
            plain = single_task_day(rule, seed)
            if plain.tasks[0].instance.hidden.clues:
                guessed.append(await _best_guess(rule, seed, plain))
            cut.append(await _shortcut(plain))
    for name, scores in (("guesser", guessed), ("shortcut", cut)):
        if not scores:  # a rule without clues leaves nothing to guess
            continue
        mean = claim.note_scores(name, scores)
        claim.expect(
            mean <= CEILING,
            f"the {name}, which is told nothing, scores {mean:.2f} on average, above {CEILING}",
        )
    claim.tried = max(claim.tried, 1)
    return claim


async def _shortcut(plain: ComposedDay) -> float:
    """Return what the family's shortcut earns.

    Raises what the shortcut raises, except refusals of tools.
    """
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
    """Return what the best of the guesses earns, on average over possible truths."""
    clues = tuple(clue.id for clue in plain.tasks[0].instance.hidden.clues)
    possible = [plain]
    for offset in range(1, max(GUESSES, TRUTHS) + 1):
        drawn = Variation(secret_seed_offsets=dict.fromkeys(clues, offset))
        possible.append(single_task_day(rule, seed, drawn))
    withheld = single_task_day(rule, seed, Variation(withheld=clues))
    best = 0.0
    for guess in possible[1 : GUESSES + 1]:
        truths = [truth for truth in possible[: TRUTHS + 1] if truth is not guess]
        best = max(best, mean_of(await _graded_against(guess, withheld, truths)))
    return best


async def _graded_against(
    guess: ComposedDay, withheld: ComposedDay, truths: Sequence[ComposedDay]
) -> list[float]:
    """Return what the oracle's work on *guess* earns if each of *truths* is right.

    Nobody tells anything in the world *withheld*. The open facts are the same in all of them.
    """
    log = await oracle_log(guess)
    day = await stage_day(withheld)
    async with day.world:
        for entry in log:
            if _is_repeated(day, entry.tool):
                await day.observe(entry.tool, entry.arguments)

        def grade_all(tx: Transaction) -> list[TaskGrade]:
            return [grade_task(tx, truth, truth.tasks[0]) for truth in truths]

        grades = await day.world.read(grade_all)
    for grade in grades:
        if grade.error is not None:
            raise RuntimeError(grade.error)
    return [grade.score or 0 for grade in grades]


def _is_repeated(day: StagedDay, tool: str) -> bool:
    known = day.seat.tools.get(tool)
    works = known is not None and not known.read_only and tool not in _MISSED
    return works or tool in PASSING_DAYS
