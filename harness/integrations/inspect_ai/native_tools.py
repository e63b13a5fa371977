"""A day's tools as Inspect tools, for `react` and any other solver or agent.

Inspect checks a call's arguments itself. A call that it refuses never reaches the office and takes
no simulated time.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ContentImage, ContentText
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolInfo, ToolParams, ToolSource

from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, sample_day
from trainee_bench.harness.session import turns

__all__ = ["office_tools"]

ToolContent = str | list[ContentText | ContentImage]
UNLIMITED = 0
"""The ``max_output`` with which results are not cut; by default they are cut at 16 KB."""


class OfficeTools(ToolSource):
    """The tools of the current sample's day; for ``react(tools=[office_tools()])``."""

    async def tools(self) -> list[Tool]:
        """Return the tools of the sample's day. Raises NotStaged."""
        return native_tools(sample_day())


def office_tools() -> OfficeTools:
    """Return the tools of the office, for custom agents."""
    return OfficeTools()


def native_tools(day: SampleDay) -> list[Tool]:
    """Return the tools that *day* offers."""
    return [
        ToolDef(
            _calls(day, tool.name),
            name=tool.name,
            description=tool.description,
            parameters=_parameters(tool),
            parallel=False,
            max_output=UNLIMITED,
        ).as_tool()
        for tool in day.tools
    ]


def tool_infos(day: SampleDay) -> list[ToolInfo]:
    """Return the tools that *day* offers, as a model sees them."""
    return [
        ToolInfo(name=tool.name, description=tool.description, parameters=_parameters(tool))
        for tool in day.tools
    ]


def tool_content(answer: turns.ToolResult) -> ToolContent:
    """Return what a model sees of *answer*: its text and any pictures."""
    if not answer.pictures:
        return answer.text
    pictures = [
        ContentImage(image=f"data:{picture.mime_type};base64,{_encoded(picture.data)}")
        for picture in answer.pictures
    ]
    return [ContentText(text=answer.text), *pictures]


def _calls(day: SampleDay, name: str) -> Callable[..., Any]:
    async def execute(**kwargs: Any) -> ToolContent:
        answer = day.call(name, kwargs)
        if answer.failed:
            raise ToolError(answer.text)
        return tool_content(answer)

    return execute


def _parameters(tool: turns.ToolInfo) -> ToolParams:
    return ToolParams.model_validate(tool.input_schema)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
