"""Claim 6: wrong deliverables fail and harmless differences pass.

The oracle's own files are the right deliverable. Each mutant changes one thing in one of
them, in a copy of the finished world, and the day is graded again. What is no file is
worked in other ways that the family names.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.in_process.mutations import Mutant, harmless_mutants, wrong_mutants
from trainee_bench.harness.in_process.staged_day import (
    StagedDay,
    output_texts,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import SolverVariant

MIN_MUTANTS = 5
"""Mutants of each sort that a rule needs."""


async def certify_mutants(rule: str, seeds: range) -> Claim:
    """At least five wrong mutants each fail, at least five harmless ones each pass.

    Facts: ``wrong`` and ``harmless``, how many different mutants were tried.
    """
    claim = Claim("mutants")
    names: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for seed in seeds:
        composition = single_task_day(rule, seed)
        for variant in composition.tasks[0].meta_task.solver_variants():
            names[variant.harmless][variant.name] += 1
            claim.expect(
                await _worked_as(composition, variant) is variant.harmless,
                f"seed {seed}: {variant.name} {'fails' if variant.harmless else 'passes'}",
            )
        if not composition.deliverable_paths:
            continue
        day = await stage_day(composition)
        async with day.world:
            await day.run_oracles()
            texts = await day.world.read(partial(output_texts, composition=composition))
            for path, text in zip(composition.deliverable_paths, texts, strict=True):
                for harmless, make in ((True, harmless_mutants), (False, wrong_mutants)):
                    for mutant in make(text):
                        success = await _succeeds(day, path, mutant)
                        names[harmless][mutant.name] += 1
                        claim.expect(
                            success is harmless,
                            f"seed {seed}: {path} with {mutant.name} "
                            f"{'passes' if success else 'fails'}",
                        )
    for harmless, sort in ((True, "harmless"), (False, "wrong")):
        claim.facts[sort] = len(names[harmless])
        claim.expect(
            len(names[harmless]) >= MIN_MUTANTS,
            f"only {len(names[harmless])} {sort} mutants exist: {sorted(names[harmless])}",
        )
    return claim


async def _worked_as(composition: ComposedDay, variant: SolverVariant) -> bool:
    """Whether the day is a success if its task is worked in another way."""
    day = await stage_day(composition)
    async with day.world:
        await day.run_oracles({composition.tasks[0].id: variant.work})
        return (await day.grades())[0].success


async def _succeeds(day: StagedDay, path: str, mutant: Mutant) -> bool:
    """Whether the day is still a success with *mutant* in place of the file at *path*."""
    copy = await day.fork()
    async with copy.world:
        if mutant.draft is not None:
            await copy.call("files_write", {"path": path, "text": mutant.draft})
        await copy.call("files_write", {"path": path, "text": mutant.text})
        return (await copy.grades())[0].success


# changes of JSON, in place; each says whether there was anything to change ------------------
