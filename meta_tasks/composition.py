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

from meta_tasks.absences import refuse_absent_holders
from meta_tasks.catalog import instantiate
from meta_tasks.collisions import refuse_collisions
from meta_tasks.company_files import company_events
from meta_tasks.meta_task import MetaTask, Scene
from meta_tasks.order import causes_first
from meta_tasks.scenario import (
    FIRST_DAY,
    PLAIN,
    Arrival,
    Cause,
    Identity,
    Resolved,
    Scenario,
    TaskSpec,
    Variation,
)
from meta_tasks.stage import Commons, CompositionError, Handover, Stage
from world.apps.desk import DeadlineMoved, TaskPublished
from world.consequence import Follows, submitted, told
from world.directory import Directory
from world.npc import Expects, Knows
from world.people import Company, found_company
from world.streams import stream
from world.turn import Day, Turn
from world.world import Opening, World


@dataclass(frozen=True)
class ComposedTask:
    """A task of a composed day: the id the agent sees, its rule, its scene.

    ``deadline`` is the one that counts in the end, ``first_deadline`` the one it is published
    with. With a ``trigger`` it is not published before that is met.
    """

    id: str
    rule: str
    meta_task: MetaTask[Any]
    scene: Scene[Any]
    arrives: datetime
    deadline: datetime
    first_deadline: datetime
    moved_at: datetime | None = None
    trigger: str | None = None
    by_mail: bool = False


@dataclass(frozen=True)
class Composition:
    """A day, fully determined: who, when, which tasks, which scenes."""

    resolved: Resolved
    company: Company
    day: Day
    tasks: tuple[ComposedTask, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The paths of all files the day's tasks ask for, task by task."""
        return tuple(path for task in self.tasks for path in task.scene.outputs)

    def stage(self, turn: Turn) -> None:
        """Furnish a new world with this day."""
        Directory(turn).enter([*self.company.people, self.company.trainee])
        for event in company_events(self.company):
            turn.schedule(self.day.starts, event)
        for task in self.tasks:
            for clue in task.scene.clues:
                if clue.id in self.resolved.variation.withheld:
                    continue
                turn.schedule(self.day.starts, Knows(clue=clue))
            for expectation in task.scene.expectations:
                turn.schedule(self.day.starts, Expects(expectation=expectation))
            for planned in task.scene.events:
                turn.schedule(planned.due or self.day.starts, planned.event)
        for task in self.tasks:
            publication = _publication(task, self.resolved.scenario.guidance)
            if task.trigger is not None:
                turn.schedule(self.day.starts, Follows.of(task.trigger, publication))
            else:
                turn.schedule(task.arrives, publication)
            if task.moved_at is not None:
                moved = DeadlineMoved(task=task.id, deadline=task.deadline, mail=task.by_mail)
                turn.schedule(task.moved_at, moved)

    def opening(self) -> Opening:
        """How this day's world begins."""
        scenario = self.resolved.scenario
        return Opening(
            employee=self.company.trainee.id,
            starts=self.day.starts,
            ends=self.day.ends,
            # without defaults, so that a new field leaves older days' digests as they were
            scenario=self.resolved.model_dump_json(exclude_defaults=True),
            identity=Identity.here().model_dump_json(),
            verbosity=scenario.verbosity,
            minutes=scenario.minutes,
            tools=scenario.tools,
        )


def compose(scenario: Scenario, day: int = 0, variation: Variation = PLAIN) -> Composition:
    """Day number *day* (from 0) of *scenario*, fully determined.

    Raises CompositionError where the tasks do not go together, UnknownRule for an unknown
    rule or parameter.
    """
    if not 0 <= day < len(scenario.days):
        raise CompositionError(f"{scenario.name} has {len(scenario.days)} days, not {day + 1}")
    if not scenario.days[day].tasks:
        raise CompositionError(f"{scenario.name}: {scenario.days[day].name} has no tasks")
    today = FIRST_DAY + timedelta(days=day)
    bounds = Day(datetime.combine(today, scenario.starts), datetime.combine(today, scenario.ends))
    company = found_company(f"{scenario.seed}/{scenario.name}", scenario.company_size)
    commons = Commons()
    tasks: dict[str, ComposedTask] = {}
    keyed = _keyed(scenario, day)
    ids = {key: f"T{number}" for number, (key, _) in enumerate(keyed, start=1)}
    for key, spec in causes_first(keyed):
        place = _Place(ids[key], key, company, bounds, commons, variation.twist, tasks)
        tasks[ids[key]] = _compose_task(scenario, place, spec)
    ordered = tuple(tasks[id] for id in ids.values())
    refuse_collisions([task.scene for task in ordered])
    refuse_absent_holders([task.scene for task in ordered])
    resolved = Resolved(scenario=_in_order(scenario), day=day, variation=variation)
    return Composition(resolved, company, bounds, ordered)


async def stage_world(
    path: Path | None, scenario: Scenario, day: int = 0, variation: Variation = PLAIN
) -> World:
    """A new world of that day, at *path* or in memory.

    Raises CompositionError, UnknownRule, or WorldFileError if *path* exists.
    """
    composition = compose(scenario, day, variation)
    return await World.create(path, composition.opening(), composition.stage)


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
class _Place:
    """Where a task stands on its day: id, streams, and what it shares with the others."""

    id: str
    key: Key
    company: Company
    day: Day
    commons: Commons
    twist: Mapping[str, int]
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


def _compose_task(scenario: Scenario, place: _Place, spec: TaskSpec) -> ComposedTask:
    day = place.day
    first = _on(day, spec.deadline) or day.ends
    meta_task = instantiate(spec.rule, spec.parameters)
    twists = ((clue.partition("/"), salt) for clue, salt in place.twist.items())
    stage = Stage(
        task=place.id,
        key=place.key,
        company=place.company,
        day=day,
        deadline=first,
        commons=place.commons,
        modality=scenario.modality,
        given=_given(place, spec, meta_task),
        twist={name: salt for (task, _, name), salt in twists if task == place.id},
    )
    scene = meta_task.scene(stage)
    arrives = _arrival(scenario, place, spec, scene, first)
    task = ComposedTask(
        id=place.id,
        rule=spec.rule,
        meta_task=meta_task,
        scene=scene,
        arrives=arrives,
        deadline=_on(day, spec.moved.to if spec.moved else None) or first,
        first_deadline=first,
        moved_at=_on(day, spec.moved.at if spec.moved else None),
        trigger=_trigger(place, spec),
        by_mail=scenario.arrival is Arrival.STREAMED,
    )
    _check_times(task, day)
    return task


def _check_times(task: ComposedTask, day: Day) -> None:
    """Raise CompositionError unless the task's times lie in their order within the day."""
    if not day.starts <= task.arrives < task.first_deadline <= day.ends:
        raise CompositionError(
            f"{task.rule}: it arrives at {task.arrives:%H:%M} and is due at "
            f"{task.first_deadline:%H:%M}; both must lie in this order within "
            f"{day.starts:%H:%M}-{day.ends:%H:%M}"
        )
    moved = task.moved_at
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


def _on(day: Day, clock: time | None) -> datetime | None:
    return None if clock is None else datetime.combine(day.starts, clock)


def _given(place: _Place, spec: TaskSpec, meta_task: MetaTask[Any]) -> Handover | None:
    """What the task takes from another's result. Raises CompositionError if that has none."""
    if spec.takes_from is None:
        return None
    source = place.task(spec, spec.takes_from)
    port, result = meta_task.takes, source.scene.result
    if port is None or result is None or source.meta_task.gives is not port:
        raise CompositionError(f"{spec.rule} cannot take anything from {source.rule}")
    return result


def _trigger(place: _Place, spec: TaskSpec) -> str | None:
    """What the publication waits for. Raises CompositionError if it can never happen."""
    if spec.follows is None:
        return None
    if spec.arrives is not None:
        raise CompositionError(f"{spec.rule} follows another task, so it has no time of arrival")
    cause = place.task(spec, spec.follows.task)
    if spec.follows.when is Cause.SUBMISSION:
        return submitted(cause.id)
    heard = [clue.id for clue in cause.scene.clues if not clue.holder]
    if not heard:
        raise CompositionError(f"nothing is announced in {cause.rule} that {spec.rule} follows")
    return told(heard[0])


def _arrival(
    scenario: Scenario, place: _Place, spec: TaskSpec, scene: Scene[Any], deadline: datetime
) -> datetime:
    """When the task is published; of one that follows another, the earliest moment for it."""
    if spec.follows is not None:
        cause = place.task(spec, spec.follows.task)
        heard = cause.scene.known_by if spec.follows.when is Cause.ANNOUNCEMENT else None
        return max(cause.arrives, heard or cause.arrives)
    given = _on(place.day, spec.arrives)
    if given is not None:
        return given
    if scenario.arrival is Arrival.STREAMED:
        return _drawn_arrival(place, scene, deadline)
    return place.day.starts


def _drawn_arrival(place: _Place, scene: Scene[Any], deadline: datetime) -> datetime:
    """A quarter of an hour in the first three hours, early enough for the task's appointment."""
    latest = min(place.day.starts + timedelta(hours=3), scene.known_by or deadline, deadline)
    quarters = max(1, (latest - place.day.starts) // timedelta(minutes=15))
    return place.day.starts + timedelta(minutes=15) * stream(*place.key, "arrival").randrange(
        quarters
    )


def _publication(task: ComposedTask, guidance: int) -> TaskPublished:
    hints = task.scene.hints
    said = (hints.strategy, hints.where, hints.how)[:guidance]
    return TaskPublished(
        id=task.id,
        title=task.scene.title,
        objective="\n\n".join([task.scene.objective, *(f"Hint: {hint}" for hint in said)]),
        deadline=task.first_deadline,
        by=task.scene.requester,
        mail=task.by_mail,
    )
