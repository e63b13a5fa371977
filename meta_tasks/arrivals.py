"""When the tasks of a day are published, in which order they are composed, and their numbers.

A task comes at its own time, or follows another task and comes at an unknown time. Tasks with a
time are numbered in the order of their times: T1, T2, … A task that follows has the number of the
first cause in its chain and a letter: T2b. So the numbers seen on a day have no gaps that would
reveal tasks to come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import count
from typing import TypeVar

from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.task_ids import MOST_FOLLOWERS, follower_id, numbered_id
from trainee_bench.world.transaction import WorkingDay

Key = tuple[str | int, ...]
AnyKey = TypeVar("AnyKey")
DRAWN_ARRIVALS_END = timedelta(hours=3)
"""The span from the start of a streamed day within which arrivals are drawn."""


@dataclass(frozen=True)
class PlannedTask:
    """A task to be composed: its id, the key of its random streams, its specification, when it is
    published (None for followers and if unknown), and the index of its day in its world."""

    id: str
    key: Key
    spec: TaskSpec
    arrives: datetime | None = None
    place: int = 0


def arrivals_differ(scenario: Scenario, day: int) -> bool:
    """Return whether tasks of the day may arrive at different times."""
    specs = scenario.days[day].tasks
    return scenario.arrival is Arrival.STREAMED or any(s.arrives or s.follows for s in specs)


def keyed_tasks(scenario: Scenario, day: int) -> list[tuple[Key, TaskSpec]]:
    """Return the day's tasks in canonical order, each with the key of its random streams.

    A task's streams depend on seed, scenario, day, rule and its occurrence among equal rules, and
    on nothing else of the day.
    """
    specs = _tasks_in_order(scenario.days[day])
    seen: dict[str, int] = {}
    keyed: list[tuple[Key, TaskSpec]] = []
    for spec in specs:
        seen[spec.rule] = occurrence = seen.get(spec.rule, 0) + 1
        keyed.append(((scenario.stream_seed, scenario.name, day, spec.rule, occurrence), spec))
    return keyed


def in_canonical_order(scenario: Scenario) -> Scenario:
    """Return *scenario* with the tasks of each day in canonical order, and without bounds, which do
    not define a day."""
    days = tuple(
        day.model_copy(update={"tasks": _tasks_in_order(day)})
        for day in scenario.without_bounds().days
    )
    return scenario.model_copy(update={"days": days})


def _tasks_in_order(day: DaySpec) -> tuple[TaskSpec, ...]:
    return tuple(sorted(day.tasks, key=lambda task: (task.rule, task.model_dump_json())))


def in_dependency_order(keyed: Sequence[tuple[AnyKey, TaskSpec]]) -> list[tuple[AnyKey, TaskSpec]]:
    """Return *keyed* with every task after those that it names, otherwise in the same order: causes
    are composed before their followers.

    Raises CompositionError for tasks that wait for one another.
    """
    left, ordered = list(keyed), list[tuple[AnyKey, TaskSpec]]()
    waiting = Counter(name for _, spec in keyed for name in {spec.rule, spec.name})
    while left:
        at = next((at for at, (_, spec) in enumerate(left) if _is_ready(spec, waiting)), None)
        if at is None:
            names = sorted({spec.name or spec.rule for _, spec in left})
            raise CompositionError(
                f"each of these tasks needs itself or another of them first: {', '.join(names)}; "
                "let one of them depend on none"
            )
        key, spec = left.pop(at)
        waiting.subtract({spec.rule, spec.name})
        ordered.append((key, spec))
    return ordered


def _is_ready(spec: TaskSpec, waiting: Mapping[str, int]) -> bool:
    """Return whether no task that *spec* names is among those that are *waiting*."""
    return not any(waiting.get(name) for name in spec.dependencies)


def drawn_arrival(key: Key, starts: datetime, latest: datetime) -> datetime:
    """Return when the task of *key* arrives on a streamed day that begins at *starts*: at a quarter
    of an hour within the first three hours, before *latest*."""
    quarters = max(1, (min(starts + DRAWN_ARRIVALS_END, latest) - starts) // timedelta(minutes=15))
    return starts + timedelta(minutes=15) * random_stream(*key, "arrival").randrange(quarters)


def full_hour(moment: datetime) -> datetime:
    """Return *moment*, rounded up to the full hour."""
    hour = moment.replace(minute=0, second=0, microsecond=0)
    return hour if hour == moment else hour + timedelta(hours=1)


def draft_plan(days: Sequence[Sequence[tuple[Key, TaskSpec]]]) -> tuple[PlannedTask, ...]:
    """Return the tasks of a draft of one world's days, numbered as they are listed.

    Raises CompositionError for tasks that wait for one another.
    """
    numbers, plan = count(1), list[PlannedTask]()
    for place, keyed in enumerate(days):
        ids = {key: numbered_id(next(numbers)) for key, _ in keyed}
        for key, spec in in_dependency_order(keyed):
            plan.append(PlannedTask(ids[key], key, spec, place=place))
    return tuple(plan)


def expected_arrivals(
    plan: Sequence[PlannedTask],
    day: WorkingDay,
    streamed: bool,
    known_by: Callable[[PlannedTask], datetime | None],
) -> tuple[dict[Key, datetime], dict[Key, Key]]:
    """Return the arrivals of the tasks of a draft *plan* that follow none, and the first cause of
    each follower. *known_by* tells when a task has to be known for its appointment, if it has
    one."""
    named = {planned.spec.rule: planned.key for planned in plan}
    named |= {planned.spec.name: planned.key for planned in plan if planned.spec.name}
    arrivals, roots = dict[Key, datetime](), dict[Key, Key]()
    for planned in plan:
        spec, source = planned.spec, named.get(planned.spec.takes_from or "")
        cause = named.get(spec.follows.task) if spec.follows else source
        if cause is not None and (spec.follows is not None or cause in roots):
            roots[planned.key] = roots.get(cause, cause)
            continue
        given = at_clock(day, spec.arrives)
        arrives = given or (arrivals[source] if source else day.starts)
        if streamed and given is None:
            due = at_clock(day, spec.deadline) or day.ends
            latest = min(known_by(planned) or due, due)
            arrives = max(arrives, drawn_arrival(planned.key, day.starts, latest))
        arrivals[planned.key] = arrives
    return arrivals, roots


def at_clock(day: WorkingDay, clock: time | None) -> datetime | None:
    """Return the moment of *day* at this *clock* time; None for None."""
    return None if clock is None else datetime.combine(day.starts, clock)


def arrival_plan(
    days: Sequence[Sequence[tuple[Key, TaskSpec]]],
    arrivals: Mapping[Key, datetime],
    roots: Mapping[Key, Key],
) -> tuple[PlannedTask, ...]:
    """Return the tasks of one world's days, numbered as they are published, in the order of the
    draft. *roots* has the first cause of each follower.

    Raises CompositionError for too many followers of one task.
    """
    numbers, plan, ids = count(1), list[PlannedTask](), dict[Key, str]()
    for place, keyed in enumerate(days):
        timed = in_dependency_order(
            sorted((pair for pair in keyed if pair[0] not in roots), key=lambda p: arrivals[p[0]])
        )
        ids |= {key: numbered_id(next(numbers)) for key, _ in timed}
        _number_followers(ids, [pair for pair in keyed if pair[0] in roots], roots)
        for key, spec in in_dependency_order(keyed):
            arrives = None if key in roots else arrivals[key]
            plan.append(PlannedTask(ids[key], key, spec, arrives, place))
    return tuple(plan)


def _number_followers(
    ids: dict[Key, str], followers: Sequence[tuple[Key, TaskSpec]], roots: Mapping[Key, Key]
) -> None:
    """Add to *ids* the ids of a day's tasks that follow others."""
    seen = Counter(roots[key] for key in ids if key in roots)
    for key, _ in in_dependency_order(followers):
        root = roots[key]
        if seen[root] == MOST_FOLLOWERS:
            raise CompositionError(f"more than {MOST_FOLLOWERS} tasks follow from {ids[root]}")
        ids[key] = follower_id(ids[root], seen[root])
        seen[root] += 1
