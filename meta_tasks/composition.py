"""Composition: the tasks of a day or week, laid on one calendar, and staged as a world.

    Scenario (JSON) ──compose_day──► ComposedDay: company, tasks, scenes ──create_world──► World

Composition is a pure function of the scenario; the order of a day's tasks does not matter. The
world carries the resolved scenario, where no tool reads it. The verifier composes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.absences import check_holders_present
from trainee_bench.meta_tasks.arrivals import (
    Key,
    PlannedTask,
    arrival_plan,
    arrivals_differ,
    at_clock,
    draft_plan,
    drawn_arrival,
    expected_arrivals,
    in_canonical_order,
    keyed_tasks,
)
from trainee_bench.meta_tasks.catalog import make_meta_task, needed_tools
from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.meta_task import ComposableTask, TaskInstance
from trainee_bench.meta_tasks.offices.guest_tasks import generate_in_own_office
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.opened import find_office, resolve_office
from trainee_bench.meta_tasks.scenario import (
    FIRST_DAY,
    FIRST_DAY_OF_WEEK,
    NO_VARIATION,
    Arrival,
    Milestone,
    Scenario,
    ScenarioDay,
    TaskSpec,
    Variation,
)
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    TaskContext,
    TaskOutput,
)
from trainee_bench.meta_tasks.task_times import check_input_settles, check_times
from trainee_bench.world.company.people import Company, create_company
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.task_ids import published_order
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.triggers import submitted_trigger, told_trigger
from trainee_bench.world.world import World

__all__ = ["ComposedDay", "ComposedTask", "compose_day", "create_world"]


def compose_day(
    scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION
) -> ComposedDay:
    """Return day number *day* (from 0) of *scenario*, or the whole of a week, fully determined.

    Raises CompositionError where the tasks do not go together, UnknownRuleError for an unknown rule
    or parameter.
    """
    if not 0 <= day < len(scenario.days):
        raise CompositionError(f"{scenario.name} has {len(scenario.days)} days, not {day + 1}")
    if day not in scenario.world_days:
        raise CompositionError(
            f"{scenario.name} is a week, which is composed as a whole: use day 0"
        )
    numbers = scenario.days_in_world(day)
    if not any(scenario.days[number].tasks for number in numbers):
        raise CompositionError(f"{scenario.name}: {scenario.days[day].name} has no tasks")
    office = find_office(scenario.office) if scenario.office else None
    scenario = resolve_office(scenario)
    days = tuple(_bounds(scenario, number, office) for number in numbers)
    company = _company(scenario, office)
    keyed = [keyed_tasks(scenario, number) for number in numbers]
    plan, offsets = draft_plan(keyed), variation.secret_seed_offsets
    if len(plan) > 1 and any(arrivals_differ(scenario, number) for number in numbers):
        plan = arrival_plan(keyed, *_draft_arrivals(scenario, company, days, plan))
    composed = _compose_tasks(scenario, company, days, plan, offsets)
    _check_office(composed.values(), office)
    ordered = tuple(sorted(composed.values(), key=lambda task: published_order(task.id)))
    check_clue_collisions([task.instance for task in ordered])
    check_holders_present([(task.instance, task.days(days)) for task in ordered])
    resolved = ScenarioDay(scenario=in_canonical_order(scenario), day=day, variation=variation)
    return ComposedDay(resolved, company, days, ordered, office=office)


def _company(scenario: Scenario, office: Office | None) -> Company:
    if office is not None:
        return office.company
    return create_company(f"{scenario.stream_seed}/{scenario.name}", scenario.company_size)


def _check_office(tasks: Iterable[ComposedTask], office: Office | None) -> None:
    """Raise CompositionError for a task of another office than the scenario's."""
    for task in tasks:
        family = task.meta_task.family_class
        if issubclass(family, FolderTask) and (office is None or family.family != office.name):
            raise CompositionError(
                f"{task.rule} is a task of the office {family.family}; the scenario needs "
                f'"office": "{family.family}"'
            )


def _bounds(scenario: Scenario, number: int, office: Office | None) -> WorkingDay:
    """Return when day number *number* of *scenario* begins and ends."""
    first = FIRST_DAY_OF_WEEK if scenario.week else FIRST_DAY
    if office is not None:
        first = office.first_day(week=scenario.week)
    today = first + timedelta(days=number)
    return WorkingDay(
        datetime.combine(today, scenario.starts), datetime.combine(today, scenario.ends)
    )


async def create_world(
    path: Path | None, scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION
) -> World:
    """Create a world of that day, at *path* or in memory.

    Raises CompositionError, UnknownRuleError, or WorldFileError if *path* exists.
    """
    composition = compose_day(scenario, day, variation)
    return await World.create(path, composition.world_config(), composition.populate)


def _compose_tasks(
    scenario: Scenario,
    company: Company,
    days: Sequence[WorkingDay],
    plan: Sequence[PlannedTask],
    offsets: Mapping[str, int],
) -> dict[Key, ComposedTask]:
    """Return the tasks of *plan*, composed in its order."""
    commons, made = DayReservations(), dict[Key, ComposedTask]()
    for planned in plan:
        place = _TaskSlot(planned, company, tuple(days), commons, offsets, made)
        made[planned.key] = _compose_task(scenario, place)
    return made


def _draft_arrivals(
    scenario: Scenario, company: Company, days: Sequence[WorkingDay], plan: Sequence[PlannedTask]
) -> tuple[dict[Key, datetime], dict[Key, Key]]:
    """Return when tasks arrive, and the first cause of each that follows another.

    Appointments decide by when a task has to be known, so a draft of them comes first. A week, or a
    day without complications, is drafted with all tasks, since tasks take hours and people before
    one another. Otherwise the draft has only the tasks with appointments, without complications.
    """
    made = {
        planned.key: make_meta_task(planned.spec.rule, planned.spec.parameters) for planned in plan
    }
    appointed = {key for key, task in made.items() if task.family_class.keeps_appointment}
    complicated = any(task.complications for task in made.values())
    if scenario.week or (appointed and not complicated):
        draft = _compose_tasks(scenario, company, days, plan, {})
        return {key: task.arrives for key, task in draft.items()}, _first_causes(draft)
    (bounds,), commons = days, DayReservations()

    def known_by(planned: PlannedTask) -> datetime | None:
        if planned.key not in appointed:
            return None
        alone = replace(planned, spec=planned.spec.model_copy(update={"takes_from": None}))
        place = _TaskSlot(alone, company, (bounds,), commons, {}, {})
        meta_task = made[planned.key]
        context = _task_context(scenario, place, meta_task, bounds.starts)
        return _generate(scenario, planned.spec.rule, meta_task.plain, context).told.must_know_by

    return expected_arrivals(plan, bounds, scenario.arrival is Arrival.STREAMED, known_by)


def _first_causes(tasks: Mapping[Key, ComposedTask]) -> dict[Key, Key]:
    """Return, for each task that follows another, the first cause in its chain."""
    keys = {task.id: key for key, task in tasks.items()}

    def first(task: ComposedTask) -> ComposedTask:
        return first(tasks[keys[task.cause]]) if task.cause else task

    return {key: keys[first(task).id] for key, task in tasks.items() if task.cause}


@dataclass(frozen=True)
class _TaskSlot:
    """The slot of a task in its world: id, streams, and what it shares with other tasks."""

    planned: PlannedTask
    company: Company
    days: tuple[WorkingDay, ...]
    commons: DayReservations
    seed_offsets: Mapping[str, int]
    before: Mapping[Key, ComposedTask]

    @property
    def spec(self) -> TaskSpec:
        """The task's specification in the scenario."""
        return self.planned.spec

    @property
    def day(self) -> WorkingDay:
        """The day on which the task is published."""
        return self.days[self.planned.place]

    def due_place(self, meta_task: ComposableTask) -> int:
        """Return the index of the day on which the task is due if it is made as *meta_task*."""
        if self.spec.due_day is not None:
            return self.spec.due_day
        return len(self.days) - 1 if meta_task.family_class.whole_week else self.planned.place

    def deadlines(self, meta_task: ComposableTask) -> tuple[datetime, datetime]:
        """Return the deadline with which *meta_task* is published, and the final one."""
        day = self.days[self.due_place(meta_task)]
        usual = meta_task.family_class.usual_deadline
        first = at_clock(day, self.spec.deadline or usual) or day.ends
        moved = self.spec.moved.to if self.spec.moved else None
        return first, at_clock(day, moved) or first

    def task(self, rule: str) -> ComposedTask:
        """Return the task of the day that this one names by its *rule*. Raises CompositionError."""
        today = self.planned.place
        found = [t for t in self.before.values() if t.rule == rule and t.published_place == today]
        if len(found) != 1:
            raise CompositionError(
                f"{self.spec.rule} names {rule} as the task it depends on; the day must have "
                "exactly one task of that rule"
            )
        if found[0].due_place != today:
            raise CompositionError(
                f"{self.spec.rule} names {rule} as the task it depends on; that has to be due on "
                "the same day"
            )
        return found[0]

    @property
    def cause(self) -> ComposedTask | None:
        """The task that this one follows, if any. If it takes its input from a task that follows
        another, it follows that task as well, since there is no input earlier."""
        if self.spec.follows is not None:
            return self.task(self.spec.follows.task)
        source = self.task(self.spec.takes_from) if self.spec.takes_from else None
        return source if source is not None and source.trigger is not None else None


def _compose_task(scenario: Scenario, place: _TaskSlot) -> ComposedTask:
    day, spec, cause = place.day, place.spec, place.cause
    meta_task = make_meta_task(spec.rule, spec.parameters)
    if lacking := sorted(needed_tools([spec.rule]).difference(scenario.tools or ())):
        raise CompositionError(
            f"{spec.rule} needs the tool {lacking[0]}, which the scenario does not offer: name it "
            'in its "tools", beside the apps'
        )
    if meta_task.family_class.whole_week and not scenario.week:
        raise CompositionError(f"{spec.rule} takes several days: it can only be a task of a week")
    due_place = place.due_place(meta_task)
    due_day = place.days[due_place]
    first, final = place.deadlines(meta_task)
    earliest = _earliest_arrival(place, cause)
    context = _task_context(scenario, place, meta_task, earliest)
    scene = _generate(scenario, spec.rule, meta_task, context)
    arrives, streamed = earliest, scenario.arrival is Arrival.STREAMED
    if streamed and cause is None and spec.arrives is None and place.planned.arrives is None:
        latest = min(scene.told.must_know_by or first, first)
        arrives = max(earliest, drawn_arrival(place.planned.key, day.starts, latest))
    task = ComposedTask(
        id=place.planned.id,
        rule=spec.rule,
        meta_task=meta_task,
        instance=scene,
        arrives=arrives,
        deadline=final,
        first_deadline=first,
        deadline_moves_at=at_clock(due_day, spec.moved.at if spec.moved else None),
        cause=cause.id if cause else "",
        trigger=_trigger(spec, cause) if cause else None,
        may_come_until=min(cause.deadline, cause.may_come_until or day.ends) if cause else None,
        by_mail=streamed,
        worth=spec.worth,
        published_place=place.planned.place,
        due_place=due_place,
    )
    check_times(task, day, due_day)
    check_input_settles(task, _task_input(place, meta_task))
    return task


def _generate(
    scenario: Scenario, rule: str, meta_task: ComposableTask, context: TaskContext
) -> TaskInstance[Any]:
    if scenario.office:
        return generate_in_own_office(meta_task, rule, context)
    return meta_task.generate(context)


def _task_context(
    scenario: Scenario, place: _TaskSlot, meta_task: ComposableTask, published: datetime
) -> TaskContext:
    """Return the context of the task of *place*. Raises CompositionError if there is no input for
    it."""
    office = find_office(scenario.office) if scenario.office else None
    offsets = ((clue.partition("/"), offset) for clue, offset in place.seed_offsets.items())
    return TaskContext(
        task=place.planned.id,
        key=place.planned.key,
        company=place.company,
        day=place.day,
        deadline=min(place.deadlines(meta_task)),  # appointments fit before it, wherever it moves
        reservations=place.commons,
        modality=scenario.modality,
        task_input=_task_input(place, meta_task),
        secret_seed_offsets={
            name: offset for (task, _, name), offset in offsets if task == place.planned.id
        },
        published=published,
        week=place.days if scenario.week else (),
        changes_from=place.spec.changes_from,
        rooms=office.rooms if office is not None else ROOMS,
        company_pages=office is None or office.file.handbook,
    )


def _task_input(place: _TaskSlot, meta_task: ComposableTask) -> TaskOutput | None:
    """Return the task's input from another task's result. Raises CompositionError if there is
    none."""
    if place.spec.takes_from is None:
        return None
    source = place.task(place.spec.takes_from)
    port, result = meta_task.family_class.input_type, source.instance.graded.task_output
    if port is None or result is None or source.meta_task.family_class.output_type is not port:
        raise CompositionError(f"{place.spec.rule} cannot take its input from {source.rule}")
    return result


def _trigger(spec: TaskSpec, cause: ComposedTask) -> str:
    """Return the trigger of the publication. Raises CompositionError if it can never fire."""
    if spec.arrives is not None:
        raise CompositionError(f"{spec.rule} follows another task, so it has no time of arrival")
    if spec.follows is None:
        assert cause.trigger is not None
        return cause.trigger
    if spec.follows.when is Milestone.SUBMISSION:
        return submitted_trigger(cause.id)
    heard = [clue.id for clue in cause.instance.hidden.clues if not clue.holder]
    if not heard:
        raise CompositionError(f"nothing is announced in {cause.rule} that {spec.rule} follows")
    return told_trigger(heard[0])


def _earliest_arrival(place: _TaskSlot, cause: ComposedTask | None) -> datetime:
    """Return the earliest time at which the task can be published. Raises CompositionError if its
    input comes later."""
    spec = place.spec
    if cause is not None:
        announced = spec.follows is not None and spec.follows.when is Milestone.ANNOUNCEMENT
        heard = cause.instance.told.must_know_by if announced else None
        return max(cause.arrives, heard or cause.arrives)
    given = at_clock(place.day, spec.arrives) or place.planned.arrives
    source = place.task(spec.takes_from) if spec.takes_from else None
    known = source.arrives if source else place.day.starts
    if given is not None and source is not None and given < known:
        raise CompositionError(
            f"{spec.rule} arrives at {given:%H:%M}, before {spec.takes_from}, whose result it takes"
        )
    return given or known
