"""Grades a world. The agent under test never uses this.

The world does not contain the expected answers, so grading composes its scenario again. Each task
is graded as of its deadline or the end of its day, whichever is earlier. If work went on after a
deadline, the world at the deadline is restored from the log.

`grade_world` grades in this process, which is right for our own work. An agent's file may keep a
check busy for ever, so `grading.verifier_server` grades in another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import (
    CheckWatch,
    TaskGrade,
    Unwatched,
    day_score,
    day_success,
    feedback,
    grade_tasks,
)
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import SCORE_VERSION, GeneratorVersions, ScenarioDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


class DayGrade(BaseModel):
    """The grades of a day or a week. ``score`` is the mean over all tasks, each weighted by its
    number of days; None if there are no tasks. ``success`` says whether every task is complete and
    nothing was damaged. On a day with more work than hours, both depend on worth: see `day_score`.
    """

    model_config = ConfigDict(frozen=True)

    score: float | None
    success: bool
    score_version: int
    tasks: tuple[TaskGrade, ...]


class GradingWatch(CheckWatch, Protocol):
    """An observer that is told of each grading step before it begins."""

    def replaying(self) -> None:
        """Note that the day is being composed, or replayed up to a deadline."""


class _Unwatched(Unwatched):
    def replaying(self) -> None:
        return None


_UNWATCHED = _Unwatched()


async def recompose_day(world: World) -> ComposedDay:
    """Compose the day from which *world* was staged.

    Raises WorldFileError if another generator version or other data made the world, or if one of
    its rules is unknown here.
    """
    stored = await stored_scenario_day(world)
    try:
        return composed(stored.scenario, stored.day, stored.variation)
    except UnknownRuleError as error:
        raise WorldFileError(
            f"This world has a task with an unknown rule: {error} If the family is your own, "
            "add its folder to meta_tasks.families.__path__."
        ) from None


async def stored_scenario_day(world: World) -> ScenarioDay:
    """Read the scenario and day that *world* records, without composing them.

    Raises WorldFileError if another generator version or other data made the world.
    """
    facts = await world.read(lambda tx: (tx.fact("scenario"), tx.fact("identity")))
    made, here = GeneratorVersions.model_validate_json(facts[1]), GeneratorVersions.current()
    if made != here:
        raise WorldFileError(
            f"This world was made by generator {made.generator} with {made.versions}; this is "
            f"generator {here.generator} with {here.versions}. Use the version that made it."
        )
    return ScenarioDay.model_validate_json(facts[0])


async def grade_world(world: World, watch: GradingWatch = _UNWATCHED) -> DayGrade:
    """Grade every task of the world's day in this process, telling *watch* of each step.

    Raises WorldFileError as recompose_day does, and ReplayDiverged if the log does not lead to this
    world.
    """
    return await grade_staged(world, await recompose_day(world), watch)


async def grade_staged(
    world: World, composition: ComposedDay, watch: GradingWatch = _UNWATCHED
) -> DayGrade:
    """Grade every task of a *world* that was staged from exactly this *composition*.

    Raises ReplayDiverged as grade_world does.
    """
    log = [entry for entry in await world.log() if entry.at < composition.ends]
    grades = {grade.task: grade for grade in await _graded(world, composition, log, watch)}
    return day_grade(composition, tuple(grades[task.id] for task in composition.tasks))


def day_grade(composition: ComposedDay, grades: Sequence[TaskGrade]) -> DayGrade:
    """Combine the *grades* of all tasks, in order, into the grade of the day."""
    best_worth = composition.spec.best_worth
    return DayGrade(
        score=day_score(grades, best_worth),
        success=day_success(grades, best_worth),
        score_version=SCORE_VERSION,
        tasks=tuple(grades),
    )


async def _graded(
    world: World, composition: ComposedDay, log: Sequence[LogEntry], watch: GradingWatch
) -> list[TaskGrade]:
    """Grade all tasks, each as of its deadline: actions begun later do not count.

    One world is replayed from deadline to deadline, as long as *log* has actions after them.
    """
    grades: list[TaskGrade] = []
    past: World | None = None
    done = 0
    try:
        for deadline in sorted({task.deadline for task in composition.tasks}):
            due = [task for task in composition.tasks if task.deadline == deadline]
            in_time = sum(entry.at < deadline for entry in log)
            if in_time == len(log):
                grades += await _grades(world, composition, due, watch)
                continue
            watch.replaying()
            if past is None:
                past = await World.create_inline(composition.world_config(), composition.populate)
            await replay_log(past, log[done:in_time])
            done = in_time
            grades += await _grades(past, composition, due, watch)
    finally:
        if past is not None:
            await past.close()
    return grades


async def _grades(
    world: World, composition: ComposedDay, due: Sequence[ComposedTask], watch: GradingWatch
) -> list[TaskGrade]:
    """Grade the tasks that are *due* at the same time."""

    return await world.read(lambda tx: grade_tasks(tx, composition, due, due[0].deadline, watch))


def feedback_on(day: DayGrade, tier: int) -> dict[str, str]:
    """Return the feedback on each task that an agent may get, by task id: see `feedback`."""
    return {task.task: feedback(task, tier) for task in day.tasks}
