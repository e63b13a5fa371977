"""An honest worker who finishes a day that somebody else has begun.

    world at any moment ──copy──► honest work on what is left ──► grades

It builds on finished work, corrects mistakes, and leaves what cannot be done any more. The result
is a score that can certainly still be reached, not always the best one: see `FinishedDay.at_most`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.testbench.finishing_tools import FinishingTools
from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day
from trainee_bench.harness.testbench.work_done import looked_at, read_work_done
from trainee_bench.harness.testbench.work_plan import make_worker, outline_of, standing_work
from trainee_bench.mcp_servers.verifier import DayGrade, grade_world
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import TaskGrade, day_score
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.achieving import Once
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import LastDone, TaskWork, Work
from trainee_bench.meta_tasks.work.worker import Worked
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import WorldError
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

MOST_CALLS = 2_000
"""The number of calls after which the worker is stopped in a world of up to five days: an honest
worker needs a tenth of it."""
_DAYS = 5
"""Longer worlds have more calls, in proportion to their days."""


@dataclass(frozen=True)
class FinishedDay:
    """Outcome of a day that an honest worker has finished.

    ``at_most`` is a score that nobody can exceed: settled tasks keep their grade, and all others
    count as perfect. A ``grade`` with this score is the best possible. ``failures`` are the errors
    of tasks that were given up, by id. ``in_vain`` are the tasks that gained nothing.
    ``score_before`` is the score without further work, ``calls`` the number of calls made.
    """

    grade: DayGrade
    at_most: float | None
    failures: Mapping[str, Exception]
    in_vain: frozenset[str]
    score_before: float
    calls: int

    @property
    def is_best(self) -> bool:
        """Whether no better score was possible."""
        score = self.grade.score
        return score is None or self.at_most is None or score >= self.at_most - 1e-9


async def settled_grades(world: World, composition: ComposedDay) -> dict[str, TaskGrade]:
    """Return the grades of the tasks that are already due, as of their deadline, by id."""
    now = await world.now()
    due = {task.id for task in composition.tasks if task.deadline <= now}
    if not due:
        return {}
    return {grade.task: grade for grade in (await grade_world(world)).tasks if grade.task in due}


async def finish_day(
    world: World, composition: ComposedDay, settled: Mapping[str, TaskGrade] | None = None
) -> FinishedDay:
    """Return the outcome if an honest worker finishes the day or week in a copy of *world*.

    *settled* are the grades of the tasks that are already due, if the caller knows them. This
    raises nothing, whatever was done in *world* before: a task that cannot be done is given up. The
    outcome is never worse than the present state.
    """
    known = await settled_grades(world, composition) if settled is None else settled
    state = await world.serialize()

    async def attempt(approach: _Approach) -> FinishedDay:
        copy = World.deserialize_inline(state)
        async with copy:
            return await _Finish(open_staged_day(composition, copy), known, approach).run()

    best = await attempt(_Approach())
    if best.is_best:
        return best
    if best.in_vain:
        best = _better(best, await attempt(_Approach(without=best.in_vain)))
    if composition.spec.best and not best.is_best:
        best = _better(best, await attempt(_Approach(every_task=True)))
    return _better(best, await attempt(_Approach(without=frozenset(_ids(composition)))))


def _ids(composition: ComposedDay) -> list[str]:
    return [task.id for task in composition.tasks]


def _better(first: FinishedDay, second: FinishedDay) -> FinishedDay:
    return second if rank(second.grade) > rank(first.grade) else first


@dataclass(frozen=True)
class _Approach:
    """A choice of tasks: those of the best plan or, with ``every_task``, all.

    The tasks in ``without`` are left out, so that others get their time.
    """

    every_task: bool = False
    without: frozenset[str] = frozenset()


def rank(grade: DayGrade) -> tuple[float, int, int]:
    """Return a key to compare outcomes: the score, then successful tasks, then the least harm."""
    harm = {text for task in grade.tasks for text in task.harm}
    return round(grade.score or 0.0, 9), sum(task.success for task in grade.tasks), -len(harm)


class _Finish:
    """One way to finish the day, which makes the calls of its worker (a `ToolCaller`)."""

    def __init__(self, day: StagedDay, settled: Mapping[str, TaskGrade], approach: _Approach):
        self._day = day
        self._approach = approach
        self._grade = RunningGrade(day.composition, settled)
        self._now = day.composition.day.starts
        self._calls = 0
        days = max(_DAYS, len(day.composition.days))
        self._most_calls = MOST_CALLS * days // _DAYS
        self._seen: Mapping[str, JsonValue] = {}

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text, or after too many calls."""
        if self._calls >= self._most_calls:
            raise ToolFailed("too many calls were made", self._now)
        self._calls += 1
        if (known := await self._still_so(tool, arguments)) is not None:
            return known
        self._grade.settle(self._day.world, self._now)
        try:
            done = await self._day.call(tool, arguments)
        except ToolFailed as error:
            self._now = error.time or self._now
            raise
        self._now = done.time
        return done

    async def _still_so(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """Return what a call would show, if the employee has already seen it today.

        The worker remembers it and need not look again.
        """
        seen = self._seen.get(looked_at(tool, arguments))
        looking = self._day.seat.tools.get(tool)
        if seen is None or looking is None or not looking.read_only:
            return None
        values = dict(looking.parse(arguments))
        try:
            shown = await self._day.world.read(
                lambda tx: looking.verb(tx, **values), self._day.seat.person
            )
        except WorldError:
            return None
        data = shown.data.model_dump(mode="json")
        if data != seen:
            return None
        picture = shown.picture.data if shown.picture else None
        return ToolResponse(shown.text, data, self._now, picture)

    async def run(self) -> FinishedDay:
        """Work to the end of the last day."""
        world, composition = self._day.world, self._day.composition
        self._now = await world.now()
        self._grade.settle(world, self._now)
        at_most = highest_score(composition, self._grade.settled)
        begun_with = self._grade.of(world)
        before = {task.task: task.score for task in begun_with.tasks}
        due = set(self._grade.settled)
        begun = [place for place, day in enumerate(composition.days) if day.starts <= self._now]
        failures: dict[str, Exception] = {}
        for place in range(begun[-1], len(composition.days)):
            if place > begun[-1]:
                await self._begin_next_day()
            if self._now < composition.days[place].ends:
                failures |= await self._work(composition.on_day(place))
        self._grade.settle(world, self._now)
        grade = self._grade.of(world)
        in_vain = frozenset(
            graded.task
            for graded in grade.tasks
            if graded.task not in due and graded.score <= before[graded.task] < 1
        )
        score_before = begun_with.score or 0.0
        return FinishedDay(grade, at_most, failures, in_vain, score_before, self._calls)

    async def _begin_next_day(self) -> None:
        world = self._day.world
        self._grade.settle(world, self._now)
        self._now = (await world.end_day()).now
        self._grade.settle(world, self._now)
        self._now = (await world.begin_next_day()).now

    async def _work(self, today: ComposedDay) -> dict[str, Exception]:
        """Do the unfinished tasks of the day; return the errors of tasks that are not done."""
        world, approach = self._day.world, self._approach
        wanted = today.tasks if approach.every_task else today.worthwhile_tasks
        left = await self._left(today, [task for task in wanted if task.id not in approach.without])
        if not left:
            return {}
        done = await read_work_done(world)
        self._seen = done.seen
        results = [path for task in today.tasks for path in task.instance.told.deliverable_paths]
        rooms = today.office.rooms if today.office is not None else ROOMS
        tools = FinishingTools(self, done, self._now, results, _named(today), rooms)
        outline = outline_of(today, planned=not approach.every_task)
        worker = make_worker(
            tools, self._day.costs, left, outline, (*careful_habits(), _HandsInWhatThereIs())
        )
        for path, text in (await self._results_of(today, left)).items():
            worker.engine.note(LastDone(path), text)
        return await worker.run()

    async def _results_of(self, today: ComposedDay, left: Mapping[str, TaskWork]) -> dict[str, str]:
        """Return the texts of the results that nobody works on any more, by path.

        These belong to tasks that are not *left*, or that only need to be handed in.
        """
        done = [
            path
            for task in today.tasks
            if left.get(task.id, _hand_in) is _hand_in
            for path in task.instance.told.deliverable_paths
        ]
        return await self._day.world.read(lambda tx: _texts(tx, done))

    async def _left(self, today: ComposedDay, tasks: Sequence[ComposedTask]) -> dict[str, TaskWork]:
        """Return the remaining work of *today*: for later days, and for each of *tasks* that is not
        due yet.

        A complete task only needs to be handed in; a complete task that was handed in needs
        nothing.
        """
        world = self._day.world
        grades = {grade.task: grade for grade in self._grade.of(world).tasks}
        handed_in = await world.read(lambda tx: _handed_in(tx, tasks))
        left = standing_work(today)
        for task in tasks:
            if task.deadline <= self._now:
                continue
            if grades[task.id].score != 1:
                left[task.id] = task.meta_task.family_class.honest_work
            elif task.id not in handed_in:
                left[task.id] = _hand_in
        return left


def _named(today: ComposedDay) -> dict[str, str]:
    """Return the ids of all people by each of their names."""
    people = today.company.people
    return {name: person.id for person in people for name in (person.id, person.name, person.email)}


def _handed_in(tx: Transaction, tasks: Sequence[ComposedTask]) -> set[str]:
    desk = Desk(tx)
    return {task.id for task in tasks if desk.submitted_at(task.id) is not None}


def _texts(tx: Transaction, paths: Sequence[str]) -> dict[str, str]:
    """Return the texts of those files at *paths* that exist and are texts."""
    files = Files(tx)
    found = {path: files.content(path) for path in paths if files.exists(path)}
    return {
        path: content.data.decode()
        for path, content in found.items()
        if content.kind is FileKind.TEXT
    }


class _HandsInWhatThereIs(Habit):
    """Habit that submits a task even if it cannot be done completely: a part of it may count."""

    name = "hands in what there is"

    @around(Worked)
    async def _worked(self, work: Work, need: Worked, inner: Inner[None]) -> None:
        try:
            await inner()
        except Exception:
            with suppress(ToolFailed):
                await _hand_in(work, need.task)
            raise


async def _hand_in(work: Work, task: str) -> None:
    """Submit the task as it is."""
    await work(Once("desk_submit", (("task", task),)))


def highest_score(composition: ComposedDay, settled: Mapping[str, TaskGrade]) -> float | None:
    """Return the score if all tasks but those that are *settled* were done perfectly."""
    hoped = [settled.get(task.id) or _perfect(task) for task in composition.tasks]
    return day_score(hoped, composition.spec.best_worth)


def _perfect(task: ComposedTask) -> TaskGrade:
    return TaskGrade(
        task=task.id,
        rule=task.rule,
        score=1,
        success=True,
        checkpoints=(),
        harm=(),
        worth=task.worth,
        days=task.length,
    )
