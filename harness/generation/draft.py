"""A scenario as first drawn: its rules, the dependencies between them, its interruptions.

Deadlines follow later, from the time the oracle takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from trainee_bench.harness.generation.spec import ArrivalPattern, DrawMode, GenerationSpec
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import complications_of
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
)
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import stable_id

TAKES_INPUT_RATE, ANNOUNCED_RATE, AFTER_SUBMISSION_RATE = 0.9, 0.5, 0.2
"""Probabilities that a streamed day has each kind of dependency, where its tasks allow it."""
SHORT_NOTICE_RATE = 0.5
"""Probability that a meeting is announced only shortly before it begins."""
MEETING_FAMILY = "meeting_attend"
SALT_DIGITS = 32
"""Hexadecimal digits of a salt: 128 bits."""
_APPOINTMENTS = (MEETING_FAMILY, "meeting_book")


@dataclass(frozen=True)
class ScenarioDraft:
    """A scenario without deadlines, and the rules of its short-notice meetings."""

    scenario: Scenario
    short_notice: tuple[str, ...]


def draw_draft(spec: GenerationSpec, number: int, draws: Random) -> ScenarioDraft:
    """Scenario *number* (from 1) of *spec*, drawn from *draws*."""
    bounds = spec.fewest_complications, spec.most_complications
    chosen = [complicated(rule, bounds, draws) for rule in _choose(spec, draws)]
    streamed = spec.flow is ArrivalPattern.STREAMED or (
        spec.flow is ArrivalPattern.MIXED and number % 2 == 0
    )
    specs = [TaskSpec(rule=rule.id) for rule in chosen]
    notice: tuple[str, ...] = ()
    if streamed:
        specs = _chained(chosen, draws)
        free = [
            s.rule for s in specs if s.rule.startswith(f"{MEETING_FAMILY}.") and not s.dependencies
        ]
        notice = tuple(rule for rule in free if draws.random() < SHORT_NOTICE_RATE)
    days = tuple(DaySpec(name=f"day_{day}", tasks=tuple(specs)) for day in range(1, spec.days + 1))
    scenario = Scenario(
        name=f"{spec.name}-{number:0{len(str(spec.scenarios))}d}",
        seed=spec.split.draw_seed(draws),
        salt=stable_id("salt", spec.salt, number, length=SALT_DIGITS) if spec.salt else "",
        days=days,
        company_size=spec.company_size,
        starts=spec.starts,
        ends=spec.ends,
        arrival=Arrival.STREAMED if streamed else Arrival.AT_ONCE,
    )
    return ScenarioDraft(scenario, notice)


def _choose(spec: GenerationSpec, draws: Random) -> list[Rule]:
    families: Mapping[str, Sequence[Rule]] = spec.rules()
    count = draws.randint(spec.fewest, spec.most)
    if spec.draw is DrawMode.RULES:
        return draws.sample([rule for family in families.values() for rule in family], count)
    return [draws.choice(families[name]) for name in draws.sample(sorted(families), count)]


def complicated(rule: Rule, bounds: tuple[int, int], draws: Random) -> Rule:
    """*rule* with as many complications as *bounds* say (fewest and most), of those that fit it and
    go together."""
    named = rule.id.split("+")[1:]
    fitting = [one for one in complications_of(type(rule.meta_task)) if one not in named]
    count = draws.randint(*bounds)
    draws.shuffle(fitting)
    chosen = list[str]()
    while fitting and len(chosen) < count:
        name = fitting.pop()
        if _go_together(find_rule("+".join([rule.id, *chosen, name])).id):
            chosen.append(name)
    return find_rule("+".join([rule.id, *chosen]))


@cache
def _go_together(rule: str) -> bool:
    """Whether a day with a task of *rule* alone can be composed."""
    scenario = Scenario(name="a try", seed=1, days=(DaySpec(tasks=(TaskSpec(rule=rule),)),))
    try:
        compose_day(scenario)
    except CompositionError:
        return False
    return True


def _chained(chosen: Sequence[Rule], draws: Random) -> list[TaskSpec]:
    """The tasks; one may take another's result as input, and one may be announced by another.

    Always draws three numbers, so that one dependency does not influence the other.
    """
    taking, following, cause = draws.random(), draws.random(), draws.random()
    specs = {rule.id: TaskSpec(rule=rule.id) for rule in chosen}
    pairs = [(giver, taker) for giver in chosen for taker in chosen if _fits(giver, taker)]
    if pairs and taking < TAKES_INPUT_RATE:
        giver, taker = pairs[int(cause * len(pairs))]
        specs[taker.id] = TaskSpec(rule=taker.id, takes_from=giver.id)
    free = [
        s.rule
        for s in specs.values()
        if not s.dependencies and _family(s.rule) not in _APPOINTMENTS
    ]
    meetings = [id for id in specs if _family(id) == MEETING_FAMILY]
    if meetings and free and following < ANNOUNCED_RATE:
        specs[free[-1]] = _following(free[-1], meetings[0], Milestone.ANNOUNCEMENT)
    elif len(free) >= 2 and following > 1 - AFTER_SUBMISSION_RATE:
        specs[free[-1]] = _following(free[-1], free[0], Milestone.SUBMISSION)
    return list(specs.values())


def _following(rule: str, cause: str, when: Milestone) -> TaskSpec:
    return TaskSpec(rule=rule, follows=PublishAfter(task=cause, when=when))


def _fits(giver: Rule, taker: Rule) -> bool:
    port = giver.meta_task.output_type
    return giver is not taker and port is not None and taker.meta_task.input_type is port


def _family(rule: str) -> str:
    return find_rule(rule).meta_task.family
