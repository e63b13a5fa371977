"""Weeks in which rules return: what has been learnt on one day can be used on a later one.

Six families are drawn, called A to F here, with two rules each of A and C:

    Monday     A1  B1  E1
    Tuesday    A1  C1        A1 met the day before; C new
    Wednesday  D1  C2        D new; C2 another rule of a family that was met
    Thursday   B1  C1        B1 met three days before, C1 two
    Friday     E1  F1  A2    E1 met four days before; F new; A2 another rule of a family

So each week has every distance once, new families on three days, and twice another rule of a family
that was met. Of the duties one has a policy that changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.meta_task import Rule

_PLAN = (
    ("A1", "B1", "E1"),
    ("A1", "C1"),
    ("D1", "C2"),
    ("B1", "C1"),
    ("E1", "F1", "A2"),
)
_OF_TWO_RULES, _OF_ONE_RULE = "AC", "BDEF"


def draw_returning_rules(draws: Random) -> list[list[str]]:
    """The rules of each day's tasks of one day."""
    families = _families()
    of_two = draws.sample([name for name, rules in families.items() if len(rules) > 1], 2)
    others = draws.sample([name for name in families if name not in of_two], len(_OF_ONE_RULE))
    chosen: dict[str, str] = {}
    for letter, name in zip(_OF_TWO_RULES, of_two, strict=True):
        first, second = draws.sample(families[name], 2)
        chosen |= {f"{letter}1": first.id, f"{letter}2": second.id}
    for letter, name in zip(_OF_ONE_RULE, others, strict=True):
        chosen[f"{letter}1"] = draws.choice(families[name]).id
    return [[chosen[place] for place in day] for day in _PLAN]


def draw_policy_duties(draws: Random, count: int) -> list[str]:
    """*count* duties, one of which has a policy that changes."""
    duties = [rule for rule in all_rules().values() if rule.meta_task.family_class.whole_week]
    changing = [rule.id for rule in duties if rule.meta_task.policy_changes_on is not None]
    first = draws.choice(changing)
    others = [rule.id for rule in duties if rule.id != first]
    return [first, *draws.sample(others, count - 1)]


def _families() -> Mapping[str, list[Rule]]:
    """The rules that take one day, by family."""
    families: dict[str, list[Rule]] = {}
    for rule in all_rules().values():
        if not rule.meta_task.family_class.whole_week:
            families.setdefault(rule.meta_task.family_class.family, []).append(rule)
    return families
