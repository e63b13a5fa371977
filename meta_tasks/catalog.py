"""All rules, by id."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from pydantic import JsonValue, ValidationError

from trainee_bench.meta_tasks.complicated_task import complicate
from trainee_bench.meta_tasks.complications import complications_of, discover_complications
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import ComposableTask, Difficulty, Rule
from trainee_bench.meta_tasks.offices.opened import open_offices
from trainee_bench.meta_tasks.scenario import canonical_rule_id
from trainee_bench.world.errors import first_flaw


class UnknownRuleError(Exception):
    """A scenario names a rule or parameter that does not exist. The message lists those that do."""


def all_rules() -> Mapping[str, Rule]:
    """Return all rules by id: the built-in ones family by family, in the families' own order, then
    those of the open offices. Raises OfficeError if an office cannot be read."""
    offices = open_offices()
    if not offices:
        return built_in_rules()
    own = {id: rule for office in offices.values() for id, rule in office.rules.items()}
    return {**built_in_rules(), **own}


@cache
def built_in_rules() -> dict[str, Rule]:
    """Return the rules of the installed families by id, in the families' own order.

    Raises TypeError for two rules with one id, or for an id that does not match the parameters.
    """
    found: dict[str, Rule] = {}
    for family in discover_families().values():
        for rule in family.rules():
            if rule.id in found or rule.meta_task.rule_id != rule.id:
                raise TypeError(
                    f"{family.__name__}: the id {rule.id} is taken or does not match its parameters"
                )
            found[rule.id] = rule
    return found


def find_rule(rule_id: str) -> Rule:
    """Return the rule of this id. Names of complications may follow it, each after a plus sign and
    in any order (see `canonical_rule_id`).

    Raises UnknownRuleError for a rule or complication that does not exist, that does not fit, or
    that is named twice.
    """
    plain, *names = canonical_rule_id(rule_id).split("+")
    rule = all_rules().get(plain)
    if rule is None:
        family = plain.split(".")[0]
        near = [id for id in all_rules() if id.split(".")[0] == family] or sorted(
            discover_families()
        )
        own = (
            ""
            if family in discover_families()
            else (" A rule of an own office needs --office FOLDER.")
        )
        listed = ", ".join(near[:20])
        raise UnknownRuleError(f"There is no rule {plain!r}; there are: {listed}.{own}")
    return _complicated(rule, tuple(names)) if names else rule


@cache
def _complicated(rule: Rule, names: tuple[str, ...]) -> Rule:
    """Return *rule* with the complications of these sorted *names*. Raises UnknownRuleError."""
    fitting = complications_of(rule.meta_task.family_class)
    for name in names:
        if name not in fitting:
            raise UnknownRuleError(
                f"{rule.id} has no complication {name!r}; it can have: "
                f"{', '.join(fitting) or 'none'}."
            )
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnknownRuleError(
            f"{'+'.join([rule.id, *names])} names {twice!r} twice; name it once."
        )
    known = discover_complications()
    made = complicate(rule.meta_task.plain, tuple(known[name] for name in names))
    return Rule("+".join([rule.id, *names]), Difficulty.HARD, made, rule.guess_rate)


def matching_rules(globs: Sequence[str]) -> list[str]:
    """Return the ids of the rules that match *globs*, in the catalog's order. Names of
    complications may follow a glob, each after a plus sign: then the matching rules have these.

    Raises UnknownRuleError for a glob that matches none, and for complications that do not fit.
    """
    found = dict[str, None]()
    for glob in globs:
        plain, *names = glob.split("+")
        matched = fnmatch.filter(all_rules(), plain)
        if not matched:
            raise UnknownRuleError(
                f"no rule matches {plain!r}; `trainee-bench catalog` lists them."
            )
        found |= dict.fromkeys(find_rule("+".join([id, *names])).id for id in matched)
    order = {id: place for place, id in enumerate(all_rules())}
    return sorted(found, key=lambda rule: (order[rule.split("+")[0]], rule))


def needed_tools(rules: Iterable[str]) -> frozenset[str]:
    """Return the opt-in tools without which tasks of these *rules* cannot be done right. Raises
    UnknownRuleError."""
    made = (find_rule(rule).meta_task for rule in rules)
    return frozenset(tool for task in made for own in task.complications for tool in own.tools)


def make_meta_task(rule_id: str, parameters: Mapping[str, JsonValue]) -> ComposableTask:
    """Return the rule's meta-task with some of its open parameters fixed.

    Raises UnknownRuleError for an id or a parameter that does not exist, and for parameters that
    would make it another rule.
    """
    rule = find_rule(rule_id)
    family, complications = rule.meta_task.family_class, rule.meta_task.complications
    fixed = rule.meta_task.plain.model_dump()
    try:
        plain = family.model_validate({**fixed, **parameters})
    except ValidationError as error:
        where, flaw = first_flaw(error)
        open_ones = [name for name in family.model_fields if fixed[name] is None]
        raise UnknownRuleError(
            f"{rule_id}: {where}: {flaw}. Its open parameters: {', '.join(open_ones)}."
        ) from None
    made: ComposableTask = complicate(plain, complications) if complications else plain
    if made.rule_id != rule.id:
        raise UnknownRuleError(
            f"{rule_id}: these parameters make it {made.rule_id}; name that rule."
        )
    return made
