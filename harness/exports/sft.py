"""Examples for supervised fine-tuning: each episode as chat messages and the tools it had.

A line of JSON is ``{"messages": [...], "tools": [...], "episode": ..., "score": ...}``. Messages
and tools have the shape of OpenAI's chat completions, which TRL and Axolotl take, too: the
arguments of a call are a JSON text, and a picture is a part of the message with the tool's result.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.exports.recorded_episodes import (
    JsonObject,
    RecordedEpisode,
    objects_in,
    picture_url,
)


def sft_example(episode: RecordedEpisode) -> JsonObject:
    """*episode* as an example. Raises CannotExport for a picture that is not there."""
    messages: list[JsonValue] = []
    for step in episode.steps:
        if step["source"] == "user":
            messages.append({"role": "user", "content": step["message"]})
            continue
        messages.append(_assistant(step))
        messages += _results(step, episode.folder)
    agent = episode.trajectory["agent"]
    assert isinstance(agent, dict)
    return {
        "messages": messages,
        "tools": agent["tool_definitions"],
        "episode": episode.result.episode,
        "score": episode.result.score,
    }


def _assistant(step: JsonObject) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": step["message"]}
    if "reasoning_content" in step:
        message["reasoning_content"] = step["reasoning_content"]
    if calls := step.get("tool_calls"):
        message["tool_calls"] = [_call(call) for call in objects_in(calls)]
    return message


def _call(call: JsonObject) -> JsonObject:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    function: JsonObject = {"name": call["function_name"], "arguments": arguments}
    return {"id": call["tool_call_id"], "type": "function", "function": function}


def _results(step: JsonObject, folder: Path) -> list[JsonObject]:
    """The messages with what the step's calls returned."""
    observation = step.get("observation")
    if not isinstance(observation, dict):
        return []
    return [
        {
            "role": "tool",
            "tool_call_id": result["source_call_id"],
            "content": _content(result["content"], folder),
        }
        for result in objects_in(observation["results"])
    ]


def _content(content: JsonValue, folder: Path) -> JsonValue:
    """A text, or its parts where there is a picture, whose bytes are put in."""
    if isinstance(content, str):
        return content
    return [
        part if part["type"] == "text" else _picture(picture_url(part["source"], folder))
        for part in objects_in(content)
    ]


def _picture(url: str) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": url}}
