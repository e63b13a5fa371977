"""The verifier: an MCP server that grades a world. The agent under test cannot reach it.

Grading runs in another process, since checks read agents' files, which may keep them busy for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trainee_bench.mcp_servers.grading.grader import GRADER, GradingFault
from trainee_bench.mcp_servers.serving.flaws import parse_arguments
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged
from trainee_bench.mcp_servers.serving.schema import compact_input_schema, without_annotations
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.mcp_servers.verifier import DayGrade, feedback_on
from trainee_bench.world.errors import Invalid, WorldFileError
from trainee_bench.world.world import World


class Feedback(BaseModel):
    """Feedback for the agent: one text per task, without answers."""

    tier: int
    tasks: dict[str, str]


async def grade_in_subprocess(world: World) -> DayGrade:
    """Grade as `grade_world` does, but in another process, which always ends.

    A check that takes too long counts as failed. Raises also GradingFault if something broke
    outside of the checks.
    """
    return DayGrade.model_validate_json(await GRADER.grade(world))


def build_verifier(world: World) -> Server[Any]:
    """Build an MCP server with the tools verifier_grade and verifier_feedback for *world*.

    Grading runs in another process.
    """

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
        1, description="1: what was missed; 2: also where to look; 3: also how to do it"
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
    """Grade and answer. Wrong arguments, worlds of another version and grading faults become error
    texts."""
    if name not in _TOOLS:
        return _refusal(f"There is no tool {name[:64]!r}; available: {', '.join(_TOOLS)}.")
    tool, takes = _TOOLS[name]
    try:
        arguments = parse_arguments(name, given, takes, tool.input_schema)
    except Invalid as error:
        return _refusal(str(error))
    try:
        grade = await grade_in_subprocess(world)
    except WorldFileError as error:
        return _refusal(str(error))
    except (GradingFault, ReplayDiverged) as fault:
        return _refusal(f"This world could not be graded: {fault}")
    if not isinstance(arguments, _Feedback):
        return _answer("\n".join(feedback_on(grade, 1).values()), grade)
    feedback = feedback_on(grade, arguments.tier)
    return _answer("\n".join(feedback.values()), Feedback(tier=arguments.tier, tasks=feedback))


def _answer(text: str, data: BaseModel) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=data.model_dump(mode="json"),
    )


def _refusal(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
