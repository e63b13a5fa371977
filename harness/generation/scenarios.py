"""Scenarios proved solvable: drawn, given deadlines, and worked by the oracle.

draft ──compose──► oracle works it ──► deadlines ──► oracle works it again: 1.0, or redraw
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import datetime, timedelta
from random import Random

from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.harness.agents.builtin.one_by_one import OneByOne
from trainee_bench.harness.generation.deadlines import (
    by_rule,
    call_meetings_at_short_notice,
    measure_slack,
    rank_deadlines,
    scale_deadlines,
    tighten_deadlines,
)
from trainee_bench.harness.generation.draft import ScenarioDraft, draw_draft
from trainee_bench.harness.generation.overload import overload
from trainee_bench.harness.generation.plans import best_order, in_order
from trainee_bench.harness.generation.rehearsal import (
    DeadlineMissed,
    Rehearsal,
    fails,
    rehearse,
    rehearse_in_time,
)
from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import FIRST_DAY, Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import random_stream

MAX_DRAWS = 120
"""Number of draws of a scenario before generation fails."""
SLACK_FACTORS = (1, 2, 4)
"""Multiples of the drawn slack, tried in turn if deadlines are too tight."""

_PUT_OFF = 12
_A_LITTLE = timedelta(minutes=10)
"""How often a missed deadline of a day is postponed, and by how much."""
_LATER = timedelta(minutes=30)
"""Time by which a deadline is postponed that is too early for a task's complications."""


class ScenarioGenerationFailed(Exception):
    """No solvable scenario was found: too many tasks for a day, or rules that do not fit."""


async def make_scenario(order: GenerationSpec, number: int) -> Scenario:
    """Make scenario *number* (from 1) of *order*; the same arguments give the same scenario.

    Raises ScenarioGenerationFailed if none of MAX_DRAWS drafts is solvable in its day.
    """
    why = ""
    for attempt in range(MAX_DRAWS):
        draws = random_stream(
            "generate", order.name, order.stream_seed, order.split, number, attempt
        )
        try:
            draft = draw_draft(order, number, draws)
            key = (order.name, order.stream_seed, number, attempt)
            scenario = await _with_deadlines(order, draft, key)
            if scenario is None:
                why = "the oracle cannot do all of its tasks in one day"
                continue
            why = "one task after the other works as well as planning"
            if order.demanding and not await _needs_planning(scenario):
                continue
            if not order.overloads(number):
                return scenario
            overloaded = await _overloaded(order, scenario, draws)
        except CompositionError as error:
            why = str(error)
            continue
        if overloaded is not None:
            return overloaded
        why = "no deadlines make it more work than hours"
    raise ScenarioGenerationFailed(
        f"{order.name}, scenario {number}: none of {MAX_DRAWS} drafts is solvable; the last one: "
        f"{why}. Use fewer tasks (--tasks) or other rules (--rules)."
    )


async def _with_deadlines(
    order: GenerationSpec, draft: ScenarioDraft, key: tuple[str | int, ...]
) -> Scenario | None:
    """Return the scenario of *draft* with deadlines, None if the oracle cannot meet any."""
    scenario = draft.scenario
    if scenario.arrival is Arrival.AT_ONCE:
        return scenario if await _rehearse(scenario) is not None else None
    ranked = await _ranked(order, draft, key)
    if ranked is None:
        return None
    scenario = ranked
    rehearsals = await _rehearse(scenario, foresight=order.slack is not None)
    if rehearsals is None:
        return None
    for slower in SLACK_FACTORS:
        try:
            settled = _settled(order, scenario, rehearsals, slower, key)
            if order.slack is not None:
                settled = await _in_reach(settled)
            again = await _rehearse(settled)
        except CompositionError:
            if order.slack is None:
                raise
            continue
        if again is None:
            continue
        if order.slack is None or await _has_slack(settled, order.slack):
            return settled
    return None


async def _in_reach(scenario: Scenario) -> Scenario:
    """Return *scenario* with the deadlines that the oracle misses postponed a little.

    They were set as if it knew what will change. Each day has at most `_PUT_OFF` rounds.
    """
    for day in range(len(scenario.days)):
        late: Set[str]
        for _ in range(_PUT_OFF):
            composition = compose_day(scenario, day)
            try:
                done = (await rehearse_in_time(composition)).done
            except DeadlineMissed as missed:
                late = missed.tasks
            else:
                late = {
                    task.id
                    for task in composition.tasks
                    if task.id in done and done[task.id] > task.deadline
                }
            if not late:
                break
            rules = {task.rule for task in composition.tasks if task.id in late}
            scenario = _with_day(scenario, day, _put_off(scenario, day, rules))
    return scenario


def _put_off(scenario: Scenario, day: int, rules: Set[str]) -> DaySpec:
    """Return the day with a little more time for the tasks of these *rules*, up to its end."""
    spec, ends = scenario.days[day], datetime.combine(FIRST_DAY, scenario.ends)
    tasks = list[TaskSpec]()
    for task in spec.tasks:
        last = task.moved.to if task.moved else task.deadline or scenario.ends
        due = min(datetime.combine(FIRST_DAY, last) + _A_LITTLE, ends).time()
        moved = task.moved and task.moved.model_copy(update={"to": due})
        if task.rule in rules and moved and task.deadline and due < task.deadline:
            task = task.model_copy(update={"moved": moved})
        elif task.rule in rules:
            task = task.model_copy(update={"deadline": due, "moved": None})
        tasks.append(task)
    return spec.model_copy(update={"tasks": tuple(tasks)})


async def _ranked(
    order: GenerationSpec, draft: ScenarioDraft, key: tuple[str | int, ...]
) -> Scenario | None:
    """Return the scenario of *draft* with deadlines near the end of each day in a random order.

    If slack is requested, use the best order found instead; None if the oracle cannot do all tasks.
    """
    compositions = [compose_day(draft.scenario, day) for day in range(len(draft.scenario.days))]
    specs = call_meetings_at_short_notice(draft, compositions)
    scenario = draft.scenario.model_copy(update={"days": specs})
    ranked = list[DaySpec]()
    for number, (spec, day) in enumerate(zip(specs, compositions, strict=True)):
        draws = random_stream("generate", "ranks", *key, number)
        if order.slack is None:
            ranked.append(rank_deadlines(spec, day.day.ends, draws))
            continue
        best = await best_order(scenario, number, draws, _with_appointments(day))
        if best is None:
            return None
        ranked.append(in_order(spec, day.day.ends, best))
    return scenario.model_copy(update={"days": tuple(ranked)})


def _with_appointments(composition: ComposedDay) -> frozenset[str]:
    """Return the rules whose tasks have to be known by a time: the oracle has to start them
    early."""
    tasks = composition.tasks
    return frozenset(task.rule for task in tasks if task.instance.told.must_know_by is not None)


def _settled(
    order: GenerationSpec,
    scenario: Scenario,
    rehearsals: Sequence[Rehearsal],
    slower: int,
    key: tuple[str | int, ...],
) -> Scenario:
    """Return *scenario* with deadlines that the *rehearsals* meet; a greater *slower* leaves more
    time."""
    days: list[DaySpec] = []
    for day, rehearsal in enumerate(rehearsals):
        spec, composition = scenario.days[day], compose_day(scenario, day)
        if order.slack is None:
            draws = random_stream("generate", "deadlines", *key, day)
            days.append(tighten_deadlines(spec, composition, rehearsal, slower, draws))
            continue
        draws = random_stream("generate", "slack", *key, day, slower)
        least, most = order.slack
        least += (most - least) * (slower - 1) / (2 * max(SLACK_FACTORS))
        due = scale_deadlines(spec, composition, rehearsal, (least, most), draws)
        days.append(_composable(scenario, day, due))
    return scenario.model_copy(update={"days": tuple(days)})


def _composable(scenario: Scenario, day: int, wanted: DaySpec) -> DaySpec:
    """Return the deadlines of *wanted*, each later if the complications of its task need that.

    Raises CompositionError if even the end of the day is too early for one.
    """
    try:
        compose_day(_with_day(scenario, day, wanted), day)
    except CompositionError:
        spec = scenario.days[day]
        for place, task in enumerate(wanted.tasks):
            spec = _with_task(scenario, day, spec, place, task)
        return spec
    return wanted


def _with_task(scenario: Scenario, day: int, spec: DaySpec, place: int, task: TaskSpec) -> DaySpec:
    """Return *spec* with *task* at its *place*, due at its deadline or half-hours later.

    Raises CompositionError if no deadline of the day is late enough.
    """
    ends = datetime.combine(FIRST_DAY, scenario.ends)
    due = datetime.combine(FIRST_DAY, task.deadline or scenario.ends)
    while True:
        tasks = (*spec.tasks[:place], task, *spec.tasks[place + 1 :])
        tried = spec.model_copy(update={"tasks": tasks})
        try:
            compose_day(_with_day(scenario, day, tried), day)
        except CompositionError:
            if due >= ends:
                raise
            due = min(due + _LATER, ends)
            task = task.model_copy(update={"deadline": due.time(), "moved": None})
        else:
            return tried


def _with_day(scenario: Scenario, day: int, spec: DaySpec) -> Scenario:
    days = (*scenario.days[:day], spec, *scenario.days[day + 1 :])
    return scenario.model_copy(update={"days": days})


async def _has_slack(scenario: Scenario, slack: tuple[float, float]) -> bool:
    """Return whether each day has at least the least and at most the most *slack*."""
    for day in range(len(scenario.days)):
        found = await measure_slack(compose_day(scenario, day))
        if found is None or not slack[0] <= found <= slack[1]:
            return False
    return True


async def _needs_planning(scenario: Scenario) -> bool:
    """Return whether both `InOrder` and `OneByOne` fail on some day.

    These work one task after the other, in the listed order and by deadline.
    """
    days = [compose_day(scenario, day) for day in range(len(scenario.days))]
    for agent in (InOrder, OneByOne):
        if not any([await fails(agent, day) for day in days]):
            return False
    return True


async def _overloaded(order: GenerationSpec, scenario: Scenario, draws: Random) -> Scenario | None:
    """Return *scenario* with more work than hours, None if that is not found."""
    composition = compose_day(scenario)
    done = await rehearse(composition)
    if done is None:
        return None
    return await overload(scenario, by_rule(composition, done.handed_in), order.slack, draws)


async def _rehearse(scenario: Scenario, *, foresight: bool = False) -> list[Rehearsal] | None:
    """Let the oracle work each day; None unless it submitted everything at full score.

    With *foresight* it knows what will change.
    """
    rehearsals = []
    for day in range(len(scenario.days)):
        rehearsal = await rehearse(compose_day(scenario, day), foresight=foresight)
        if rehearsal is None or not rehearsal.full or None in rehearsal.handed_in.values():
            return None
        rehearsals.append(rehearsal)
    return rehearsals
