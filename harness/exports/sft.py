"""Examples for supervised fine-tuning: each episode as chat messages and the tools offered.

A line of JSON is ``{"messages": [...], "tools": [...], "episode": ..., "score": ...}``. Messages
and tools have the format of OpenAI's chat completions, which TRL and Axolotl also take: a call's
arguments are a JSON text, and a picture is a part of a message.

If the conversation with a model was recorded, each line is a conversation as it was sent, with
its system prompt and with empty replies. For other agents, a line is made from the turns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.exports.recorded_episodes import (
    JsonObject,
    RecordedEpisode,
    objects_in,
    picture_url,
)


def sft_examples(
    episode: RecordedEpisode, rewards: Sequence[float] | None = None
) -> list[JsonObject]:
    """Return *episode* as examples, one for each conversation.

    Given the *rewards* of its turns, each of the agent's messages has a reward. Raises CannotExport
    if a picture is missing.
    """
    extra = episode.trajectory.get("extra")
    if not isinstance(extra, dict) or "conversations" not in extra:
        return [_of_turns(episode) | ({} if rewards is None else {"rewards": [*rewards]})]
    written = [_sent(message, episode.folder) for message in objects_in(extra["messages"])]
    # a reply that ended the work belongs to no turn
    turns = _places(extra["turns"])
    earned = None if rewards is None else dict(zip(turns, rewards, strict=False))
    return [
        _of_conversation(episode, conversation, written, earned)
        for conversation in objects_in(extra["conversations"])
    ]


def _of_conversation(
    episode: RecordedEpisode,
    conversation: JsonObject,
    written: Sequence[JsonObject],
    earned: Mapping[int, float] | None,
) -> JsonObject:
    places = _places(conversation["messages"])
    example = _example(episode, [written[place] for place in places], bool(conversation["tools"]))
    if earned is not None:
        own = [place for place in places if written[place]["role"] == "assistant"]
        example["rewards"] = [earned.get(place, 0.0) for place in own]
    return example


def _places(value: JsonValue) -> list[int]:
    assert isinstance(value, list)
    return [place for place in value if isinstance(place, int)]


def _sent(message: JsonObject, folder: Path) -> JsonObject:
    """Return a message of a recorded conversation, with its pictures as data."""
    content = message.get("content")
    return {**message, "content": _content(content, folder)} if content else message


def _of_turns(episode: RecordedEpisode) -> JsonObject:
    messages: list[JsonValue] = []
    for step in episode.steps:
        if step["source"] == "user":
            messages.append({"role": "user", "content": step["message"]})
            continue
        messages.append(_assistant(step))
        messages += _results(step, episode.folder)
    return _example(episode, messages, tools=True)


def _example(episode: RecordedEpisode, messages: Sequence[JsonValue], tools: bool) -> JsonObject:
    agent = episode.trajectory["agent"]
    assert isinstance(agent, dict)
    return {
        "messages": [*messages],
        "tools": agent["tool_definitions"] if tools else [],
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
    """Return the messages with the results of the step's calls."""
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
    """Return a text, or its parts with the bytes of the pictures."""
    if isinstance(content, str):
        return content
    return [
        part if part["type"] == "text" else _picture(picture_url(part["source"], folder))
        for part in objects_in(content)
    ]


def _picture(url: str) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": url}}
