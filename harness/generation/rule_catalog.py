"""The catalog: rules with the effort that each takes, and complications with the families they
fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.complication import ComplicationKind
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import Rule, TaskInstance
from trainee_bench.meta_tasks.offices.opened import office_of
from trainee_bench.world.offered_modules import FAMILIES, package_of

SEEDS = range(3)
"""Seeds over which the oracle's fewest calls are counted."""


class RuleEffort(BaseModel, frozen=True):
    """The effort that a rule takes.

    ``hops`` is the length of the longest chain of clues that build on each other, and
    ``fewest_calls`` the number of calls that the oracle needed.
    """

    clues: int
    hops: int
    fewest_calls: int


class CatalogEntry(BaseModel, frozen=True):
    """One rule: ``parameters`` are those that it fixes, ``open`` those that a seed draws."""

    id: str
    family: str
    domain: str
    label: str
    parameters: dict[str, JsonValue]
    open: tuple[str, ...]
    checkpoints: tuple[str, ...]
    guess_rate: float
    package: str = ""
    """The package or office that brings the rule; "" for a built-in one."""


def catalog_entries() -> list[CatalogEntry]:
    """Return all rules, by family."""
    return [_entry(rule) for rule in all_rules().values()]


def catalog_rows(entries: Sequence[CatalogEntry]) -> Iterator[str]:
    """Yield a line for each rule, and the number of rules."""
    for entry in entries:
        parameters = ", ".join(f"{name}={value}" for name, value in entry.parameters.items())
        drawn = f"  (drawn: {', '.join(entry.open)})" if entry.open else ""
        brought = f"  from {entry.package}" if entry.package else ""
        yield f"{entry.id:40} {entry.label:5} {entry.domain:24} {parameters}{drawn}{brought}"
    families = len({entry.family for entry in entries})
    counted = "1 family" if families == 1 else f"{families} families"
    yield f"{pluralize(len(entries), 'rule')} in {counted}"


def _entry(rule: Rule) -> CatalogEntry:
    fields: dict[str, JsonValue] = rule.meta_task.plain.model_dump(mode="json")
    return CatalogEntry(
        id=rule.id,
        family=rule.meta_task.family_class.family,
        domain=rule.meta_task.family_class.domain,
        label=rule.difficulty,
        parameters={name: value for name, value in fields.items() if value is not None},
        open=tuple(name for name, value in fields.items() if value is None),
        checkpoints=tuple(check.sentence for check in rule.meta_task.checkpoints()),
        guess_rate=rule.guess_rate,
        package=office_of(rule.meta_task.family_class)
        or package_of(FAMILIES, rule.meta_task.family_class.family),
    )


class ComplicationEntry(BaseModel, frozen=True):
    """One complication: what it does, what it needs in a family's tasks, and the families it
    fits."""

    name: str
    kind: str
    about: str
    needs: tuple[str, ...]
    families: tuple[str, ...]


def complication_entries() -> list[ComplicationEntry]:
    """Return all complications, by kind and name."""
    found = [
        ComplicationEntry(
            name=name,
            kind=complication.kind,
            about=complication.about,
            needs=tuple(sorted(complication.requires)),
            families=tuple(
                family for family, made in discover_families().items() if complication.fits(made)
            ),
        )
        for name, complication in discover_complications().items()
    ]
    kinds = list(ComplicationKind)
    return sorted(found, key=lambda entry: (kinds.index(ComplicationKind(entry.kind)), entry.name))


def complication_rows(entries: Sequence[ComplicationEntry]) -> Iterator[str]:
    """Yield a line for each complication, and the number of complications."""
    for entry in entries:
        yield f"+{entry.name:20} {entry.kind:25} {entry.about} Fits {', '.join(entry.families)}."
    yield f"{len(entries)} complications, which follow a rule's id: RULE+NAME or RULE+NAME+NAME"


async def rule_efforts() -> dict[str, RuleEffort]:
    """Return the effort that each rule takes, by its id."""
    return {id: await _effort(id) for id in all_rules()}


async def _effort(rule: str) -> RuleEffort:
    instance = single_task_day(rule, SEEDS[0]).tasks[0].instance
    calls = []
    for seed in SEEDS:
        day = await stage_day(single_task_day(rule, seed))
        async with day.world:
            failures = await day.work()
            if failures:
                raise next(iter(failures.values()))
            calls.append(len(await day.world.log()))
    return RuleEffort(
        clues=len(instance.hidden.clues), hops=longest_clue_chain(instance), fewest_calls=min(calls)
    )


def longest_clue_chain(instance: TaskInstance[Any]) -> int:
    """Return the most clues and expectations of *instance* that must come one after another."""
    after = {clue.id: clue.after for clue in instance.hidden.clues}
    after |= {expectation.id: expectation.after for expectation in instance.hidden.expectations}
    return max((_chain_length(id, after) for id in after), default=0)


def _chain_length(id: str, after: Mapping[str, tuple[str, ...]]) -> int:
    return 1 + max((_chain_length(before, after) for before in after[id]), default=0)
