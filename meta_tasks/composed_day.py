"""A composed day or week: its company, times, tasks and scenes, and how it becomes a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from trainee_bench.meta_tasks.arrivals import DRAWN_ARRIVALS_END, full_hour
from trainee_bench.meta_tasks.company_documents import enqueue_ordinary_events, initial_events
from trainee_bench.meta_tasks.meta_task import ComposableTask, TaskInstance
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, GeneratorVersions, ScenarioDay
from trainee_bench.world.apps.desk import DeadlineMoved, RequestChanged, TaskPublished
from trainee_bench.world.colleagues.knowledge import ClueAdded, ExpectationAdded
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Company
from trainee_bench.world.transaction import Event, Transaction, WorkingDay
from trainee_bench.world.triggers import TriggeredEvent
from trainee_bench.world.week import LaterDay, name_day, span_weeks
from trainee_bench.world.world import WorldConfig


@dataclass(frozen=True)
class ComposedTask:
    """A task of a composed day or week: the id that the agent sees, its rule, its scene.

    ``deadline`` is the final one, ``first_deadline`` the one it is published with. A task with a
    ``cause`` (the id of another task) has a ``trigger``: it is not published before the trigger
    fires, which can happen until ``may_come_until``. ``published_place`` and ``due_place`` are the
    indices, in its world, of the days on which it is published and due. ``name`` is how other tasks
    of its scenario may name it. With ``after_night`` its trigger fires on an earlier day or never,
    and it comes no earlier than it ``arrives``.
    """

    id: str
    rule: str
    meta_task: ComposableTask
    instance: TaskInstance[Any]
    arrives: datetime
    deadline: datetime
    first_deadline: datetime
    deadline_moves_at: datetime | None = None
    cause: str = ""
    trigger: str | None = None
    may_come_until: datetime | None = None
    by_mail: bool = False
    worth: int | None = None
    published_place: int = 0
    due_place: int = 0
    name: str = ""
    after_night: bool = False

    @property
    def length(self) -> int:
        """The number of days that it takes, which is its weight among the tasks of a week."""
        return self.due_place - self.published_place + 1

    @property
    def answers_needed_by(self) -> datetime:
        """The time by which colleagues have to have answered: the deadline, or its appointment."""
        by = min(self.deadline, self.first_deadline)
        return min(by, self.instance.told.must_know_by or by)

    def days(self, days: Sequence[WorkingDay]) -> tuple[WorkingDay, ...]:
        """Return the *days* of its world from the day on which it is published to the day on which
        it is due."""
        return tuple(days[self.published_place : self.due_place + 1])


@dataclass(frozen=True)
class ComposedDay:
    """A day, or the ``days`` of a week, fully determined: company, times, tasks and scenes.

    `on_day` makes the week as an agent has it on one of its days, number ``place``. ``told_ahead``
    says whether facts are told on that day for a task that comes later.
    """

    scenario_day: ScenarioDay
    company: Company
    days: tuple[WorkingDay, ...]
    tasks: tuple[ComposedTask, ...]
    place: int = 0
    office: Office | None = None
    told_ahead: bool = False

    @property
    def day(self) -> WorkingDay:
        """The day, or the first day of a week."""
        return self.days[0]

    @property
    def today(self) -> WorkingDay:
        """The day for which `on_day` made it."""
        return self.days[self.place]

    @property
    def ends(self) -> datetime:
        """The end of its last day."""
        return self.days[-1].ends

    @property
    def spans_weeks(self) -> bool:
        """Whether its days lie in several calendar weeks."""
        return span_weeks(self.day.starts, self.ends)

    @property
    def counts_messages_by_day(self) -> bool:
        """Whether damage by messages is counted on each day: where honest work asks many people the
        same in many tasks."""
        several = len(self.days) > 1
        return self.spans_weeks or (several and self.scenario_day.scenario.copies)

    def day_name(self, day: datetime) -> str:
        """Return the name of one of its days: the weekday, with the date if several weeks have
        one."""
        return name_day(day, dated=self.spans_weeks)

    def on_day(self, place: int) -> ComposedDay:
        """Return the same with only the tasks that exist on its day number *place*: published by
        then, and not due earlier."""
        there = (t for t in self.tasks if t.published_place <= place <= t.due_place)
        ahead = (starts for t in self.tasks for starts in t.instance.hidden.told_ahead.values())
        told = any(self.days[place].starts in starts for starts in ahead)
        return replace(self, tasks=tuple(there), place=place, told_ahead=told)

    def with_plan(
        self, *, order: Sequence[str] | None = None, best: Sequence[str] | None = None
    ) -> ComposedDay:
        """Return the same day with another *order* of honest work, or with other rules in its
        *best* plan. Neither tasks nor scenes depend on them."""
        wanted = {"order": order, "best": best}
        update = {name: tuple(rules) for name, rules in wanted.items() if rules is not None}
        scenario, place = self.scenario_day.scenario, self.scenario_day.day
        days = [*scenario.days]
        days[place] = days[place].model_copy(update=update)
        planned = scenario.model_copy(update={"days": tuple(days)})
        return replace(
            self, scenario_day=self.scenario_day.model_copy(update={"scenario": planned})
        )

    @property
    def carried_over(self) -> frozenset[str]:
        """The ids of the tasks that were published before the present day."""
        return frozenset(task.id for task in self.tasks if task.published_place < self.place)

    @property
    def whole_week(self) -> frozenset[str]:
        """The ids of the tasks that take a week."""
        return frozenset(task.id for task in self.tasks if task.meta_task.family_class.whole_week)

    @property
    def deliverable_paths(self) -> tuple[str, ...]:
        """The paths of all files that the day's tasks ask for, task by task."""
        return tuple(path for task in self.tasks for path in task.instance.told.deliverable_paths)

    @property
    def spec(self) -> DaySpec:
        """The day's specification in its scenario."""
        return self.scenario_day.scenario.days[self.scenario_day.day]

    @property
    def worthwhile_tasks(self) -> tuple[ComposedTask, ...]:
        """The tasks that the best plan does: all of them, unless there is more work than hours."""
        best = self.spec.best
        return tuple(task for task in self.tasks if not best or task.rule in best)

    def tasks_until(self, day: WorkingDay) -> datetime | None:
        """Return until when further tasks may come on one of its days, rounded up to the full hour;
        None if all are there from the start. On a streamed day this reveals nothing about the tasks
        that do come."""
        come = [task for task in self.tasks if task.arrives < day.ends]
        latest = [task.arrives for task in come if task.trigger is None or task.after_night]
        latest += [min(t.may_come_until, t.deadline) for t in come if t.may_come_until]
        if self.scenario_day.scenario.arrival is Arrival.STREAMED:
            latest.append(day.starts + DRAWN_ARRIVALS_END)
        last = max(latest, default=day.starts)
        return min(day.ends, full_hour(last)) if last > day.starts else None

    def populate(self, tx: Transaction) -> None:
        """Set up a new world for this day. Before a task is published, nothing of it exists but
        what everybody knows: its parts are staged just before, in the same action."""
        Directory(tx).add([*self.company.people, self.company.trainee])
        enqueue_ordinary_events(
            tx, self.company, self.days, self.scenario_day, self._office_events()
        )
        if self.office is not None:
            for at, event in self.office.later_events(self.day.starts, self.ends):
                tx.enqueue(at, event)
        variation, guidance = self.scenario_day.variation, self.scenario_day.scenario.guidance
        for planned in (p for task in self.tasks for p in task.instance.hidden.events):
            if planned.known_before and planned.due is not None:
                tx.enqueue(planned.due, planned.event)
        tasks = [task for task in self.tasks if task.id not in variation.unstaged]
        for task in tasks:
            for clue in task.instance.hidden.clues:
                ahead = task.instance.hidden.told_ahead.get(clue.id, ())
                if clue.id in variation.withheld:
                    continue
                if ahead:
                    tx.enqueue(min(ahead), ClueAdded(clue=clue))
                else:
                    self._stage(tx, task, ClueAdded(clue=clue))
            for expectation in task.instance.hidden.expectations:
                self._stage(tx, task, ExpectationAdded(expectation=expectation))
            for planned in task.instance.hidden.events:
                known = planned.known_before and planned.due is not None
                if not known and not isinstance(planned.event, RequestChanged):
                    self._stage(tx, task, planned.event, planned.due)
        for task in tasks:
            self._stage(tx, task, _publication(task, guidance))
            for planned in task.instance.hidden.events:
                if isinstance(planned.event, RequestChanged):  # it needs the request
                    self._stage(tx, task, planned.event, planned.due)
            if task.deadline_moves_at is not None:
                moved = DeadlineMoved(task=task.id, deadline=task.deadline, mail=task.by_mail)
                self._stage(tx, task, moved, task.deadline_moves_at)

    def _office_events(self) -> Sequence[Event] | None:
        """Return the events that set up an own office; None for the built-in company."""
        if self.office is None:
            return None
        usual = initial_events(self.company) if self.office.file.handbook else ()
        return (*usual, *self.office.first_events(self.day.starts))

    def _stage(
        self, tx: Transaction, task: ComposedTask, event: Event, due: datetime | None = None
    ) -> None:
        """Let *event* happen at *due*, but not before *task* is published."""
        if task.trigger is not None:
            morning = max(task.arrives, due or task.arrives) if task.after_night else due
            waiting = TriggeredEvent.of(task.trigger, event, not_before=morning)
            tx.enqueue(self.day.starts, waiting)
        else:
            tx.enqueue(max(task.arrives, due or task.arrives), event)

    @property
    def tool_variants(self) -> Mapping[str, str]:
        """The variant in which tools are offered, by tool: those of its office and its scenario."""
        own = self.office.tool_variants if self.office else {}
        return {**own, **self.scenario_day.scenario.variants}

    def world_config(self) -> WorldConfig:
        """Return the configuration of this day's world."""
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
            tasks_until=self.tasks_until(self.day),
            later_days=tuple(
                LaterDay(starts=day.starts, ends=day.ends, tasks_until=self.tasks_until(day))
                for day in self.days[1:]
            ),
            worth_counts=bool(self.spec.best),
            company_name=self.office.company.name if self.office else "",
            domain=self.office.company.domain if self.office else "",
            rooms=self.office.rooms if self.office else None,
            tool_variants=self.tool_variants,
            roles=self.company.roles,
        )


def _publication(task: ComposedTask, guidance: int) -> TaskPublished:
    hints = task.instance.told.hints
    said = (hints.strategy, hints.where, hints.how)[:guidance]
    return TaskPublished(
        id=task.id,
        title=task.instance.told.title,
        objective="\n\n".join([task.instance.told.objective, *(f"Hint: {hint}" for hint in said)]),
        deadline=task.first_deadline,
        by=task.instance.told.requester,
        mail=task.by_mail,
        worth=task.worth or 0,
        deliverables=task.instance.told.deliverable_paths,
    )
