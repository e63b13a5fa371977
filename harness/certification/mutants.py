"""Claim: wrong deliverables fail and harmless differences pass.

The oracle's files are the right deliverables. Each mutant changes one thing in one of them, in a
copy of the finished world, and the day is graded again. For results that are not files, the family
names other ways of working (`MetaTask.solver_variants`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.certification.return_mutants import return_mutants
from trainee_bench.harness.testbench.leaf_mutations import leaf_mutants, leaf_workbooks
from trainee_bench.harness.testbench.mutations import harmless_mutants, wrong_mutants
from trainee_bench.harness.testbench.spelling_mutations import spelling_mutants, spelling_workbooks
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    contents,
    single_task_day,
    stage_day,
)
from trainee_bench.harness.testbench.workbook_mutations import harmless_workbooks, wrong_workbooks
from trainee_bench.meta_tasks.answers import AnswerForm, collect_answer_forms
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import SolverVariant
from trainee_bench.world.company.people import Person
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.workbook.model import Workbook, empty_workbook, parse_workbook

MIN_MUTANTS = 5
"""Minimal number of wrong mutants of a rule, and of harmless ones."""


@dataclass(frozen=True)
class ContentMutant:
    """Other content for one file; a ``draft`` is written first, as in `Mutant`."""

    name: str
    content: FileContent
    draft: FileContent | None = None


async def certify_mutants(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that at least five wrong mutants each fail, and at least five harmless ones each pass.

    Harmless are also all spellings of a label or a person that the rule for equal answers allows.
    Facts: ``wrong`` and ``harmless``, the number of kinds of each.
    """
    claim = Claim("mutants")
    names: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for seed in seeds:
        with claim.trying(rule, seed):
            await _try_variants(claim, names, rule, seed)
            await _try_mutants(claim, names, rule, seed)
    for harmless, kind in ((True, "harmless"), (False, "wrong")):
        claim.facts[kind] = len(names[harmless])
        claim.expect(
            len(names[harmless]) >= MIN_MUTANTS,
            f"only {len(names[harmless])} {kind} mutants exist: {sorted(names[harmless])}",
        )
    return claim


async def _try_variants(
    claim: Claim, names: Mapping[bool, Counter[str]], rule: str, seed: int
) -> None:
    """Work one seed in each of the ways that the family names, and count them in *names*."""
    composition = single_task_day(rule, seed)
    if composition.tasks[0].instance.graded.missing is not None:
        return  # the family knows no way to work it
    for variant in composition.tasks[0].meta_task.family_class.solver_variants():
        names[variant.harmless][variant.name] += 1
        claim.expect(
            await _worked_as(composition, variant) is variant.harmless,
            f"seed {seed}: {variant.name} {'fails' if variant.harmless else 'passes'}",
        )


async def _try_mutants(
    claim: Claim, names: Mapping[bool, Counter[str]], rule: str, seed: int
) -> None:
    """Change each of the oracle's files of one seed in every way, and its return of a task that
    cannot be done. Count the changes in *names*."""
    composition = single_task_day(rule, seed)
    if "desk_return" in (composition.scenario_day.scenario.tools or ()):
        await _try_returns(claim, names, composition, seed)
    if not composition.deliverable_paths or composition.tasks[0].instance.graded.missing:
        return
    told = [clue.payload for clue in composition.tasks[0].instance.hidden.clues]
    asked = "\n".join([composition.tasks[0].instance.told.objective, *told])
    people = (*composition.company.people, composition.company.trainee)
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        with collect_answer_forms() as forms:
            await day.grades()
        written = await day.world.read(partial(contents, composition=composition))
        for path, content in zip(composition.deliverable_paths, written, strict=True):
            tried = [(True, mutant) for mutant in mutants_of(content, harmless=True)]
            tried += [(False, mutant) for mutant in mutants_of(content, harmless=False)]
            tried += [(False, mutant) for mutant in _changed_values(path, content, asked, seed)]
            if path in forms:
                tried += _respelt(path, content, forms[path], people)
            for harmless, mutant in tried:
                success = await _succeeds(day, path, mutant)
                names[harmless][mutant.name] += 1
                claim.expect(
                    success is harmless,
                    f"seed {seed}: {path} with {mutant.name} {'passes' if success else 'fails'}",
                )


async def _try_returns(
    claim: Claim, names: Mapping[bool, Counter[str]], composition: ComposedDay, seed: int
) -> None:
    """Give the worked task back in every way, and count the ways in *names*."""
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        for mutant in await return_mutants(day):
            success = await mutant.succeeds(day)
            names[mutant.harmless][mutant.name] += 1
            claim.expect(
                success is mutant.harmless,
                f"seed {seed}: the task with {mutant.name} {'passes' if success else 'fails'}",
            )


def _changed_values(
    path: str, content: FileContent, asked: str, seed: int
) -> Iterator[ContentMutant]:
    """Yield the file with another value in one place: every column or field has its turn."""
    if content.kind is FileKind.TEXT:
        for mutant in leaf_mutants(path, content.data.decode(), asked, seed):
            yield ContentMutant(mutant.name, _text(mutant.text))
    elif content.kind is FileKind.WORKBOOK:
        workbook = parse_workbook(content.data.decode())
        for name, changed in leaf_workbooks(workbook, asked, seed):
            yield ContentMutant(name, _workbook(changed))


def _respelt(
    path: str, content: FileContent, form: AnswerForm, people: Sequence[Person]
) -> Iterator[tuple[bool, ContentMutant]]:
    """Yield the file with other spellings of its texts, and whether they are harmless."""
    if content.kind is FileKind.TEXT:
        for harmless, mutant in spelling_mutants(path, content.data.decode(), form, people):
            yield harmless, ContentMutant(mutant.name, _text(mutant.text))
    elif content.kind is FileKind.WORKBOOK:
        workbook = parse_workbook(content.data.decode())
        for harmless, name, changed in spelling_workbooks(workbook, form, people):
            yield harmless, ContentMutant(name, _workbook(changed))


async def _worked_as(composition: ComposedDay, variant: SolverVariant) -> bool:
    """Return whether the day is a success if its task is worked as *variant* does."""
    day = await stage_day(composition)
    async with day.world:
        habits = (*careful_habits(), *variant.habits)
        await day.work({composition.tasks[0].id: variant.work}, habits)
        return (await day.grades())[0].success


async def _succeeds(day: StagedDay, path: str, mutant: ContentMutant) -> bool:
    """Return whether the day is still a success after *mutant* replaces the file at *path*."""
    copy = await day.fork()
    async with copy.world:
        if mutant.draft is not None:
            await copy.put(path, mutant.draft)
        await copy.put(path, mutant.content)
        return (await copy.grades())[0].success


def mutants_of(content: FileContent, harmless: bool) -> Iterator[ContentMutant]:
    """Yield the mutants of a file.

    Pictures and other binary files have no harmless ones: a family that asks for such a file names
    harmless ways of working (`MetaTask.solver_variants`).
    """
    if content.kind is FileKind.TEXT:
        for mutant in (harmless_mutants if harmless else wrong_mutants)(content.data.decode()):
            draft = None if mutant.draft is None else _text(mutant.draft)
            yield ContentMutant(mutant.name, _text(mutant.text), draft)
    elif content.kind is FileKind.WORKBOOK:
        right = parse_workbook(content.data.decode())
        if harmless:
            yield ContentMutant("a wrong draft first", content, draft=_workbook(empty_workbook()))
        for name, changed in (harmless_workbooks if harmless else wrong_workbooks)(right):
            yield ContentMutant(name, _workbook(changed))
    elif not harmless:
        yield from _wrong_bytes(content)


def _text(text: str) -> FileContent:
    return FileContent(kind=FileKind.TEXT, data=text.encode())


def _workbook(workbook: Workbook) -> FileContent:
    return FileContent(kind=FileKind.WORKBOOK, data=workbook.dump().encode())


def _wrong_bytes(content: FileContent) -> Iterator[ContentMutant]:
    """Yield half of the bytes, all but the last, and all with the middle one changed."""
    data = content.shown
    middle = len(data) // 2
    for name, changed in (
        ("half of the file", data[:middle]),
        ("a byte cut off", data[:-1]),
        ("a byte changed", data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]),
    ):
        yield ContentMutant(name, FileContent(kind=content.kind, data=changed))
