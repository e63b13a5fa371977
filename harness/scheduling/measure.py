"""Measure the schedule of a worked day, or of each day of a week.

world, composition, window ──► MeasuredDay ──grades──► ScheduleFigures
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from trainee_bench.harness.records.schedule_figures import ScheduleFigures, TaskTiming, ValueFigures
from trainee_bench.harness.scheduling.asking import Colleagues, OpenQuestion, request_change
from trainee_bench.harness.scheduling.attribution import (
    AttributedCall,
    attribute_calls,
    question_tasks,
)
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.harness.scheduling.idle import idle_spans, open_tasks, waiting_spans
from trainee_bench.harness.scheduling.spans import Span, joined, minutes_between, total_minutes
from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import ScoredTask, counted_score
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.world import World


class LossCause(StrEnum):
    """Why a task, or a part of it, was not delivered; see `measure_value`."""

    NEVER_BEGUN = "never_begun"
    LATE = "late"
    WRONG = "wrong"
    HARMED = "harmed"


def measure_value(
    graded: Sequence[ScoredTask],
    timings: Sequence[TaskTiming],
    best_worth: int | None,
    bound: int | None = None,
) -> ValueFigures | None:
    """Return the value of a day, or of the tasks of a week due on it; None if one was not graded.

    A task's value is its worth; without worths it is its number of days, which is 1 outside of
    weeks. A task delivers the share of its value that its score counts for (`counted_score`), or
    nothing if it did harm. A task that did harm loses that share to *harmed*. The rest is lost to
    *never_begun* if no call belongs to the task, to *late* if no submission counts at its deadline,
    else to *wrong*.

    The optimum is *best_worth*, or the sum of all values. Tasks that the best plan also leaves out
    are no loss: they reduce *never_begun* first, then *late*, *wrong* and *harmed*. The day's
    *bound* is reported next to the optimum.
    """
    if any(task.score is None for task in graded):
        return None
    by_id = {timing.task: timing for timing in timings}
    lost = dict.fromkeys(LossCause, 0.0)
    delivered = possible = 0.0
    for task in graded:
        value, score = float(task.worth or task.days), counted_score(task, best_worth)
        if task.harm and best_worth is not None:
            score = float(task.score == 1)
        possible += value
        lost[_cause(by_id[task.task])] += value * (1 - score)
        if task.harm:
            lost[LossCause.HARMED] += value * score
        else:
            delivered += value * score
    optimum = possible if best_worth is None else float(best_worth)
    kept = _without(lost, min(possible - optimum, sum(lost.values())))
    return ValueFigures(
        optimum=optimum,
        bound=None if bound is None else float(bound),
        delivered=round(delivered, 6),
        **{cause.value: round(kept[cause], 6) for cause in LossCause},
    )


def _cause(timing: TaskTiming) -> LossCause:
    """Return why a task has less than its full score."""
    if timing.began is None:
        return LossCause.NEVER_BEGUN
    return LossCause.LATE if timing.submitted is None else LossCause.WRONG


def _without(lost: Mapping[LossCause, float], spare: float) -> dict[LossCause, float]:
    """Return *lost* minus *spare*, taken from the causes in their order."""
    kept = {}
    for cause in LossCause:
        taken = min(lost[cause], spare)
        kept[cause] = lost[cause] - taken
        spare -= taken
    return kept


@dataclass(frozen=True)
class HandIn:
    """When the submission that counts was made, and how late the task was; None if never.

    ``sure`` is how sure the employee said to be of it, in percent; None if they did not say.
    """

    submitted: datetime | None
    minutes_late: int | None
    sure: int | None = None


@dataclass(frozen=True)
class TaskLane:
    """One task in the picture of its day.

    ``worked`` has the times of its calls. ``asked`` has the times at which a question to a
    colleague of its scene was unanswered, perhaps since an earlier day. ``submitted`` and
    ``too_late`` have the accepted submissions and the attempts after the deadline.
    """

    timing: TaskTiming
    title: str
    worked: tuple[Span, ...]
    asked: tuple[Span, ...]
    submitted: tuple[datetime, ...]
    too_late: tuple[datetime, ...]


@dataclass(frozen=True)
class MeasuredDay:
    """A worked day: lanes of its tasks, times without calls, and its figures without a value."""

    window: WorkingDay
    lanes: tuple[TaskLane, ...]
    waiting: tuple[Span, ...]
    idle: tuple[Span, ...]
    stopped: datetime
    figures: ScheduleFigures
    thinking: tuple[Span, ...] = ()

    def with_grades(
        self, graded: Sequence[ScoredTask], best_worth: int | None, bound: int | None = None
    ) -> ScheduleFigures:
        """Return the figures with the value that the grades give, and with the *bound* of the
        day."""
        value = measure_value(graded, self.figures.tasks, best_worth, bound)
        return self.figures.model_copy(update={"value": value})


async def measure_day(
    world: World, composition: ComposedDay, window: WorkingDay | None = None
) -> MeasuredDay:
    """Measure the schedule of the day worked in *world*, which was staged from *composition*.

    *window* is the part to measure: by default the whole day, for a week the first day.
    """
    trace = await read_day_trace(world, composition, window)
    return _measure(trace, attribute_calls(trace))


async def measure_days(world: World, composition: ComposedDay) -> tuple[MeasuredDay, ...]:
    """Measure the schedules of all days worked in *world*: its one day, or each day of its week."""
    trace = await read_day_trace(world, composition)
    calls = attribute_calls(trace)
    return tuple(_measure(replace(trace, window=day), calls) for day in composition.days)


async def read_hand_ins(world: World, composition: ComposedDay) -> dict[str, HandIn]:
    """Return how each task of *composition* was submitted by the end of its due day, by task id."""
    trace = await read_day_trace(world, composition)
    return {
        task.id: _hand_in(replace(trace, window=composition.days[task.due_place]), task)
        for task in composition.tasks
    }


def add_values(
    composition: ComposedDay,
    measured: Sequence[MeasuredDay],
    graded: Sequence[ScoredTask],
    bound: int | None = None,
) -> tuple[ScheduleFigures, ...]:
    """Return the figures of each *measured* day, with the value of the tasks that are due on it.

    *bound* is the day's bound, if it is known.
    """
    due = {task.id: task.due_place for task in composition.tasks}
    best_worth = composition.spec.best_worth
    return tuple(
        day.with_grades([grade for grade in graded if due[grade.task] == place], best_worth, bound)
        for place, day in enumerate(measured)
    )


def _measure(day: DayTrace, calls: Sequence[AttributedCall]) -> MeasuredDay:
    """Measure the schedule of the window of *day*; *calls* are those of the whole log."""
    colleagues, own = Colleagues(day), [call for call in calls if day.span.holds(call.entry.at)]
    questions = colleagues.open_questions(question_tasks(day, calls))
    waiting = waiting_spans(day, own)
    idle = idle_spans(waiting, open_tasks(day, colleagues, calls, questions))
    others = [call for call in own if not call.task]
    lanes = tuple(_lane(day, task, calls, questions) for task in day.tasks)
    figures = ScheduleFigures(
        tasks=tuple(lane.timing for lane in lanes),
        questions=colleagues.questions(),
        facts_never_told=colleagues.never_told(),
        waiting_minutes=total_minutes(waiting),
        idle_minutes=total_minutes(idle),
        thinking_minutes=total_minutes(day.thinking),
        switches=_switches(own),
        other_calls=len(others),
        other_minutes=sum(_minutes(call) for call in others),
    )
    return MeasuredDay(
        window=day.window,
        lanes=lanes,
        waiting=waiting,
        idle=idle,
        stopped=day.stopped,
        figures=figures,
        thinking=day.thinking,
    )


def _lane(
    day: DayTrace,
    task: ComposedTask,
    calls: Sequence[AttributedCall],
    questions: Sequence[OpenQuestion],
) -> TaskLane:
    before = [call for call in calls if call.task == task.id and call.entry.at < day.window.ends]
    own = [call for call in before if day.span.holds(call.entry.at)]
    accepted = [entry.at for entry in day.submissions(task.id) if entry.ok]
    hand_in = _hand_in(day, task)
    timing = TaskTiming(
        task=task.id,
        published=day.published.get(task.id),
        deadline=task.deadline,
        began=before[0].entry.at if before else None,
        submitted=hand_in.submitted,
        minutes_late=hand_in.minutes_late,
        calls=len(own),
        minutes=sum(_minutes(call) for call in own),
    )
    asked = joined(question.span for question in questions if task.id in question.tasks)
    return TaskLane(
        timing,
        task.instance.told.title,
        worked=joined(Span(call.entry.at, call.entry.until) for call in own),
        asked=tuple(span for span in asked if span.within(day.span) is not None),
        submitted=tuple(at for at in accepted if day.span.holds(at)),
        too_late=tuple(at for at in _refused(day, task) if day.span.holds(at)),
    )


def _hand_in(day: DayTrace, task: ComposedTask) -> HandIn:
    """Return how *task* was submitted by the end of the window."""
    standing = _standing_submission(day, task)
    late = 0 if standing else _minutes_late(day, task)
    return HandIn(standing, late, day.sure.get(task.id) if standing else None)


def _standing_submission(day: DayTrace, task: ComposedTask) -> datetime | None:
    """Return when the submission of *task* that counts at the end of the window was made, None if
    none."""
    ends, change = day.window.ends, request_change(day, task)
    since = change if change is not None and change < ends else day.composition.day.starts
    attempts = (entry.at for entry in day.submissions(task.id) if entry.ok)
    return max((at for at in attempts if since <= at < ends), default=None)


def _minutes_late(day: DayTrace, task: ComposedTask) -> int | None:
    """Return how late the first attempt to submit *task* was, if no submission of it counts.

    None if there was no attempt, 0 if the task is due on a later day.
    """
    if task.deadline > day.window.ends:
        return 0
    refused = _refused(day, task)
    return day.working_minutes(task.deadline, refused[0]) if refused else None


def _refused(day: DayTrace, task: ComposedTask) -> list[datetime]:
    """Return the times of the attempts to submit *task* after its deadline."""
    return [e.at for e in day.submissions(task.id) if not e.ok and e.at >= task.deadline]


def _minutes(call: AttributedCall) -> int:
    return minutes_between(call.entry.at, call.entry.until)


def _switches(calls: Sequence[AttributedCall]) -> int:
    """Count the changes of task between successive calls that belong to one."""
    tasks = [call.task for call in calls if call.task]
    return sum(before != after for before, after in pairwise(tasks))
