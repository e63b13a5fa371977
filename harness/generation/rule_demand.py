"""How much a rule demands: what has to be found out, and what has to be read for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.meta_task import Difficulty, Rule
from trainee_bench.world.apps.files import FileAppears

CHARACTERS_OF_A_FACT = 2_000
"""A fact that has to be asked for, or told, counts as so many characters to be read."""
_SEED = 1


def most_demanding(families: Mapping[str, Sequence[Rule]], share: float) -> dict[str, list[Rule]]:
    """The *share* of each family's hard rules that demands most, at least one, in their order;
    families without hard rules are left out."""
    found: dict[str, list[Rule]] = {}
    for name, rules in families.items():
        hard = [rule for rule in rules if rule.difficulty is Difficulty.HARD]
        ranked = sorted(hard, key=lambda rule: (-rule_demand(rule.id), rule.id))
        kept = {rule.id for rule in ranked[: max(1, round(share * len(hard)))]}
        if kept:
            found[name] = [rule for rule in hard if rule.id in kept]
    return found


@cache
def rule_demand(rule: str) -> int:
    """The characters of the files that a task of *rule* brings, and its facts (see
    `CHARACTERS_OF_A_FACT`), counted on one day."""
    instance = single_task_day(rule, _SEED).tasks[0].instance
    facts = len(instance.hidden.clues) + len(instance.hidden.expectations)
    events = (planned.event for planned in instance.hidden.events)
    texts = (event.text for event in events if isinstance(event, FileAppears))
    return CHARACTERS_OF_A_FACT * facts + sum(len(text or "") for text in texts)
