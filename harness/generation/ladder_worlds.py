"""Worlds of the ladder, proved solvable: drawn, worked by the oracle, given deadlines.

draft ──compose──► oracle works it ──► deadlines ──► oracle works it again: 1.0

A task that does not fit is exchanged for another rule, so that it does not spoil the whole world.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from trainee_bench.harness.agents.runtime.in_process_episode import InProcessResult, run_in_process
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.generation.draft import due_afterwards
from trainee_bench.harness.generation.ladder_draft import Kind, draw_ladder_world, draw_rule
from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError, TaskNotComposed
from trainee_bench.world.random_streams import random_stream

RUNGS: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of tasks of the ladder's worlds."""
MAX_DRAWS = 12
"""Number of draws of a world before generation fails."""
ROUNDS = 4
"""Number of rehearsals after which a draft is given up."""
SLACK_MINUTES = (45, 60, 90, 120, 180)
"""Minutes between the oracle's submission of a task and its deadline."""
UNTIL_EVENING_RATE = 0.25
"""Probability that a task is due at the end of its day."""
_GRID = 5


def depends_on_other_days(composition: ComposedDay) -> tuple[ComposedTask, ...]:
    """Return the tasks of a world that need something of another day than the one they come on.

    These are duties, tasks whose facts are told on an earlier day, and tasks that take the result
    of a task of an earlier day or follow it.
    """
    names = {task.name: task for task in composition.tasks if task.name}

    def is_carried(task: ComposedTask) -> bool:
        day = composition.scenario_day.scenario.days[task.published_place]
        specs = (spec for spec in day.tasks if spec.name and spec.name == task.name)
        sources = (names.get(name) for spec in specs for name in spec.dependencies)
        return any(s is not None and s.published_place < task.published_place for s in sources)

    return tuple(
        task
        for task in composition.tasks
        if task.meta_task.family_class.whole_week
        or task.instance.hidden.told_ahead
        or is_carried(task)
    )


@dataclass(frozen=True)
class _Worked:
    """A world, its composition, and how the oracle worked it in full."""

    scenario: Scenario
    composition: ComposedDay
    rehearsal: InProcessResult


async def make_ladder_world(tasks: int, seed: int, salt: str = "") -> Scenario:
    """Make the world of rung *tasks* with this *seed*; the same arguments give the same world.

    The oracle has worked it with full score. A *salt* has 32 hexadecimal digits. Raises ValueError
    for a number of tasks that is no rung, and ScenarioGenerationFailed if none of MAX_DRAWS drafts
    can be worked in full.
    """
    if tasks not in RUNGS:
        raise ValueError(
            f"the ladder has no rung of {pluralize(tasks, 'task')}; choose one of {RUNGS}"
        )
    why = ""
    for attempt in range(MAX_DRAWS):
        draws = random_stream("ladder", tasks, seed, salt, attempt)
        why = "the oracle cannot do all of its tasks in time"
        try:
            worked = await _solvable(draw_ladder_world(tasks, seed, salt, draws), draws)
            if worked is not None and (due := await _with_deadlines(worked, draws)) is not None:
                return due
        except CompositionError as error:
            why = str(error)
    raise ScenarioGenerationFailed(
        f"ladder, {pluralize(tasks, 'task')}, seed {seed}: none of {MAX_DRAWS} drafts is usable; "
        f"the last one: {why}. Use another seed."
    )


async def _solvable(scenario: Scenario, draws: Random) -> _Worked | None:
    """Return *scenario* with other rules for tasks that cannot be composed or that the oracle does
    not complete in a rehearsal; None if some are left after all `ROUNDS`."""
    for _ in range(ROUNDS):
        scenario, composition = _composable(scenario, draws)
        rehearsal = await run_in_process("oracle", composition)
        if not (undone := _undone(composition, rehearsal)):
            return _Worked(scenario, composition, rehearsal)
        for name in undone:
            scenario = _exchanged(scenario, name, draws)
    return None


def _composable(scenario: Scenario, draws: Random) -> tuple[Scenario, ComposedDay]:
    """Return *scenario* with other rules for tasks that cannot be composed, and its composition.

    Raises CompositionError if there are too many such tasks.
    """
    for _ in range(sum(len(day.tasks) for day in scenario.days)):
        try:
            return scenario, compose_day(scenario)
        except TaskNotComposed as error:
            scenario = _exchanged(scenario, error.name, draws)
    return scenario, compose_day(scenario)


def _exchanged(scenario: Scenario, name: str, draws: Random) -> Scenario:
    """Return *scenario* with another rule for the task called *name*, without further complications
    and dependencies. Raises CompositionError if no rule is left."""
    (day,) = (day for day in scenario.days if any(spec.name == name for spec in day.tasks))
    (old,) = (spec for spec in day.tasks if spec.name == name)
    rule = draw_rule(Kind.of(old.rule), [spec.rule for spec in day.tasks], draws, bare=True)
    changed = {name: due_afterwards(TaskSpec(rule=rule, name=name))}
    for spec in (spec for day in scenario.days for spec in day.tasks):
        if spec.takes_from == name:
            changed[spec.name] = spec.model_copy(update={"takes_from": None})
        if spec.follows is not None and spec.follows.task == name:
            changed[spec.name] = spec.model_copy(update={"follows": None})
    return _with_tasks(scenario, changed)


def _with_tasks(scenario: Scenario, changed: Mapping[str, TaskSpec]) -> Scenario:
    """Return *scenario* with the tasks of *changed*, by name, in place of those it has."""
    days = (
        day.model_copy(update={"tasks": tuple(changed.get(t.name, t) for t in day.tasks)})
        for day in scenario.days
    )
    return scenario.model_copy(update={"days": tuple(days)})


def _undone(composition: ComposedDay, rehearsal: InProcessResult) -> list[str]:
    """Return the names of the tasks that the oracle did not hand in at full score."""
    grades = {grade.task: grade for grade in rehearsal.grade.tasks}
    return [
        task.name
        for task in composition.tasks
        if not grades[task.id].success or rehearsal.handed_in[task.id] is None
    ]


async def _with_deadlines(worked: _Worked, draws: Random) -> Scenario | None:
    """Return the world with a deadline for most tasks, soon after the oracle submits them.

    Tasks that the oracle then misses are due at the end of their day, and if that is not enough,
    all tasks that come on that day. None if it misses some nevertheless.
    """
    due = _deadlines(worked, draws)
    for _ in range(ROUNDS):
        settled = _with_tasks(worked.scenario, due)
        try:
            composition = compose_day(settled)
        except TaskNotComposed as error:  # a complication needs more time
            late = {error.name}
        else:
            late = {*_undone(composition, await run_in_process("oracle", composition))}
        if not late:
            return settled
        if late.isdisjoint(due):  # other deadlines of its day are in the way
            late = _of_the_days_of(settled, late)
        due = {name: spec for name, spec in due.items() if name not in late}
    return None


def _of_the_days_of(scenario: Scenario, names: Set[str]) -> set[str]:
    """Return the names of all tasks that come on the days of those with these *names*."""
    days = [{spec.name for spec in day.tasks} for day in scenario.days]
    return set().union(*(day for day in days if day & names))


def _deadlines(worked: _Worked, draws: Random) -> dict[str, TaskSpec]:
    """Return the tasks that get a deadline, by name: those that come and are due on one day and
    follow no other, except some that are due at its end."""
    due, composition = dict[str, TaskSpec](), worked.composition
    specs = {spec.name: spec for day in worked.scenario.days for spec in day.tasks}
    for task in composition.tasks:
        spec, handed_in = specs[task.name], worked.rehearsal.handed_in[task.id]
        slack, evening = draws.choice(SLACK_MINUTES), draws.random() < UNTIL_EVENING_RATE
        if task.length > 1 or task.cause or handed_in is None or evening:
            continue
        later = handed_in + timedelta(minutes=slack)
        later += timedelta(minutes=-later.minute % _GRID)
        if later < composition.days[task.due_place].ends:
            due[task.name] = spec.model_copy(update={"deadline": later.time()})
    return due
