"""The steps of a trajectory as messages of Inspect; each has its simulated time as metadata."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall
from pydantic import JsonValue

from trainee_bench.harness.exports.recorded_episodes import (
    JsonObject,
    RecordedEpisode,
    objects_in,
    picture_url,
)


def recorded_messages(episode: RecordedEpisode) -> Iterator[ChatMessage]:
    """The messages of *episode*, in order. Raises CannotExport for a picture that is not there."""
    for step in episode.steps:
        time: dict[str, JsonValue] = {"time": step["timestamp"]}
        if step["source"] == "user":
            yield ChatMessageUser(content=str(step["message"]), metadata=time)
            continue
        calls = [_call(call) for call in objects_in(step.get("tool_calls", []))]
        model = step.get("model_name")
        yield ChatMessageAssistant(
            content=_said(step),
            tool_calls=calls or None,
            model=None if model is None else str(model),
            metadata=time,
        )
        yield from _results(step, calls, episode.folder)


def _said(step: JsonObject) -> str | list[Content]:
    text = str(step["message"])
    if "reasoning_content" not in step:
        return text
    return [ContentReasoning(reasoning=str(step["reasoning_content"])), ContentText(text=text)]


def _call(call: JsonObject) -> ToolCall:
    arguments = call["arguments"]
    assert isinstance(arguments, dict)
    return ToolCall(str(call["tool_call_id"]), str(call["function_name"]), arguments)


def _results(step: JsonObject, calls: list[ToolCall], folder: Path) -> Iterator[ChatMessage]:
    observation = step.get("observation")
    if not isinstance(observation, dict):
        return
    results = objects_in(observation["results"])
    for call, result in zip(calls, results, strict=True):
        yield ChatMessageTool(
            content=_content(result["content"], folder),
            tool_call_id=call.id,
            function=call.function,
            metadata={"time": step["timestamp"]},
        )


def _content(content: JsonValue, folder: Path) -> str | list[Content]:
    if isinstance(content, str):
        return content
    return [
        ContentText(text=str(part["text"]))
        if part["type"] == "text"
        else ContentImage(image=picture_url(part["source"], folder))
        for part in objects_in(content)
    ]
