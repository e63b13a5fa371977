"""The steps of a trajectory as messages of Inspect; each has its simulated time as metadata."""

from __future__ import annotations

import base64
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
    CannotExport,
    JsonObject,
    RecordedEpisode,
)


def recorded_messages(episode: RecordedEpisode) -> Iterator[ChatMessage]:
    """The messages of *episode*, in order. Raises CannotExport for a picture that is not there."""
    for step in episode.steps:
        time: dict[str, JsonValue] = {"time": step["timestamp"]}
        if step["source"] == "user":
            yield ChatMessageUser(content=str(step["message"]), metadata=time)
            continue
        calls = [_call(call) for call in _objects(step.get("tool_calls"))]
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
    results = _objects(observation["results"])
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
        else _picture(part["source"], folder)
        for part in _objects(content)
    ]


def _picture(source: JsonValue, folder: Path) -> ContentImage:
    assert isinstance(source, dict)
    path = folder / str(source["path"])
    try:
        data = base64.b64encode(path.read_bytes()).decode("ascii")
    except OSError as error:
        raise CannotExport(f"{path} cannot be read: {error.strerror}") from None
    return ContentImage(image=f"data:{source['media_type']};base64,{data}")


def _objects(value: JsonValue) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
