"""Grades a world, for the verifier and for everybody who knows what the right answers are.

The world does not contain the expected answers: the verifier composes its scenario again. Each
task is graded as of its deadline or the end of its day, whichever is earlier. If work went on
after a deadline, the world at the deadline is restored from the log.

`grade_world` grades in this process, which is right for work of our own. A file of an agent may
keep a check busy for ever: `grading.verifier_server` has another process grade it.
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
    """The grades of a day or a week. ``score`` is the mean over all its tasks, in which each weighs
    as much as it has days, None without any; ``success`` says whether every task is complete and
    nothing was damaged. Where there was more work than hours, both are about worth: see
    `day_score`."""

    model_config = ConfigDict(frozen=True)

    score: float | None
    success: bool
    score_version: int
    tasks: tuple[TaskGrade, ...]


class GradingWatch(CheckWatch, Protocol):
    """Is told what grading does, before it does it."""

    def replaying(self) -> None:
        """The day is composed, or repeated up to a deadline."""


class _Unwatched(Unwatched):
    def replaying(self) -> None:
        return None


_UNWATCHED = _Unwatched()


async def recompose_day(world: World) -> ComposedDay:
    """The composed day from which *world* was staged.

    Raises WorldFileError if the world was made by another generator or with other data, or has a
    rule that does not exist here.
    """
    stored = await stored_scenario_day(world)
    try:
        return composed(stored.scenario, stored.day, stored.variation)
    except UnknownRuleError as error:
        raise WorldFileError(
            f"This world has a task whose rule is not here: {error} A family of your own has to "
            "lie in a folder that meta_tasks.families.__path__ names."
        ) from None


async def stored_scenario_day(world: World) -> ScenarioDay:
    """The scenario and day from which *world* says that it was staged; nothing of it is composed.

    Raises WorldFileError if the world was made by another generator or with other data.
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
    """Grade every task of the world's day in this process; *watch* is told of each step. Raises
    WorldFileError as recompose_day does, and ReplayDiverged if the log does not lead to this world.
    """
    return await grade_staged(world, await recompose_day(world), watch)


async def grade_staged(
    world: World, composition: ComposedDay, watch: GradingWatch = _UNWATCHED
) -> DayGrade:
    """Grade every task of a *world* that was staged from this very *composition*. Raises
    ReplayDiverged as grade_world does."""
    log = [entry for entry in await world.log() if entry.at < composition.ends]
    grades = {grade.task: grade for grade in await _graded(world, composition, log, watch)}
    return day_grade(composition, tuple(grades[task.id] for task in composition.tasks))


def day_grade(composition: ComposedDay, grades: Sequence[TaskGrade]) -> DayGrade:
    """The grade of the day with these *grades* of its tasks, which are in order."""
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
    """The grades of all tasks, each as of its deadline: actions begun later do not count. One
    world is replayed from deadline to deadline, as far as *log* goes on after them."""
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
    """The grades of the tasks that are *due* at one time."""

    return await world.read(lambda tx: grade_tasks(tx, composition, due, due[0].deadline, watch))


def feedback_on(day: DayGrade, tier: int) -> dict[str, str]:
    """The feedback on each task that an agent may get, by task id: see `feedback`."""
    return {task.task: feedback(task, tier) for task in day.tasks}
