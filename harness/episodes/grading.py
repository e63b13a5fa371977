"""Grades from the verifier, and task results made from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcp import Client
from mcp.types import TextContent

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.replay import read_recorded_day, replay_day
from trainee_bench.harness.records.results import CheckpointResult, TaskResult
from trainee_bench.harness.scheduling.measure import HandIn, read_hand_ins
from trainee_bench.mcp_servers.grading.verifier_server import build_verifier
from trainee_bench.mcp_servers.verifier import DayGrade, feedback_on
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


async def verifier_grades(world: World) -> DayGrade:
    """Return the grades of the day, fetched from the verifier through a client.

    Raises WorldFileError with the verifier's text if it refuses the world or cannot grade it.
    """
    async with Client(build_verifier(world), raise_exceptions=True) as client:
        result = await client.call_tool("verifier_grade", {})
    if result.is_error:
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        raise WorldFileError(" ".join(texts))
    return DayGrade.model_validate(result.structured_content)


@dataclass(frozen=True)
class GradedFile:
    """The grades of a world file, feedback by task, and a remark ("" if all is well)."""

    day: DayGrade
    feedback: dict[str, str]
    remark: str


async def grade_world_file(path: Path, tier: int) -> GradedFile:
    """Return the grades of the day in the world file *path*, and feedback in *tier* (1 to 3).

    The day is repeated from its log and graded, so damage to the file and changes made outside of
    the tools do not count. Raises WorldFileError for a file that is not a world of this version, or
    whose log does not repeat.
    """
    recorded = await read_recorded_day(path)
    composition = recorded.composition
    async with await World.create_inline(composition.world_config(), composition.populate) as world:
        difference = await replay_day(recorded, world)
        if difference is not None and not difference.results_agree:
            raise WorldFileError(
                f"{path.name} is damaged or was changed outside of its tools: {difference.text}. "
                "It is not graded; stage its day again and work it once more."
            )
        remark = (
            f"{path.name} is damaged or was changed outside of its tools: {difference.text}. The "
            "grade is that of the day repeated from its log."
            if difference is not None
            else ""
        )
        day = await verifier_grades(world)
        return GradedFile(day, feedback_on(day, tier), remark)


def grade_summary(day: DayGrade) -> str:
    """Return one sentence: the score of *day*, and how many of its tasks are complete."""
    if day.score is None:
        return "No task could be graded."
    complete = sum(task.success for task in day.tasks)
    tasks = pluralize(len(day.tasks), "task")
    return f"Score {day.score:.2f} over {tasks}, {complete} of them complete."


async def task_results(
    world: World, composition: ComposedDay, day: DayGrade
) -> tuple[TaskResult, ...]:
    """Return the result of each task of the day, from the verifier's grade *day* of *world*."""
    hand_ins = await read_hand_ins(world, composition)
    grades = {grade.task: grade for grade in day.tasks}
    week = composition.scenario_day.scenario.week
    return tuple(
        _result(task, grades[task.id], hand_ins[task.id], week) for task in composition.tasks
    )


def _result(task: ComposedTask, grade: TaskGrade, hand_in: HandIn, week: bool) -> TaskResult:
    rule = find_rule(task.rule)
    return TaskResult(
        task=task.id,
        rule=task.rule,
        family=task.meta_task.family_class.family,
        domain=task.meta_task.family_class.domain,
        label=rule.difficulty,
        score=grade.score,
        success=grade.success,
        checkpoints=tuple(
            CheckpointResult(
                name=check.name,
                sentence=check.sentence,
                weight=check.weight,
                passed=check.passed,
                seen=check.seen,
            )
            for check in grade.checkpoints
        ),
        harm=grade.harm,
        submitted=hand_in.submitted is not None,
        late_minutes=hand_in.minutes_late,
        sure=hand_in.sure,
        error=grade.error,
        worth=grade.worth,
        published_day=task.published_place if week else None,
        due_day=task.due_place if week else None,
        days=grade.days,
        ending=grade.ending,
    )
