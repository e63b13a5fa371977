"""The rules of generated scenarios: with complications, and with rules that return in a week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random
from typing import Any

from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.catalog import built_in_rules, find_rule
from trainee_bench.meta_tasks.complications import discover_complications, drawn_for
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule, TaskInstance
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError


@dataclass(frozen=True)
class ComplicatedRule:
    """A rule with its complications, and its task on a day of its own."""

    rule: Rule
    instance: TaskInstance[Any]

    @property
    def gives(self) -> bool:
        """Whether another task can take its result, which never changes once it exists."""
        output = self.instance.graded.task_output
        return output is not None and output.settles is None


def complicate_rules(
    spec: GenerationSpec, scenario: Scenario, rules: Sequence[Rule], draws: Random
) -> list[ComplicatedRule]:
    """Return *rules* with complications as *spec* requests, for a day of *scenario*.

    Unannounced complications come first, up to the requested number, then those that fewer tasks
    have. A rule that comes twice has other complications each time. Raises CompositionError if too
    few complications fit a rule, or none that differ.
    """
    used: Counter[str] = Counter()
    made = dict[str, ComplicatedRule]()
    for rule in rules:
        complicated = _complicated(spec, scenario, rule, used, made.keys(), draws)
        made[complicated.rule.id] = complicated
    return list(made.values())


def _complicated(
    spec: GenerationSpec,
    scenario: Scenario,
    rule: Rule,
    used: Counter[str],
    taken: Set[str],
    draws: Random,
) -> ComplicatedRule:
    """Return *rule* with complications, which make it differ from the rules *taken* if possible."""
    named = rule.id.split("+")[1:]
    fitting = [name for name in drawn_for(rule.meta_task.family_class) if name not in named]
    count = draws.randint(spec.fewest_complications, spec.most_complications)
    again = False
    if rule.id in taken:
        count = max(count, 1)
    draws.shuffle(fitting)
    fitting.sort(key=lambda name: (name not in spec.preferred, used[name]))
    chosen, made = list[str](), _alone(scenario, rule)
    for names, most in _in_turn(spec, fitting, count):
        for name in names:
            if len(chosen) >= most:
                break
            tried = find_rule("+".join([rule.id, *chosen, name]))
            if len(chosen) + 1 == count and tried.id in taken:
                again = True
                continue
            try:
                made = _alone(scenario, tried)
            except CompositionError:
                continue
            chosen.append(name)
    if made.rule.id in taken or (again and len(chosen) < count):
        raise CompositionError(
            f"{rule.id} comes twice on one day, and no other complications fit it"
        )
    if len(chosen) < spec.fewest_complications:
        raise CompositionError(
            f"only {len(chosen)} complications fit {rule.id}, not {spec.fewest_complications}"
        )
    used.update(chosen)
    return made


def _in_turn(
    spec: GenerationSpec, fitting: Sequence[str], count: int
) -> list[tuple[list[str], int]]:
    """Return the complications to try, in order, with the number that a task may have by then.

    Unannounced complications come first, if they are requested.
    """
    if not spec.unannounced:
        return [(list(fitting), count)]
    known = discover_complications()
    quiet = [name for name in fitting if not known[name].announced]
    return [(quiet, spec.unannounced), ([name for name in fitting if name not in quiet], count)]


def _alone(scenario: Scenario, rule: Rule) -> ComplicatedRule:
    """Return the task of *rule* on a day of its own. Raises CompositionError."""
    task = TaskSpec(rule=rule.id, changes_from=scenario.days[0].tasks[0].changes_from)
    days = (DaySpec(name=scenario.days[0].name, tasks=(task,)),)
    composition = compose_day(scenario.model_copy(update={"days": days}))
    return ComplicatedRule(rule, composition.tasks[0].instance)


_PLAN = (
    ("A1", "B1", "E1"),
    ("A1", "C1"),
    ("D1", "C2"),
    ("B1", "C1"),
    ("E1", "F1", "A2"),
)
_OF_TWO_RULES, _OF_ONE_RULE = "AC", "BDEF"


def draw_returning_rules(draws: Random) -> list[list[str]]:
    """Draw the rules of each day's single-day tasks; some rules return on later days."""
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
    """Draw *count* duties, one of which has a policy that changes."""
    duties = [rule for rule in built_in_rules().values() if rule.meta_task.family_class.whole_week]
    changing = [rule.id for rule in duties if rule.meta_task.policy_changes_on is not None]
    first = draws.choice(changing)
    others = [rule.id for rule in duties if rule.id != first]
    return [first, *draws.sample(others, count - 1)]


def _families() -> Mapping[str, list[Rule]]:
    """Return the rules that take one day, by family."""
    families: dict[str, list[Rule]] = {}
    for rule in built_in_rules().values():
        if not rule.meta_task.family_class.whole_week:
            families.setdefault(rule.meta_task.family_class.family, []).append(rule)
    return families
