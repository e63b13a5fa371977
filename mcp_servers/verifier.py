"""The verifier: an MCP server that grades a world. The agent under test cannot reach it.

The world does not contain the expected answers: the verifier composes its scenario again. Each
task is graded as of its deadline or the end of its day, whichever is earlier. If work went on
after a deadline, the world at the deadline is restored from the log.

The server has another process grade, since checks read what agents made, which may take for ever.
`grade_world` grades in this one: that is faster, and right for work of our own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, Protocol

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.mcp_servers.grading.grader import GRADER
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.serving.schema import compact_input_schema, without_annotations
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.grade import (
    CheckWatch,
    TaskGrade,
    day_damage,
    day_score,
    day_success,
    feedback,
    grade_checkpoints,
    with_damage,
)
from trainee_bench.meta_tasks.scenario import SCORE_VERSION, GeneratorVersions, ScenarioDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import Transaction
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


class Feedback(BaseModel):
    """Feedback for whoever worked the day: text by task, without answers."""

    tier: int
    tasks: dict[str, str]


class GradingWatch(CheckWatch, Protocol):
    """Is told what grading does, before it does it."""

    def replaying(self) -> None:
        """The day is composed, or repeated up to a deadline."""


class _Unwatched:
    def replaying(self) -> None:
        return None

    def ruling(self, check: str) -> str | None:
        return None


_UNWATCHED = _Unwatched()


async def recompose_day(world: World) -> ComposedDay:
    """The composed day from which *world* was staged.

    Raises WorldFileError if the world was made by another generator or with other data, or has a
    rule that does not exist here.
    """
    facts = await world.read(lambda tx: (tx.fact("scenario"), tx.fact("identity")))
    made, here = GeneratorVersions.model_validate_json(facts[1]), GeneratorVersions.current()
    if made != here:
        raise WorldFileError(
            f"This world was made by generator {made.generator} with {made.versions}; this is "
            f"generator {here.generator} with {here.versions}. Use the version that made it."
        )
    try:
        return _composed(facts[0])
    except UnknownRuleError as error:
        raise WorldFileError(
            f"This world has a task whose rule is not here: {error} A family of your own has to "
            "lie in a folder that meta_tasks.families.__path__ names."
        ) from None


@lru_cache(maxsize=8)
def _composed(scenario_day: str) -> ComposedDay:
    """The day that a world stores so; the latest are kept, since a week is graded every night."""
    resolved = ScenarioDay.model_validate_json(scenario_day)
    return compose_day(resolved.scenario, resolved.day, resolved.variation)


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


async def grade_apart(world: World) -> DayGrade:
    """Grade as `grade_world` does, in another process: whatever was handed in, this ends.

    A check that takes too long over it has failed. Raises also GradingFault if something broke
    outside of the checks.
    """
    return DayGrade.model_validate_json(await GRADER.grade(world))


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

    def see(tx: Transaction) -> list[TaskGrade]:
        deadline = due[0].deadline
        damage = day_damage(tx, composition, deadline, watch)
        grades = [grade_checkpoints(tx, task, deadline, watch) for task in due]
        return [with_damage(grade, damage) for grade in grades]

    return await world.read(see)


def build_verifier(world: World) -> Server[Any]:
    """An MCP server that has *world* graded in another process, with the tools verifier_grade and
    verifier_feedback."""

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool for tool, _ in _TOOLS.values()])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await _call(world, params.name, params.arguments or {})

    return Server(
        "verifier",
        version=package_version(),
        instructions="Grades the day of one world. Not for the agent whose day it is.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Grade(_Arguments):
    """Grade every task of the day: score, success, and each checkpoint with its evidence."""


class _Feedback(_Arguments):
    """Feedback that the agent may be given; it never contains an answer."""

    tier: Literal[1, 2, 3] = Field(
        1, description="1: what was missed; 2: also where to look; 3: also how"
    )


def _tool(name: str, takes: type[_Arguments], gives: type[BaseModel]) -> types.Tool:
    return types.Tool(
        name=name,
        description=takes.__doc__,
        input_schema=compact_input_schema(takes.model_json_schema()),
        output_schema=without_annotations(
            ("title",), gives.model_json_schema(mode="serialization")
        ),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


_TOOLS: dict[str, tuple[types.Tool, type[_Arguments]]] = {
    "verifier_grade": (_tool("verifier_grade", _Grade, DayGrade), _Grade),
    "verifier_feedback": (_tool("verifier_feedback", _Feedback, Feedback), _Feedback),
}


async def _call(world: World, name: str, given: Mapping[str, JsonValue]) -> types.CallToolResult:
    """Grade and answer. Wrong arguments and worlds of another version become error texts."""
    if name not in _TOOLS:
        return _refusal(f"There is no tool {name[:64]!r}; available: {', '.join(_TOOLS)}.")
    try:
        arguments = _TOOLS[name][1].model_validate(given)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        return _refusal(f"{name}: {'.'.join(map(str, flaw['loc']))}: {flaw['msg']}")
    try:
        grade = await grade_apart(world)
    except WorldFileError as error:
        return _refusal(str(error))
    if not isinstance(arguments, _Feedback):
        return _answer("\n".join(feedback(task) for task in grade.tasks), grade)
    said = {task.task: feedback(task, arguments.tier) for task in grade.tasks}
    return _answer("\n".join(said.values()), Feedback(tier=arguments.tier, tasks=said))


def _answer(text: str, data: BaseModel) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=data.model_dump(mode="json"),
    )


def _refusal(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
