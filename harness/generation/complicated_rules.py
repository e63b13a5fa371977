"""Complications for the rules of a day: of those that go together, and of many kinds.

Each task is composed by itself with the seed that the day will have. What cannot be added there is
left out at once, and no day is drawn anew for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from random import Random
from typing import Any

from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import complications_of, discover_complications
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule, TaskInstance
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError


@dataclass(frozen=True)
class ComplicatedRule:
    """A rule with its complications, and its task as it is by itself."""

    rule: Rule
    instance: TaskInstance[Any]

    @property
    def gives(self) -> bool:
        """Whether another task can take its result, which does not change once it is there."""
        output = self.instance.graded.task_output
        return output is not None and output.settles is None


def complicate_rules(
    spec: GenerationSpec, scenario: Scenario, rules: Sequence[Rule], draws: Random
) -> list[ComplicatedRule]:
    """*rules*, each with as many complications as *spec* says, for a day of *scenario*: first those
    that nobody announces, as many as are asked for, and of others those that fewer tasks have. A
    rule that comes twice has other complications each time.

    Raises CompositionError for a rule to which too few can be added, or none that differ.
    """
    used: Counter[str] = Counter()
    made = dict[str, ComplicatedRule]()
    for rule in rules:
        one = _complicated(spec, scenario, rule, used, made.keys(), draws)
        made[one.rule.id] = one
    return list(made.values())


def _complicated(
    spec: GenerationSpec,
    scenario: Scenario,
    rule: Rule,
    used: Counter[str],
    taken: Set[str],
    draws: Random,
) -> ComplicatedRule:
    """*rule* with complications, by which it is if possible none of those *taken*."""
    named = rule.id.split("+")[1:]
    fitting = [one for one in complications_of(rule.meta_task.family_class) if one not in named]
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
            f"{rule.id} comes twice on one day, and there are no other complications for it"
        )
    if len(chosen) < spec.fewest_complications:
        raise CompositionError(
            f"{rule.id} takes {len(chosen)} complications, and {spec.fewest_complications} are "
            "asked for"
        )
    used.update(chosen)
    return made


def _in_turn(
    spec: GenerationSpec, fitting: Sequence[str], count: int
) -> list[tuple[list[str], int]]:
    """Which of *fitting* are tried, in order, each with how many a task may have by then: those
    that nobody announces by themselves, if any are asked for."""
    if not spec.unannounced:
        return [(list(fitting), count)]
    known = discover_complications()
    quiet = [name for name in fitting if not known[name].announced]
    return [(quiet, spec.unannounced), ([one for one in fitting if one not in quiet], count)]


def _alone(scenario: Scenario, rule: Rule) -> ComplicatedRule:
    """The task of *rule* on a day of its own. Raises CompositionError."""
    task = TaskSpec(rule=rule.id, changes_from=scenario.days[0].tasks[0].changes_from)
    days = (DaySpec(name=scenario.days[0].name, tasks=(task,)),)
    composition = compose_day(scenario.model_copy(update={"days": days}))
    return ComplicatedRule(rule, composition.tasks[0].instance)
