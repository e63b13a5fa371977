"""The slot of a task in its world: its days, its times, and the tasks that it depends on.

A task names another by its rule or by its name. A rule means a task of the same day. A name may
also mean a task that is due on an earlier day of the same world.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.meta_tasks.arrivals import Key, PlannedTask, at_clock
from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.meta_tasks.meta_task import ComposableTask
from trainee_bench.meta_tasks.scenario import Milestone, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError, DayReservations, TaskOutput
from trainee_bench.meta_tasks.working_days import days_of_week
from trainee_bench.world.company.people import Company
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.triggers import submitted_trigger, told_trigger


@dataclass(frozen=True)
class TaskSlot:
    """The slot of a task in its world: id, streams, and what it shares with other tasks."""

    planned: PlannedTask
    company: Company
    days: tuple[WorkingDay, ...]
    commons: DayReservations
    seed_offsets: Mapping[str, int]
    before: Mapping[Key, ComposedTask]
    draws: dict[Hashable, object] = field(default_factory=dict)

    @property
    def spec(self) -> TaskSpec:
        """The task's specification in the scenario."""
        return self.planned.spec

    @property
    def day(self) -> WorkingDay:
        """The day on which the task is published."""
        return self.days[self.planned.place]

    @property
    def week(self) -> tuple[WorkingDay, ...]:
        """The days of its world in the calendar week in which the task is published."""
        return days_of_week(self.days, self.planned.place)

    def due_place(self, meta_task: ComposableTask) -> int:
        """Return the index of the day on which the task is due if it is made as *meta_task*: the
        last of its calendar week if it takes a week."""
        if self.spec.due_day is not None:
            return self.spec.due_day
        if meta_task.family_class.whole_week:
            return self.days.index(self.week[-1])
        return self.planned.place

    def deadlines(self, meta_task: ComposableTask) -> tuple[datetime, datetime]:
        """Return the deadline with which *meta_task* is published, and the final one."""
        day = self.days[self.due_place(meta_task)]
        usual = meta_task.family_class.usual_deadline
        first = at_clock(day, self.spec.deadline or usual) or day.ends
        moved = self.spec.moved.to if self.spec.moved else None
        return first, at_clock(day, moved) or first

    def task(self, reference: str) -> ComposedTask:
        """Return the task that this one names by its rule or name. Raises CompositionError."""
        today = self.planned.place
        found = [
            task
            for task in self.before.values()
            if reference == task.name or (reference == task.rule and task.published_place == today)
        ]
        if len(found) != 1:
            raise CompositionError(
                f"{self.spec.rule} names {reference} as the task it depends on; the day must have "
                "exactly one task of that rule, or an earlier day a task with that name"
            )
        (named,) = found
        if named.due_place > today or (named.due_place == today != named.published_place):
            raise CompositionError(
                f"{self.spec.rule} names {reference} as the task it depends on; that has to be due "
                "on the same day as it comes, or on an earlier day"
            )
        return named

    @property
    def cause(self) -> ComposedTask | None:
        """The task that this one follows, if any. If it takes its input from a task that follows
        another, it follows that task as well, since there is no input earlier."""
        if self.spec.follows is not None:
            return self.task(self.spec.follows.task)
        source = self.source
        return source if source is not None and source.trigger is not None else None

    @property
    def source(self) -> ComposedTask | None:
        """The task whose result this one takes, if any."""
        return self.task(self.spec.takes_from) if self.spec.takes_from else None

    def task_input(self, meta_task: ComposableTask) -> TaskOutput | None:
        """Return the result of the source as the input of *meta_task*; None without a source.
        Raises CompositionError if that cannot be its input."""
        source = self.source
        if source is None:
            return None
        port, result = meta_task.family_class.input_type, source.instance.graded.task_output
        if port is None or result is None or source.meta_task.family_class.output_type is not port:
            raise CompositionError(f"{self.spec.rule} cannot take its input from {source.rule}")
        return result

    def is_after_night(self, cause: ComposedTask) -> bool:
        """Return whether the trigger of this task, which follows *cause*, fires on an earlier day
        or never."""
        earlier = cause.due_place < self.planned.place
        return earlier or (self.spec.follows is None and cause.after_night)

    def trigger(self, cause: ComposedTask) -> str:
        """Return the trigger of the publication. Raises CompositionError if it can never fire."""
        spec = self.spec
        if spec.arrives is not None and not self.is_after_night(cause):
            raise CompositionError(
                f"{spec.rule} follows another task, so it has no time of arrival"
            )
        if spec.follows is None:
            assert cause.trigger is not None
            return cause.trigger
        if spec.follows.when is Milestone.SUBMISSION:
            return submitted_trigger(cause.id)
        heard = [clue.id for clue in cause.instance.hidden.clues if not clue.holder]
        if not heard:
            raise CompositionError(f"nothing is announced in {cause.rule} that {spec.rule} follows")
        return told_trigger(heard[0])

    def earliest_arrival(self, cause: ComposedTask | None) -> datetime:
        """Return the earliest time at which the task can be published. Raises CompositionError if
        its input comes later."""
        spec, starts = self.spec, self.day.starts
        if cause is not None and self.is_after_night(cause):
            return at_clock(self.day, spec.arrives) or starts
        if cause is not None:
            announced = spec.follows is not None and spec.follows.when is Milestone.ANNOUNCEMENT
            heard = cause.instance.told.must_know_by if announced else None
            return max(cause.arrives, heard or cause.arrives)
        given = at_clock(self.day, spec.arrives) or self.planned.arrives
        source = self.source
        known = max(starts, source.arrives) if source else starts
        if given is not None and source is not None and given < known:
            raise CompositionError(
                f"{spec.rule} arrives at {given:%H:%M}, before {spec.takes_from}, whose result it "
                "takes"
            )
        return given or known
