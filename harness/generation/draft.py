"""A scenario as first drawn: its rules, their dependencies, its interruptions, and the cost of
calls.

Deadlines follow later, from the time that the oracle takes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random

from trainee_bench.harness.generation.chosen_rules import complicate_rules
from trainee_bench.harness.generation.spec import ArrivalPattern, DrawMode, GenerationSpec
from trainee_bench.mcp_servers import default_toolboxes, names_with
from trainee_bench.meta_tasks.catalog import find_rule, needed_tools
from trainee_bench.meta_tasks.complications import drawn_for
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.offices.opened import only_office
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
)
from trainee_bench.meta_tasks.task_context import ChangesFrom, CompositionError
from trainee_bench.world.random_streams import stable_id


def effort_minutes(opted_in: Collection[str] = ()) -> Mapping[str, int]:
    """Return the minutes of the tools whose effort differs from their listed cost: those of the
    usual apps, and the opt-in tools *opted_in*.

    Looking takes no time, reading a page of a file takes one minute, and submitting takes five.
    Writing a message or a document, calculating and changing a sheet take ten: this charges agents
    that ask twice for lack of thought. Each tool declares its effort.
    """
    tools = [tool for box in default_toolboxes(opted_in=opted_in).values() for tool in box]
    charged = [tool for tool in tools if tool.read_only or tool.effort is not None]
    charged.sort(key=lambda tool: (tool.effort_minutes, tool.name))
    return {tool.name: tool.effort_minutes for tool in charged}


TAKES_INPUT_RATE, ANNOUNCED_RATE, AFTER_SUBMISSION_RATE = 0.9, 0.5, 0.2
"""Probabilities that a streamed day has each kind of dependency, if its tasks allow it."""
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
    """Draw scenario *number* (from 1) of *spec* from *draws*.

    Raises CompositionError if too few complications fit a rule.
    """
    chosen = _choose(spec, draws)
    streamed = spec.flow is ArrivalPattern.STREAMED or (
        spec.flow is ArrivalPattern.MIXED and number % 2 == 0
    )
    if spec.most_complications:
        return _draw_complicated(spec, number, chosen, streamed, draws)
    specs, notice = _link_tasks(chosen, {rule.id for rule in chosen}, streamed, draws)
    seed = spec.split.draw_seed(draws)
    return ScenarioDraft(_scenario(spec, number, seed, streamed, specs), notice)


def _draw_complicated(
    spec: GenerationSpec, number: int, chosen: Sequence[Rule], streamed: bool, draws: Random
) -> ScenarioDraft:
    """Return a draft with complications that fit together with this seed.

    No task takes another's result if that does not fit.
    """
    seed = spec.split.draw_seed(draws)
    plain = _scenario(spec, number, seed, streamed, [TaskSpec(rule=rule.id) for rule in chosen])
    made = complicate_rules(spec, plain, chosen, draws)
    giving = {complicated.rule.id for complicated in made if complicated.gives}
    specs, notice = _link_tasks([complicated.rule for complicated in made], giving, streamed, draws)
    scenario = _scenario(spec, number, seed, streamed, specs)
    if any(task.takes_from for task in specs):
        try:
            compose_day(scenario)
        except CompositionError:
            alone = [task.model_copy(update={"takes_from": None}) for task in specs]
            scenario = _scenario(spec, number, seed, streamed, alone)
    return ScenarioDraft(scenario, notice)


def _link_tasks(
    chosen: Sequence[Rule], giving: Set[str], streamed: bool, draws: Random
) -> tuple[list[TaskSpec], tuple[str, ...]]:
    """Return the tasks of *chosen*, and the meetings that are announced at short notice.

    On a *streamed* day tasks may depend on others; only results of *giving* can be taken.
    """
    if not streamed:
        return [TaskSpec(rule=rule.id) for rule in chosen], ()
    specs = _chained(chosen, giving, draws)
    free = [s.rule for s in specs if s.rule.startswith(f"{MEETING_FAMILY}.") and not s.dependencies]
    return specs, tuple(rule for rule in free if draws.random() < SHORT_NOTICE_RATE)


def _scenario(
    spec: GenerationSpec, number: int, seed: int, streamed: bool, specs: Sequence[TaskSpec]
) -> Scenario:
    if streamed or spec.overloads(number):
        specs = [due_afterwards(task, spec.most_complications > 0) for task in specs]
    days = tuple(DaySpec(name=f"day_{day}", tasks=tuple(specs)) for day in range(1, spec.days + 1))
    opted_in = needed_tools(task.rule for task in specs)
    return Scenario(
        name=f"{spec.name}-{number:0{len(str(spec.scenarios))}d}",
        seed=seed,
        salt=stable_id("salt", spec.salt, number, length=SALT_DIGITS) if spec.salt else "",
        days=days,
        company_size=spec.company_size,
        starts=spec.starts,
        ends=spec.ends,
        arrival=Arrival.STREAMED if streamed else Arrival.AT_ONCE,
        minutes=dict(effort_minutes(opted_in)) if spec.effort else {},
        office=only_office(),
        tools=names_with(opted_in),
    )


def due_afterwards(task: TaskSpec, may_change: bool = False) -> TaskSpec:
    """Return *task* with changes timed by its arrival: its deadline is set later, after its last
    change.

    A task without complications stays as it is, unless it *may_change* later.
    """
    if not may_change and "+" not in task.rule:
        return task
    return task.model_copy(update={"changes_from": ChangesFrom.ARRIVAL})


def _choose(spec: GenerationSpec, draws: Random) -> list[Rule]:
    families: Mapping[str, Sequence[Rule]] = spec.rules()
    count = draws.randint(spec.fewest, spec.most)
    if spec.draw is DrawMode.RULES:
        return draws.sample([rule for family in families.values() for rule in family], count)
    names = sorted(families)
    if spec.most_complications:
        return [draws.choice(families[name]) for name in _by_room(spec, families, count, draws)]
    return [draws.choice(families[name]) for name in draws.sample(names, count)]


def _by_room(
    spec: GenerationSpec, families: Mapping[str, Sequence[Rule]], count: int, draws: Random
) -> list[str]:
    """Draw *count* families, weighted by how many of the requested complications fit their tasks.

    A family with room for only one comes less often. None comes twice before each has come once.
    """
    most = {name: spec.most_of(rules) for name, rules in families.items()}
    room = {
        name: min(spec.most_complications, len(drawn_for(rules[0].meta_task.family_class)))
        for name, rules in sorted(families.items())
    }
    drawn = list[str]()
    for _ in range(count):
        free = [name for name in room if drawn.count(name) < most[name]]
        rounds = min(map(drawn.count, free))
        left = [name for name in free if drawn.count(name) == rounds]
        drawn += draws.choices(left, [room[name] for name in left])
    return drawn


def _chained(chosen: Sequence[Rule], giving: Set[str], draws: Random) -> list[TaskSpec]:
    """Return the tasks; one may take another's result as input, and another task may announce one.

    Always draws three numbers, so that one dependency does not influence the other.
    """
    taking, following, cause = draws.random(), draws.random(), draws.random()
    specs = {rule.id: TaskSpec(rule=rule.id) for rule in chosen}
    givers = [rule for rule in chosen if rule.id in giving]
    pairs = [(giver, taker) for giver in givers for taker in chosen if _fits(giver, taker)]
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
    port = giver.meta_task.family_class.output_type
    return (
        giver is not taker and port is not None and taker.meta_task.family_class.input_type is port
    )


def _family(rule: str) -> str:
    return find_rule(rule).meta_task.family_class.family
