"""The verifier's grades and feedback, and task results made from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcp import Client
from mcp.types import TextContent
from pydantic import JsonValue

from trainee_bench.harness.episodes.replay import read_recorded_day, replay_day
from trainee_bench.harness.records.results import CheckpointResult, TaskResult
from trainee_bench.mcp_servers.verifier import DayGrade, Feedback, build_verifier
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.grade import TaskGrade, score_with_all
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


async def verifier_grades(world: World) -> DayGrade:
    """The grades of the day, from the verifier through a client.

    Raises WorldFileError with the verifier's text if it refuses the world.
    """
    return DayGrade.model_validate(await _ask(world, "verifier_grade", {}))


async def verifier_feedback(world: World, tier: int) -> dict[str, str]:
    """The feedback on each task, by task id. Raises WorldFileError as `verifier_grades` does."""
    feedback = await _ask(world, "verifier_feedback", {"tier": tier})
    return Feedback.model_validate(feedback).tasks


@dataclass(frozen=True)
class GradedFile:
    """The grades of a world file, feedback by task, and a remark ("" if all is well)."""

    day: DayGrade
    feedback: dict[str, str]
    remark: str


async def grade_world_file(path: Path, tier: int) -> GradedFile:
    """The grades of the day in the world file *path*, and feedback in *tier* (1 to 3).

    What is graded is the day as its log repeats it, so that a damaged file, or one changed past
    the tools, is not graded as it stands. Raises WorldFileError for a file that is no world of
    this version, or whose log does not repeat.
    """
    recorded = await read_recorded_day(path)
    composition = recorded.composition
    async with await World.create_inline(composition.world_config(), composition.populate) as world:
        difference = await replay_day(recorded, world)
        if difference is not None and not difference.results_agree:
            raise WorldFileError(
                f"{path.name} is damaged or was changed past its tools: {difference.text}. It is "
                "not graded; stage its day anew and work it again."
            )
        remark = (
            f"{path.name} is damaged or was changed past its tools: {difference.text}. What is "
            "graded is the day as its log repeats it."
            if difference is not None
            else ""
        )
        return GradedFile(
            await verifier_grades(world), await verifier_feedback(world, tier), remark
        )


def grade_summary(day: DayGrade) -> str:
    """One sentence: the score of *day*, and how many of its tasks are complete."""
    if day.score is None:
        return "No task could be graded."
    graded = [task for task in day.tasks if task.score is not None]
    complete = sum(task.success for task in graded)
    said = f"Score {day.score:.2f} over {len(graded)} tasks, {complete} of them complete."
    if len(graded) == len(day.tasks):
        return said
    missing = len(day.tasks) - len(graded)
    return f"{said} {score_with_all(day.score, day.tasks):.2f} with {missing} not graded as 0."


async def _ask(world: World, tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
    async with Client(build_verifier(world), raise_exceptions=True) as client:
        result = await client.call_tool(tool, arguments)
    if result.is_error:
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        raise WorldFileError(" ".join(texts))
    given: JsonValue = result.structured_content
    return given


async def task_results(world: World, composition: ComposedDay) -> tuple[TaskResult, ...]:
    """The result of each task of the day, from the verifier's grades of *world*."""
    log = await world.log()
    grades = {grade.task: grade for grade in (await verifier_grades(world)).tasks}
    week = composition.scenario_day.scenario.week
    return tuple(_result(task, grades[task.id], log, week) for task in composition.tasks)


def _result(task: ComposedTask, grade: TaskGrade, log: list[LogEntry], week: bool) -> TaskResult:
    rule = find_rule(task.rule)
    submissions = [entry for entry in log if _is_submission(entry, task.id)]
    late = None
    if submissions:
        late = max(0, int((submissions[0].at - task.deadline).total_seconds()) // 60)
    return TaskResult(
        task=task.id,
        rule=task.rule,
        family=task.meta_task.family,
        domain=task.meta_task.domain,
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
        submitted=any(entry.ok for entry in submissions),
        late_minutes=late,
        error=grade.error,
        worth=grade.worth,
        published_day=task.published_place if week else None,
        due_day=task.due_place if week else None,
        days=grade.days,
    )


def _is_submission(entry: LogEntry, task: str) -> bool:
    """Whether *entry* is an attempt to submit *task*."""
    named = str(entry.arguments.get("task", "")).strip().casefold()
    return entry.tool == "desk_submit" and named == task.casefold()
