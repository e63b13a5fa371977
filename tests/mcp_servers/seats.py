"""A seat at one app, and what its tools answer: in words, as data, or with a refusal."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher

ASKS = (
    "Who is responsible for the company website today?",
    "Which engineer is in charge of the company website?",
    "Who looks after the website at the moment?",
    "Whom should I contact about a problem with the website?",
    "Who takes care of the company's site these days?",
)
"""The ways to ask a colleague who looks after the website."""


async def answer(seat: ToolDispatcher, name: str, /, **arguments: JsonValue) -> tuple[str, Any]:
    """The text and the data of a tool's answer; an error is raised."""
    done = await seat.call(name, arguments)
    if done.error is not None:
        raise done.error
    assert done.result is not None
    return done.result.text, done.result.data.model_dump(mode="json")


async def said(seat: ToolDispatcher, name: str, /, **arguments: JsonValue) -> str:
    """The text of a tool's answer."""
    return (await answer(seat, name, **arguments))[0]


async def data(seat: ToolDispatcher, name: str, /, **arguments: JsonValue) -> Any:
    """The data of a tool's answer."""
    return (await answer(seat, name, **arguments))[1]


async def refused(seat: ToolDispatcher, name: str, /, **arguments: JsonValue) -> str:
    """The words in which a tool refuses."""
    done = await seat.call(name, arguments)
    assert done.error is not None
    return str(done.error)
