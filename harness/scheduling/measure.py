"""The schedule of a worked day: what a picture shows of it, and its figures.

world, composition, window ──► MeasuredDay ──grades──► ScheduleFigures
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from trainee_bench.harness.records.schedule_figures import ScheduleFigures, TaskTiming
from trainee_bench.harness.scheduling.asking import Colleagues, request_change
from trainee_bench.harness.scheduling.attribution import (
    AttributedCall,
    attribute_calls,
    question_tasks,
)
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.harness.scheduling.idle import idle_spans, open_tasks, waiting_spans
from trainee_bench.harness.scheduling.spans import (
    Span,
    joined,
    minutes_between,
    total_minutes,
)
from trainee_bench.harness.scheduling.value import DeliveredTask, measure_value
from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.world import World


@dataclass(frozen=True)
class TaskLane:
    """One task as a picture shows it.

    ``worked`` is when calls belonged to it, ``asked`` when a question to a colleague of its scene
    was unanswered, ``submitted`` and ``too_late`` when it was handed in, and was tried too late.
    """

    timing: TaskTiming
    title: str
    worked: tuple[Span, ...]
    asked: tuple[Span, ...]
    submitted: tuple[datetime, ...]
    too_late: tuple[datetime, ...]


@dataclass(frozen=True)
class MeasuredDay:
    """A worked day: lanes of its tasks, when nothing was done, and its figures without a value."""

    window: WorkingDay
    lanes: tuple[TaskLane, ...]
    waiting: tuple[Span, ...]
    idle: tuple[Span, ...]
    stopped: datetime
    figures: ScheduleFigures

    def with_grades(
        self, graded: Sequence[DeliveredTask], best_worth: int | None
    ) -> ScheduleFigures:
        """The figures with the value that the grades give."""
        value = measure_value(graded, self.figures.tasks, best_worth)
        return self.figures.model_copy(update={"value": value})


async def measure_day(
    world: World, composition: ComposedDay, window: WorkingDay | None = None
) -> MeasuredDay:
    """The schedule of the day worked in *world*, which was staged from *composition*.

    *window* is the part that is measured, by default all of it; of a world with several days, one
    of them.
    """
    day = await read_day_trace(world, composition, window)
    calls, colleagues = attribute_calls(day), Colleagues(day)
    questions = colleagues.open_questions(question_tasks(day, calls))
    tasks = [task for task in composition.tasks if _belongs(task, day.window)]
    waiting = waiting_spans(day, calls)
    idle = idle_spans(waiting, open_tasks(day, colleagues, calls, questions))
    others = [call for call in calls if not call.task]
    lanes = tuple(_lane(day, task, calls) for task in tasks)
    figures = ScheduleFigures(
        tasks=tuple(lane.timing for lane in lanes),
        questions=colleagues.questions(),
        facts_never_told=colleagues.never_told(),
        waiting_minutes=total_minutes(waiting),
        idle_minutes=total_minutes(idle),
        switches=_switches(calls),
        other_calls=len(others),
        other_minutes=sum(_minutes(call) for call in others),
    )
    asked = {
        task.id: joined(one.span for one in questions if task.id in one.tasks) for task in tasks
    }
    return MeasuredDay(
        window=day.window,
        lanes=tuple(replace(lane, asked=asked[lane.timing.task]) for lane in lanes),
        waiting=waiting,
        idle=idle,
        stopped=day.stopped,
        figures=figures,
    )


async def measure_schedule(world: World, composition: ComposedDay) -> MeasuredDay | None:
    """The schedule of an episode that was worked in *world*: that of its day. A week has none, as
    the figures are those of one day."""
    return await measure_day(world, composition) if len(composition.days) == 1 else None


def _belongs(task: ComposedTask, window: WorkingDay) -> bool:
    """Whether *task* can be worked on in *window*."""
    return task.arrives < window.ends and task.deadline > window.starts


def _lane(day: DayTrace, task: ComposedTask, calls: Sequence[AttributedCall]) -> TaskLane:
    own = [call for call in calls if call.task == task.id]
    attempts = day.submissions(task.id)
    accepted = tuple(entry.at for entry in attempts if entry.ok)
    refused = tuple(e.at for e in attempts if not e.ok and e.at >= task.deadline)
    change = request_change(day, task)
    standing = [at for at in accepted if change is None or at >= change]
    late = 0 if standing else None
    if not standing and refused:
        late = minutes_between(task.deadline, refused[0])
    timing = TaskTiming(
        task=task.id,
        published=day.published.get(task.id),
        deadline=task.deadline,
        began=own[0].entry.at if own else None,
        submitted=standing[-1] if standing else None,
        minutes_late=late,
        calls=len(own),
        minutes=sum(_minutes(call) for call in own),
    )
    worked = joined(Span(call.entry.at, call.entry.until) for call in own)
    return TaskLane(timing, task.instance.title, worked, (), accepted, refused)


def _minutes(call: AttributedCall) -> int:
    return minutes_between(call.entry.at, call.entry.until)


def _switches(calls: Sequence[AttributedCall]) -> int:
    """How often a call belongs to another task than the one before that belonged to any."""
    tasks = [call.task for call in calls if call.task]
    return sum(one != other for one, other in pairwise(tasks))
