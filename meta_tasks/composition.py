"""Composition: the tasks of a day or week, laid on one calendar, and staged as a world.

    Scenario (JSON) ──compose_day──► ComposedDay: company, tasks, scenes ──create_world──► World

Composition is a pure function of the scenario; the order of a day's tasks does not matter. The
world carries the resolved scenario, where no tool reads it. The verifier composes it again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.absences import check_holders_present, note_needed
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
    Scenario,
    ScenarioDay,
    Variation,
)
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    TaskContext,
    TaskNotComposed,
)
from trainee_bench.meta_tasks.task_slot import TaskSlot
from trainee_bench.meta_tasks.task_times import check_input_settles, check_times
from trainee_bench.meta_tasks.told_apart import told_apart
from trainee_bench.meta_tasks.working_days import working_date
from trainee_bench.world.company.people import Company, create_company
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.task_ids import published_order
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.world import World

Draws = dict[Hashable, object]
"""Draws that the draft of a world and the world share (see `TaskContext.drawn_alike`)."""

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
    draws: Draws = {}
    if len(plan) > 1 and any(arrivals_differ(scenario, number) for number in numbers):
        plan = arrival_plan(keyed, *_draft_arrivals(scenario, company, days, plan, draws))
    composed = _compose_tasks(scenario, company, days, plan, offsets, draws)
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
    today = working_date(first, number) if scenario.week else first + timedelta(days=number)
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
    draws: Draws,
) -> dict[Key, ComposedTask]:
    """Return the tasks of *plan*, composed in its order. Raises TaskNotComposed."""
    commons, made = DayReservations(), dict[Key, ComposedTask]()
    for planned in plan:
        place = TaskSlot(planned, company, tuple(days), commons, offsets, made, draws)
        try:
            made[planned.key] = _compose_task(scenario, place)
        except CompositionError as error:
            failed = TaskNotComposed(*error.args)
            failed.rule, failed.name = planned.spec.rule, planned.spec.name
            raise failed from error
    return made


def _draft_arrivals(
    scenario: Scenario,
    company: Company,
    days: Sequence[WorkingDay],
    plan: Sequence[PlannedTask],
    draws: Draws,
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
        draft = _compose_tasks(scenario, company, days, plan, {}, draws)
        return {key: task.arrives for key, task in draft.items()}, _first_causes(draft)
    (bounds,), commons = days, DayReservations()

    def known_by(planned: PlannedTask) -> datetime | None:
        if planned.key not in appointed:
            return None
        alone = replace(planned, spec=planned.spec.model_copy(update={"takes_from": None}))
        place = TaskSlot(alone, company, (bounds,), commons, {}, {}, draws)
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


def _compose_task(scenario: Scenario, place: TaskSlot) -> ComposedTask:
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
    earliest = place.earliest_arrival(cause)
    context = _task_context(scenario, place, meta_task, earliest)
    scene = _generate(scenario, spec.rule, meta_task, context)
    if scenario.copies:
        scene = told_apart(scene, place.planned.id)
    arrives, streamed = earliest, scenario.arrival is Arrival.STREAMED
    if streamed and cause is None and spec.arrives is None and place.planned.arrives is None:
        latest = min(scene.told.must_know_by or first, first)
        arrives = max(earliest, drawn_arrival(place.planned.key, day.starts, latest))
    task = ComposedTask(
        id=place.planned.id,
        rule=spec.rule,
        name=spec.name,
        meta_task=meta_task,
        instance=scene,
        arrives=arrives,
        deadline=final,
        first_deadline=first,
        deadline_moves_at=at_clock(due_day, spec.moved.at if spec.moved else None),
        cause=cause.id if cause else "",
        trigger=place.trigger(cause) if cause else None,
        may_come_until=min(cause.deadline, cause.may_come_until or day.ends) if cause else None,
        by_mail=streamed,
        worth=spec.worth,
        published_place=place.planned.place,
        due_place=due_place,
        after_night=cause is not None and place.is_after_night(cause),
    )
    if scenario.copies:
        on = task.days(place.days)
        note_needed(place.commons, task.id, task.instance, on, task.answers_needed_by)
    check_times(task, day, due_day)
    check_input_settles(task, place.task_input(meta_task), day)
    return task


def _generate(
    scenario: Scenario, rule: str, meta_task: ComposableTask, context: TaskContext
) -> TaskInstance[Any]:
    if scenario.office:
        return generate_in_own_office(meta_task, rule, context)
    return meta_task.generate(context)


def _task_context(
    scenario: Scenario, place: TaskSlot, meta_task: ComposableTask, published: datetime
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
        task_input=place.task_input(meta_task),
        secret_seed_offsets={
            name: offset for (task, _, name), offset in offsets if task == place.planned.id
        },
        published=published,
        world_draws=place.draws,
        week=place.week if scenario.week else (),
        world_days=place.days,
        changes_from=place.spec.changes_from,
        rooms=office.rooms if office is not None else ROOMS,
        company_pages=office is None or office.file.handbook,
        copies=scenario.copies,
    )
