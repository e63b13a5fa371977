"""Composition: the tasks of a day laid on one calendar, and staged as a world.

    Scenario (JSON) ──compose──► Composition: company, tasks, scenes ──stage_world──► World

It is a pure function of the scenario; the order in which a day lists its tasks does not
matter. The resolved scenario travels in the world, where no tool reads it, so that the
verifier can compose it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.absences import check_holders_present
from trainee_bench.meta_tasks.catalog import make_meta_task
from trainee_bench.meta_tasks.clue_collisions import check_clue_collisions
from trainee_bench.meta_tasks.company_documents import initial_events
from trainee_bench.meta_tasks.dependency_order import in_dependency_order
from trainee_bench.meta_tasks.meta_task import MetaTask, TaskInstance
from trainee_bench.meta_tasks.scenario import (
    FIRST_DAY,
    NO_VARIATION,
    Arrival,
    GeneratorVersions,
    Milestone,
    Scenario,
    ScenarioDay,
    TaskSpec,
    Variation,
)
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    TaskContext,
    TaskOutput,
)
from trainee_bench.world.apps.desk import DeadlineMoved, TaskPublished
from trainee_bench.world.colleagues.knowledge import ClueAdded, ExpectationAdded
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Company, create_company
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.transaction import Transaction, WorkingDay
from trainee_bench.world.triggers import TriggeredEvent, submitted_trigger, told_trigger
from trainee_bench.world.world import World, WorldConfig

__all__ = ["ComposedDay", "ComposedTask", "compose_day", "create_world"]


@dataclass(frozen=True)
class ComposedTask:
    """A task of a composed day: the id the agent sees, its rule, its scene.

    ``deadline`` is the one that counts in the end, ``first_deadline`` the one it is published
    with. With a ``trigger`` it is not published before that is met.
    """

    id: str
    rule: str
    meta_task: MetaTask[Any]
    instance: TaskInstance[Any]
    arrives: datetime
    deadline: datetime
    first_deadline: datetime
    deadline_moves_at: datetime | None = None
    trigger: str | None = None
    by_mail: bool = False


@dataclass(frozen=True)
class ComposedDay:
    """A day, fully determined: who, when, which tasks, which scenes."""

    scenario_day: ScenarioDay
    company: Company
    day: WorkingDay
    tasks: tuple[ComposedTask, ...]

    @property
    def deliverable_paths(self) -> tuple[str, ...]:
        """The paths of all files the day's tasks ask for, task by task."""
        return tuple(path for task in self.tasks for path in task.instance.deliverable_paths)

    def populate(self, tx: Transaction) -> None:
        """Furnish a new world with this day."""
        Directory(tx).add([*self.company.people, self.company.trainee])
        for event in initial_events(self.company):
            tx.schedule(self.day.starts, event)
        for task in self.tasks:
            for clue in task.instance.clues:
                if clue.id in self.scenario_day.variation.withheld:
                    continue
                tx.schedule(self.day.starts, ClueAdded(clue=clue))
            for expectation in task.instance.expectations:
                tx.schedule(self.day.starts, ExpectationAdded(expectation=expectation))
            for planned in task.instance.events:
                tx.schedule(planned.due or self.day.starts, planned.event)
        for task in self.tasks:
            publication = _publication(task, self.scenario_day.scenario.guidance)
            if task.trigger is not None:
                tx.schedule(self.day.starts, TriggeredEvent.of(task.trigger, publication))
            else:
                tx.schedule(task.arrives, publication)
            if task.deadline_moves_at is not None:
                moved = DeadlineMoved(task=task.id, deadline=task.deadline, mail=task.by_mail)
                tx.schedule(task.deadline_moves_at, moved)

    def world_config(self) -> WorldConfig:
        """How this day's world begins."""
        scenario = self.scenario_day.scenario
        return WorldConfig(
            employee=self.company.trainee.id,
            starts=self.day.starts,
            ends=self.day.ends,
            # without defaults, so that a new field leaves older days' digests as they were
            scenario=self.scenario_day.model_dump_json(exclude_defaults=True),
            identity=GeneratorVersions.current().model_dump_json(),
            verbosity=scenario.verbosity,
            minutes_by_tool=scenario.minutes,
            offered_apps=scenario.tools,
        )


def compose_day(
    scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION
) -> ComposedDay:
    """Day number *day* (from 0) of *scenario*, fully determined.

    Raises CompositionError where the tasks do not go together, UnknownRuleError for an unknown
    rule or parameter.
    """
    if not 0 <= day < len(scenario.days):
        raise CompositionError(f"{scenario.name} has {len(scenario.days)} days, not {day + 1}")
    if not scenario.days[day].tasks:
        raise CompositionError(f"{scenario.name}: {scenario.days[day].name} has no tasks")
    today = FIRST_DAY + timedelta(days=day)
    bounds = WorkingDay(
        datetime.combine(today, scenario.starts), datetime.combine(today, scenario.ends)
    )
    company = create_company(f"{scenario.seed}/{scenario.name}", scenario.company_size)
    commons = DayReservations()
    tasks: dict[str, ComposedTask] = {}
    keyed = _keyed(scenario, day)
    ids = {key: f"T{number}" for number, (key, _) in enumerate(keyed, start=1)}
    for key, spec in in_dependency_order(keyed):
        place = _TaskSlot(
            ids[key], key, company, bounds, commons, variation.secret_seed_offsets, tasks
        )
        tasks[ids[key]] = _compose_task(scenario, place, spec)
    ordered = tuple(tasks[id] for id in ids.values())
    check_clue_collisions([task.instance for task in ordered])
    check_holders_present([task.instance for task in ordered])
    resolved = ScenarioDay(scenario=_in_order(scenario), day=day, variation=variation)
    return ComposedDay(resolved, company, bounds, ordered)


async def create_world(
    path: Path | None, scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION
) -> World:
    """A new world of that day, at *path* or in memory.

    Raises CompositionError, UnknownRuleError, or WorldFileError if *path* exists.
    """
    composition = compose_day(scenario, day, variation)
    return await World.create(path, composition.world_config(), composition.populate)


Key = tuple[str | int, ...]


def _keyed(scenario: Scenario, day: int) -> list[tuple[Key, TaskSpec]]:
    """The day's tasks in canonical order, each with the name of its random streams.

    A task's streams depend on seed, scenario, day, rule and its occurrence among equal
    rules, and on nothing else of the day.
    """
    specs = _in_order(scenario).days[day].tasks
    seen: dict[str, int] = {}
    keyed: list[tuple[Key, TaskSpec]] = []
    for spec in specs:
        seen[spec.rule] = occurrence = seen.get(spec.rule, 0) + 1
        keyed.append(((scenario.seed, scenario.name, day, spec.rule, occurrence), spec))
    return keyed


def _in_order(scenario: Scenario) -> Scenario:
    """*scenario* with the tasks of each day in canonical order."""
    days = tuple(
        day.model_copy(
            update={"tasks": tuple(sorted(day.tasks, key=lambda t: (t.rule, t.model_dump_json())))}
        )
        for day in scenario.days
    )
    return scenario.model_copy(update={"days": days})


@dataclass(frozen=True)
class _TaskSlot:
    """Where a task stands on its day: id, streams, and what it shares with the others."""

    id: str
    key: Key
    company: Company
    day: WorkingDay
    commons: DayReservations
    seed_offsets: Mapping[str, int]
    before: Mapping[str, ComposedTask]

    def task(self, spec: TaskSpec, rule: str) -> ComposedTask:
        """The task of the day that *spec* names by its *rule*. Raises CompositionError."""
        found = [task for task in self.before.values() if task.rule == rule]
        if len(found) != 1:
            raise CompositionError(
                f"{spec.rule} names {rule} as the task it depends on; the day must have exactly "
                "one task of that rule"
            )
        return found[0]


def _compose_task(scenario: Scenario, place: _TaskSlot, spec: TaskSpec) -> ComposedTask:
    day = place.day
    first = _at_clock(day, spec.deadline) or day.ends
    meta_task = make_meta_task(spec.rule, spec.parameters)
    offsets = ((clue.partition("/"), offset) for clue, offset in place.seed_offsets.items())
    context = TaskContext(
        task=place.id,
        key=place.key,
        company=place.company,
        day=day,
        deadline=first,
        reservations=place.commons,
        modality=scenario.modality,
        task_input=_task_input(place, spec, meta_task),
        secret_seed_offsets={
            name: offset for (task, _, name), offset in offsets if task == place.id
        },
    )
    scene = meta_task.generate(context)
    arrives = _arrival(scenario, place, spec, scene, first)
    task = ComposedTask(
        id=place.id,
        rule=spec.rule,
        meta_task=meta_task,
        instance=scene,
        arrives=arrives,
        deadline=_at_clock(day, spec.moved.to if spec.moved else None) or first,
        first_deadline=first,
        deadline_moves_at=_at_clock(day, spec.moved.at if spec.moved else None),
        trigger=_trigger(place, spec),
        by_mail=scenario.arrival is Arrival.STREAMED,
    )
    _check_times(task, day)
    return task


def _check_times(task: ComposedTask, day: WorkingDay) -> None:
    """Raise CompositionError unless the task's times lie in their order within the day."""
    if not day.starts <= task.arrives < task.first_deadline <= day.ends:
        raise CompositionError(
            f"{task.rule}: it arrives at {task.arrives:%H:%M} and is due at "
            f"{task.first_deadline:%H:%M}; both must lie in this order within "
            f"{day.starts:%H:%M}-{day.ends:%H:%M}"
        )
    moved = task.deadline_moves_at
    if moved is None:
        return
    if task.trigger is not None:
        raise CompositionError(
            f"{task.rule}: nobody can say when it is published, so its deadline cannot move"
        )
    if task.deadline == task.first_deadline:
        raise CompositionError(f"{task.rule}: its deadline moves to where it is")
    if not task.arrives < moved < min(task.first_deadline, task.deadline) or (
        task.deadline > day.ends
    ):
        raise CompositionError(
            f"{task.rule}: its deadline can move only after it has arrived and before it is due"
        )


def _at_clock(day: WorkingDay, clock: time | None) -> datetime | None:
    return None if clock is None else datetime.combine(day.starts, clock)


def _task_input(place: _TaskSlot, spec: TaskSpec, meta_task: MetaTask[Any]) -> TaskOutput | None:
    """What the task takes from another's result. Raises CompositionError if that has none."""
    if spec.takes_from is None:
        return None
    source = place.task(spec, spec.takes_from)
    port, result = meta_task.input_type, source.instance.task_output
    if port is None or result is None or source.meta_task.output_type is not port:
        raise CompositionError(f"{spec.rule} cannot take anything from {source.rule}")
    return result


def _trigger(place: _TaskSlot, spec: TaskSpec) -> str | None:
    """What the publication waits for. Raises CompositionError if it can never happen."""
    if spec.follows is None:
        return None
    if spec.arrives is not None:
        raise CompositionError(f"{spec.rule} follows another task, so it has no time of arrival")
    cause = place.task(spec, spec.follows.task)
    if spec.follows.when is Milestone.SUBMISSION:
        return submitted_trigger(cause.id)
    heard = [clue.id for clue in cause.instance.clues if not clue.holder]
    if not heard:
        raise CompositionError(f"nothing is announced in {cause.rule} that {spec.rule} follows")
    return told_trigger(heard[0])


def _arrival(
    scenario: Scenario,
    place: _TaskSlot,
    spec: TaskSpec,
    scene: TaskInstance[Any],
    deadline: datetime,
) -> datetime:
    """When the task is published; of one that follows another, the earliest moment for it."""
    if spec.follows is not None:
        cause = place.task(spec, spec.follows.task)
        heard = cause.instance.must_know_by if spec.follows.when is Milestone.ANNOUNCEMENT else None
        return max(cause.arrives, heard or cause.arrives)
    given = _at_clock(place.day, spec.arrives)
    if given is not None:
        return given
    if scenario.arrival is Arrival.STREAMED:
        return _drawn_arrival(place, scene, deadline)
    return place.day.starts


def _drawn_arrival(place: _TaskSlot, scene: TaskInstance[Any], deadline: datetime) -> datetime:
    """A quarter of an hour in the first three hours, early enough for the task's appointment."""
    latest = min(place.day.starts + timedelta(hours=3), scene.must_know_by or deadline, deadline)
    quarters = max(1, (latest - place.day.starts) // timedelta(minutes=15))
    return place.day.starts + timedelta(minutes=15) * random_stream(
        *place.key, "arrival"
    ).randrange(quarters)


def _publication(task: ComposedTask, guidance: int) -> TaskPublished:
    hints = task.instance.hints
    said = (hints.strategy, hints.where, hints.how)[:guidance]
    return TaskPublished(
        id=task.id,
        title=task.instance.title,
        objective="\n\n".join([task.instance.objective, *(f"Hint: {hint}" for hint in said)]),
        deadline=task.first_deadline,
        by=task.instance.requester,
        mail=task.by_mail,
    )
