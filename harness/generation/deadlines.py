"""Deadlines of a streamed day, as tight as the oracle can still meet.

The oracle works the day without deadlines; then each task is due a little after the oracle
submitted it. Working the day once more proves that the oracle meets them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from random import Random

from trainee_bench.harness.generation.draft import ScenarioDraft
from trainee_bench.harness.generation.rehearsal import Rehearsal, rehearse
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.scenario import DaySpec, DeadlineMove, Milestone, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError

SLACK_MINUTES = (5, 10, 15, 20, 30)
"""Minutes between the oracle's submission and the deadline; one of them is drawn."""
PRIORITY_CHANGE_RATE = 0.6
"""Probability that one deadline of a day is brought forward during the day."""
DEADLINE_GRID = timedelta(minutes=5)
SHORTEST = timedelta(minutes=60)
"""Shortest time for a task if slack is requested.

An oracle reads and calculates in no time what takes others several calls.
"""
_MOVED_FORWARD_MINUTES = (60, 90, 120, 180)
"""Minutes by which a deadline is brought forward; one of them is drawn."""


def call_meetings_at_short_notice(
    draft: ScenarioDraft, days: Sequence[ComposedDay]
) -> tuple[DaySpec, ...]:
    """Return the days of *draft*, with short-notice meetings published as late as possible."""
    specs = []
    for spec, composition in zip(draft.scenario.days, days, strict=True):
        known = {task.rule: task.instance.told.must_know_by for task in composition.tasks}
        tasks = []
        for task in spec.tasks:
            latest = known[task.rule] if task.rule in draft.short_notice else None
            update = {"arrives": _grid(latest).time()} if latest else {}
            tasks.append(task.model_copy(update=update))
        specs.append(spec.model_copy(update={"tasks": tuple(tasks)}))
    return tuple(specs)


def rank_deadlines(spec: DaySpec, ends: datetime, draws: Random) -> DaySpec:
    """Return *spec* with deadlines near the end of the day, in a random order unlike that of
    arrival.

    An agent that works in the order of arrival is late.
    """
    order = draws.sample(range(len(spec.tasks)), len(spec.tasks))
    tasks = tuple(
        task.model_copy(update={"deadline": (ends - place * DEADLINE_GRID).time()})
        for task, place in zip(spec.tasks, order, strict=True)
    )
    return spec.model_copy(update={"tasks": tasks})


def tighten_deadlines(
    spec: DaySpec, composition: ComposedDay, rehearsal: Rehearsal, slower: int, draws: Random
) -> DaySpec:
    """Return *spec* with deadlines that the *rehearsal* meets with *slower* times the drawn
    slack."""
    finished = by_rule(composition, rehearsal.handed_in)
    due = {}
    for rule in sorted(finished):
        slack = timedelta(minutes=draws.choice(SLACK_MINUTES) * slower)
        due[rule] = min(composition.day.ends, _grid(finished[rule] + slack + DEADLINE_GRID))
    return _due_at(spec, composition, due, draws)


def scale_deadlines(
    spec: DaySpec,
    composition: ComposedDay,
    rehearsal: Rehearsal,
    slack: tuple[float, float],
    draws: Random,
) -> DaySpec:
    """Return *spec* with deadlines that leave each task a multiple of the time in the *rehearsal*.

    The multiple lies between the least *slack* and the middle of its range; the time is at least
    `SHORTEST`. It counts from the task's arrival, or from the deadline of the task after whose
    submission this one comes. The rest of the range is for deadlines that have to be later. Raises
    CompositionError if there is no such time before the day ends.
    """
    finished, arrives = settled_at(composition, rehearsal), arrivals(composition)
    due, causes = dict[str, datetime](), submission_causes(composition.spec.tasks)
    for rule in sorted(finished, key=lambda rule: (rule in causes, rule)):
        since, came = arrives[rule], arrives[rule]
        if rule in causes:
            since, came = due[causes[rule]], came_at(composition, rehearsal)[rule]
        there = time_for(finished[rule] - came, slack, draws)
        if rule in causes and since + there > composition.day.ends:
            raise CompositionError(
                f"{rule} comes too late for an agent that submits {causes[rule]} just in time"
            )
        due[rule] = min(composition.day.ends, _grid(since + there + DEADLINE_GRID))
    return _due_at(spec, composition, due, draws)


def day_slack(composition: ComposedDay, rehearsal: Rehearsal) -> float | None:
    """Return the available time for the tasks worth doing, over the time that the oracle took.

    A task's available time runs from its arrival to its deadline, the oracle's from its arrival
    until it was done with the task. A task that comes when another is submitted counts as coming at
    the other's deadline. None if the oracle did not submit one of the tasks.
    """
    done, there, taken = settled_at(composition, rehearsal), timedelta(), timedelta()
    causes, came = submission_causes(composition.spec.tasks), came_at(composition, rehearsal)
    due = {task.rule: task.deadline for task in composition.tasks}
    for task in composition.worthwhile_tasks:
        if task.rule not in done:
            return None
        follows = task.rule in causes
        there += task.deadline - (due[causes[task.rule]] if follows else task.arrives)
        taken += done[task.rule] - (came[task.rule] if follows else task.arrives)
    return there / taken


async def measure_slack(composition: ComposedDay) -> float | None:
    """Return the `day_slack` with an oracle that knows what will change and when.

    So it never waits for a change that does not come. None if it misses a deadline.
    """
    rehearsal = await rehearse(composition, foresight=True)
    return day_slack(composition, rehearsal) if rehearsal is not None else None


def settled_at(composition: ComposedDay, rehearsal: Rehearsal) -> dict[str, datetime]:
    """Return when the oracle was done with each submitted task, by rule."""
    handed_in = by_rule(composition, rehearsal.handed_in)
    ids = {task.rule: task.id for task in composition.tasks}
    return {rule: max(at, rehearsal.done[ids[rule]]) for rule, at in handed_in.items()}


def arrivals(composition: ComposedDay) -> dict[str, datetime]:
    """Return when each task comes, by rule."""
    return {task.rule: task.arrives for task in composition.tasks}


def came_at(composition: ComposedDay, rehearsal: Rehearsal) -> dict[str, datetime]:
    """Return when each task came in the rehearsal, by rule."""
    return by_rule(composition, rehearsal.came)


def time_for(taken: timedelta, slack: tuple[float, float], draws: Random) -> timedelta:
    """Return the time for a task that took the oracle *taken*.

    This is *taken* times a draw between the least *slack* and the middle of its range, at least
    `SHORTEST`.
    """
    least, most = slack
    return max(draws.uniform(least, (least + most) / 2) * taken, SHORTEST)


def submission_causes(tasks: Sequence[TaskSpec]) -> dict[str, str]:
    """Return for each rule the one that has to be submitted before it comes."""
    return {
        task.rule: task.follows.task
        for task in tasks
        if task.follows is not None and task.follows.when is Milestone.SUBMISSION
    }


def by_rule(
    composition: ComposedDay, moments: Mapping[str, datetime | None]
) -> dict[str, datetime]:
    """Return the *moments* of tasks (by id) that have one, by rule."""
    times = {task.rule: moments[task.id] for task in composition.tasks}
    return {rule: time for rule, time in times.items() if time is not None}


def _due_at(
    spec: DaySpec, composition: ComposedDay, due: Mapping[str, datetime], draws: Random
) -> DaySpec:
    """Return *spec* with these deadlines; one of them may be different at first."""
    moves = _moved_forward(composition, due, draws)
    tasks = []
    for task in spec.tasks:
        first, move = due[task.rule], moves.get(task.rule)
        if move is not None:
            first = move[0]
        update = {
            "deadline": first.time(),
            "moved": move and DeadlineMove(at=move[1], to=due[task.rule].time()),
        }
        tasks.append(task.model_copy(update=update))
    return spec.model_copy(update={"tasks": tuple(tasks)})


def _moved_forward(
    composition: ComposedDay, due: Mapping[str, datetime], draws: Random
) -> dict[str, tuple[datetime, time]]:
    """Return for at most one task its first deadline and the time at which that is brought
    forward."""
    wanted, by = (
        draws.random() < PRIORITY_CHANGE_RATE,
        timedelta(minutes=draws.choice(_MOVED_FORWARD_MINUTES)),
    )
    place = draws.random()
    fit = [
        task
        for task in composition.tasks
        if task.trigger is None
        and due[task.rule] + by <= composition.day.ends
        and due[task.rule] - task.arrives >= timedelta(minutes=60)
    ]
    if not wanted or not fit:
        return {}
    task = fit[int(place * len(fit))]
    announced = _grid(task.arrives + (due[task.rule] - task.arrives) / 3)
    return {task.rule: (due[task.rule] + by, announced.time())}


def _grid(moment: datetime) -> datetime:
    """Return *moment*, rounded down to five minutes."""
    whole = moment.replace(second=0, microsecond=0)
    return whole - timedelta(minutes=whole.minute % 5)
