"""A world of the ladder as first drawn: its days, its rules, and what depends on other days.

The tasks of a rung lie on as many working days as they need. A full week has duties. On later days
many tasks are such whose facts were told before, so that a share `OF_OTHER_DAYS` of all tasks
depends on another day. Deadlines follow later, from the time that the oracle takes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import time
from enum import Enum
from random import Random

from trainee_bench.harness.generation.draft import SALT_DIGITS, due_afterwards
from trainee_bench.harness.generation.fitting import add_complications, fits_alone
from trainee_bench.harness.generation.spec import SeedSplit
from trainee_bench.meta_tasks.catalog import built_in_rules, find_rule
from trainee_bench.meta_tasks.complication import Complication, Stage
from trainee_bench.meta_tasks.complications import discover_complications, drawn_for
from trainee_bench.meta_tasks.complications.told_anew import ToldAnew
from trainee_bench.meta_tasks.complications.told_before import ToldBefore
from trainee_bench.meta_tasks.meta_task import MetaTask, Rule
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
)
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.working_days import WORKING_WEEK
from trainee_bench.world.random_streams import stable_id

TASKS_A_DAY = 8
DUTIES_A_WEEK = 3
OF_OTHER_DAYS = 0.42
"""The least share of the tasks of several days that depend on another day."""
DUE_LATER_RATE, FOLLOWING_RATE, TAKING_RATE, ANEW_RATE, HARDER_RATE = 0.3, 0.5, 0.5, 0.3, 0.3
"""The probabilities that a plain task is due on a later day, that a day has a task that follows
another, that a task takes a result that it can take, that facts which were told before are told
anew, and that such a task has another complication."""
MORE = (0, 0, 1, 1, 2)
"""The numbers of complications of ordinary tasks, equally probable."""
_DUE_LATER_AT = (time(10), time(12), time(14), time(16), time(18))
_LATEST = 2
"""The most days by which a task is due after it comes, unless it takes a week."""
_APPOINTMENTS = ("meeting_attend", "meeting_book")
_FACTS = frozenset({SceneFeature.HELD_FACT, SceneFeature.OFFICE_FACT, SceneFeature.RECORDED_FACT})


class Kind(Enum):
    """The kinds of tasks that a world of the ladder has."""

    DUTY = "duty"
    TOLD_BEFORE = ToldBefore.name
    TOLD_ANEW = ToldAnew.name
    ORDINARY = "ordinary"

    @classmethod
    def of(cls, rule: str) -> Kind:
        """Return the kind of a task of *rule*."""
        task = find_rule(rule).meta_task
        if task.family_class.whole_week:
            return cls.DUTY
        names = {complication.name for complication in task.complications}
        return next((kind for kind in cls if kind.value in names), cls.ORDINARY)

    @property
    def complication(self) -> str:
        """The complication that makes a task one of this kind; "" if none does."""
        return self.value if self in (Kind.TOLD_BEFORE, Kind.TOLD_ANEW) else ""

    def fits(self, rule: Rule) -> bool:
        """Return whether a task of *rule*, which has no complications, can be made one of this
        kind."""
        family = rule.meta_task.family_class
        if self is Kind.DUTY or family.whole_week:
            return self is Kind.DUTY and family.whole_week
        return not self.complication or discover_complications()[self.complication].fits(family)


def days_for(tasks: int) -> int:
    """Return the number of working days of a world with so many tasks."""
    return -(-tasks // TASKS_A_DAY)


def company_size(tasks: int) -> int:
    """Return the number of people in the company of a world with so many tasks."""
    return min(400, max(50, 25 + 3 * tasks))


def world_name(tasks: int, seed: int) -> str:
    """Return the name of the world of this rung and seed."""
    return f"ladder-{tasks}-{seed}"


def draw_ladder_world(tasks: int, seed: int, salt: str, draws: Random) -> Scenario:
    """Draw a world of so many tasks, without deadlines. Raises CompositionError if too few rules
    fit."""
    days, number = list[DaySpec](), 0
    for place, kinds in enumerate(_draw_kinds(tasks, draws)):
        rules = list[str]()
        for kind in kinds:
            rules.append(draw_rule(kind, rules, draws))
        specs = list[TaskSpec]()
        for rule in rules:
            number += 1
            specs.append(due_afterwards(TaskSpec(rule=rule, name=f"task_{number}")))
        days.append(DaySpec(name=f"day_{place + 1}", tasks=tuple(specs)))
    drawn = Scenario(
        name=world_name(tasks, seed),
        seed=SeedSplit.TEST.draw_seed(draws),
        salt=stable_id("salt", salt, tasks, seed, length=SALT_DIGITS) if salt else "",
        days=tuple(days),
        company_size=company_size(tasks),
        arrival=Arrival.STREAMED,
        week=len(days) > 1,
        copies=len(days) > 1,
    )
    return _linked(_with_later_due_days(drawn, draws), draws)


def _draw_kinds(tasks: int, draws: Random) -> list[list[Kind]]:
    """Draw the kinds of tasks of each day: duties on the Monday of each full week, and as many
    tasks whose facts were told before as are missing, spread over the later days."""
    count = days_for(tasks)
    sizes = [min(TASKS_A_DAY, tasks - TASKS_A_DAY * place) for place in range(count)]
    duties = [
        DUTIES_A_WEEK if place % WORKING_WEEK == 0 and count - place >= WORKING_WEEK else 0
        for place in range(count)
    ]
    told = [0] * count
    missing = math.ceil(OF_OTHER_DAYS * tasks) - sum(duties) if count > 1 else 0
    while missing > 0:
        room = [p for p in range(1, count) if duties[p] + told[p] < sizes[p] - 1]
        least = min(told[place] for place in room)
        told[draws.choice([place for place in room if told[place] == least])] += 1
        missing -= 1
    kinds = list[list[Kind]]()
    for place, size in enumerate(sizes):
        own = [Kind.DUTY] * duties[place]
        for _ in range(told[place]):
            anew = place > 1 and draws.random() < ANEW_RATE
            own.append(Kind.TOLD_ANEW if anew else Kind.TOLD_BEFORE)
        kinds.append(own + [Kind.ORDINARY] * (size - len(own)))
    return kinds


def draw_rule(kind: Kind, beside: Collection[str], draws: Random, *, bare: bool = False) -> str:
    """Draw a rule of *kind* for a day that has the rules *beside*, of a family that they have as
    seldom as possible. With *bare* it has no complication that its kind does not need; otherwise
    it may have others that none beside it has.

    Raises CompositionError if no rule is left.
    """
    taken = {rule.partition("+")[0] for rule in beside}
    families = [rule.partition(".")[0] for rule in beside]
    free = [rule for rule in built_in_rules().values() if rule.id not in taken and kind.fits(rule)]
    while free:
        counts = {_family(rule.id): families.count(_family(rule.id)) for rule in free}
        seldom = [family for family, count in counts.items() if count == min(counts.values())]
        family = draws.choice(seldom)
        rule = draws.choice([rule for rule in free if _family(rule.id) == family])
        if kind is Kind.DUTY:
            return rule.id
        more = int(draws.random() < HARDER_RATE) if kind.complication else draws.choice(MORE)
        names = [kind.complication] if kind.complication else []
        if not names or fits_alone("+".join([rule.id, *names])):
            others = {name for other in beside for name in other.split("+")[1:]}
            return _complicated(rule, names, 0 if bare else more, others, draws)
        free.remove(rule)
    raise CompositionError(f"no rule is left for a {kind.value} task; use fewer tasks a day")


def _complicated(
    rule: Rule, first: Sequence[str], more: int, others: Collection[str], draws: Random
) -> str:
    """Return the id of *rule* with the *first* complications and up to so many *more*, none of
    which *others* of its day have."""
    known, names = discover_complications(), drawn_for(rule.meta_task.family_class)
    possible = [name for name in names if name not in others]
    if first:
        possible = [name for name in possible if _leaves_facts(known[name])]
    chosen = add_complications(rule, first, possible, more, draws)
    return find_rule("+".join([rule.id, *chosen])).id


def _leaves_facts(complication: Complication) -> bool:
    """Return whether *complication* works neither on facts that colleagues hold nor on the
    request."""
    return not complication.requires & _FACTS and complication.stage is not Stage.REQUEST


def _with_later_due_days(scenario: Scenario, draws: Random) -> Scenario:
    """Return *scenario* with some plain tasks due a day or two later, at a drawn time."""
    days, last = list[DaySpec](), len(scenario.days) - 1
    for place, day in enumerate(scenario.days):
        specs = list[TaskSpec]()
        for spec in day.tasks:
            later, days_more = draws.random(), draws.randint(1, _LATEST)
            clock = draws.choice(_DUE_LATER_AT)
            if _is_plain(spec) and place < last and later < DUE_LATER_RATE:
                due = {"due_day": min(place + days_more, last), "deadline": clock}
                spec = spec.model_copy(update=due)
            specs.append(spec)
        days.append(day.model_copy(update={"tasks": tuple(specs)}))
    return scenario.model_copy(update={"days": tuple(days)})


def _linked(scenario: Scenario, draws: Random) -> Scenario:
    """Return *scenario* with tasks that take the results of others, of the same or an earlier day,
    and tasks that follow others of their day."""
    days, earlier = list[DaySpec](), list[tuple[TaskSpec, int]]()
    for place, day in enumerate(scenario.days):
        specs = {spec.name: spec for spec in day.tasks}
        givers = [giver for giver, due in earlier if due < place]
        givers += [spec for spec in day.tasks if spec.due_day is None]
        for spec in day.tasks:
            fitting = [giver for giver in givers if _fits(giver, spec)]
            if fitting and draws.random() < TAKING_RATE:
                giver = draws.choice(fitting)
                specs[spec.name] = spec.model_copy(update={"takes_from": giver.name})
        taken = {spec.takes_from for spec in specs.values()}
        free = [
            spec
            for spec in specs.values()
            if _is_plain(spec) and not spec.dependencies and spec.name not in taken
        ]
        if len(free) >= 2 and draws.random() < FOLLOWING_RATE:
            cause, after = draws.sample(free, 2)
            follows = PublishAfter(task=cause.name, when=Milestone.SUBMISSION)
            specs[after.name] = after.model_copy(update={"follows": follows})
        days.append(day.model_copy(update={"tasks": tuple(specs.values())}))
        earlier += [(spec, spec.due_day or place) for spec in specs.values()]
    return scenario.model_copy(update={"days": tuple(days)})


def _is_plain(spec: TaskSpec) -> bool:
    """Return whether a task is ordinary, of one day, and without complications or
    appointments."""
    plain = "+" not in spec.rule and spec.due_day is None and Kind.of(spec.rule) is Kind.ORDINARY
    return plain and _family(spec.rule) not in _APPOINTMENTS


def _fits(giver: TaskSpec, taker: TaskSpec) -> bool:
    """Return whether *taker* can take the result of *giver*, which never changes."""
    wanted = _class(taker.rule).input_type
    simple = "+" not in giver.rule and "+" not in taker.rule and not giver.follows
    others = giver.name != taker.name and wanted is not None
    return simple and others and _class(giver.rule).output_type is wanted


def _class(rule: str) -> type[MetaTask[object]]:
    return find_rule(rule).meta_task.family_class


def _family(rule: str) -> str:
    return _class(rule).family
