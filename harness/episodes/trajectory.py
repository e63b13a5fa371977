"""An episode's record in the Agent Trajectory Interchange Format, ATIF-v1.8.

Times are simulated, so the same episode gives the same file. The format refuses unknown root keys;
this benchmark's own keys are in ``extra``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import (
    ReplyTokens,
    Thought,
    ToolCall,
    ToolInfo,
    ToolResult,
    TurnRecord,
    total_usage,
)
from trainee_bench.mcp_servers.serving.server import package_version

ATIF = "ATIF-v1.8"
_NUMBERS = re.compile(r"\[\n\s+(-?[\d.eE+-]+(?:,\n\s+-?[\d.eE+-]+)+)\n\s+\]")
"""A list of several numbers that is written over several lines."""
JsonObject = dict[str, JsonValue]


def write_trajectory(
    path: Path, spec: EpisodeSpec, sessions: Sequence[AgentSession], result: EpisodeResult
) -> None:
    """Write the record of *sessions*, one for each day, to *path*.

    Their pictures are written to a folder beside it.
    """
    pictures = _Pictures(path.with_suffix(".pictures"))
    document = build_trajectory(spec, sessions, result, pictures)
    draft = path.with_suffix(".draft")
    text = _in_one_line(json.dumps(document, ensure_ascii=False, indent=1))
    # A model's text may contain lone surrogates.
    draft.write_text(text, encoding="utf-8", errors="replace")
    draft.replace(path)


def _in_one_line(text: str) -> str:
    """Return *text* (JSON) with each list of numbers, such as token ids, in one line.

    Strings in it stay the same, since JSON writes their line ends as \\n.
    """
    return _NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text)


class _Pictures:
    """Writer of pictures as numbered files."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._count = 0
        self._paths: dict[tuple[bytes, str], str] = {}

    def keep(self, data: bytes, mime_type: str) -> str:
        """Write one picture, unless it was written before; return its path relative to the
        trajectory."""
        if (data, mime_type) in self._paths:
            return self._paths[data, mime_type]
        self._folder.mkdir(exist_ok=True)
        self._count += 1
        file = self._folder / f"{self._count}.{mime_type.rpartition('/')[2]}"
        file.write_bytes(data)
        self._paths[data, mime_type] = f"{self._folder.name}/{file.name}"
        return self._paths[data, mime_type]


def build_trajectory(
    spec: EpisodeSpec,
    sessions: Sequence[AgentSession],
    result: EpisodeResult,
    pictures: _Pictures,
) -> JsonObject:
    """Return the trajectory as an ATIF document; each day begins with its prompt."""
    steps: list[JsonValue] = []
    for session in sessions:
        start = session.record[0].began if session.record else session.now
        steps.append(
            {
                "step_id": len(steps) + 1,
                "timestamp": start.isoformat(),
                "source": "user",
                "message": session.prompt,
            }
        )
        for record in session.record:
            steps.append(_step(len(steps) + 1, record, pictures))
    thoughts = [thought for session in sessions for thought in session.thoughts]
    return {
        "schema_version": ATIF,
        "session_id": spec.id,
        "trajectory_id": spec.id,
        "agent": {
            "name": spec.agent,
            "version": package_version(),
            **_model(spec, thoughts),
            "tool_definitions": [_definition(tool) for tool in sessions[0].tools],
        },
        "steps": steps,
        "final_metrics": _totals(thoughts, len(steps)),
        "extra": {
            "benchmark": "trainee-bench",
            "scenario": spec.scenario.name,
            "day": spec.day_name,
            "attempt": spec.attempt,
            "score": result.score,
            "success": result.success,
            "ended": result.ended,
            "agent_error": result.agent_error,
            "incidents": dict(result.incidents),
            "asides": [_aside(thought) for session in sessions for thought in session.asides],
            **_conversations(sessions, pictures),
            "tasks": [
                {"task": task.task, "rule": task.rule, "score": task.score} for task in result.tasks
            ],
        },
    }


def _conversations(sessions: Sequence[AgentSession], pictures: _Pictures) -> JsonObject:
    """Return the messages to and from the model on all days; nothing without a model."""
    messages: list[JsonValue] = []
    conversations: list[JsonValue] = []
    turns: list[JsonValue] = []
    for sent in (session.sent for session in sessions):
        first = len(messages)
        for conversation in sent.conversations:
            places: list[JsonValue] = [first + place for place in conversation.places]
            conversations.append({"tools": conversation.tools, "messages": places})
        turns += [first + place for place in sent.turns]
        messages += [_message(message, pictures) for message in sent.messages]
    if not messages:
        return {}
    return {"messages": messages, "conversations": conversations, "turns": turns}


def _message(message: JsonObject, pictures: _Pictures) -> JsonObject:
    """Return *message* with its pictures in files."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_part(part, pictures) for part in content]}


def _part(part: JsonValue, pictures: _Pictures) -> JsonValue:
    shown = part.get("image_url") if isinstance(part, dict) else None
    if not isinstance(shown, dict):
        return part
    kind, _, data = str(shown["url"]).removeprefix("data:").partition(";base64,")
    path = pictures.keep(base64.b64decode(data), kind)
    return {"type": "image", "source": {"media_type": kind, "path": path}}


def _step(number: int, record: TurnRecord, pictures: _Pictures) -> JsonObject:
    step: JsonObject = {
        "step_id": number,
        "timestamp": record.began.isoformat(),
        "source": "agent",
        "message": record.thought.message,
    }
    if record.thought.model is not None:
        step["model_name"] = record.thought.model
    if record.thought.reasoning is not None:
        step["reasoning_content"] = record.thought.reasoning
    if record.calls:
        step["tool_calls"] = [_tool_call(call) for call in record.calls]
        pairs = zip(record.calls, record.answers, strict=True)
        results: list[JsonValue] = [_result(call, answer, pictures) for call, answer in pairs]
        step["observation"] = {"results": results}
    metrics = _metrics(record.thought)
    if metrics:
        step["metrics"] = metrics
    if record.thinking_minutes:
        step["extra"] = {"thinking_minutes": record.thinking_minutes}
    return step


def _tool_call(call: ToolCall) -> JsonObject:
    return {
        "tool_call_id": call.id,
        "function_name": call.name,
        "arguments": dict(call.arguments),
    }


def _result(call: ToolCall, answer: ToolResult, pictures: _Pictures) -> JsonObject:
    content: str | list[JsonValue] = answer.text
    if answer.pictures:
        content = [{"type": "text", "text": answer.text}]
        for picture in answer.pictures:
            path = pictures.keep(picture.data, picture.mime_type)
            source: JsonObject = {"media_type": picture.mime_type, "path": path}
            content.append({"type": "image", "source": source})
    return {"source_call_id": call.id, "content": content}


def _metrics(thought: Thought) -> JsonObject:
    named: Mapping[str, float | None] = {
        "prompt_tokens": thought.prompt_tokens,
        "completion_tokens": thought.completion_tokens,
        "cached_tokens": thought.cached_tokens,
        "cost_usd": thought.cost_usd,
    }
    counted: JsonObject = {name: value for name, value in named.items() if value is not None}
    return counted | _tokens(thought.tokens)


def _tokens(tokens: ReplyTokens | None) -> JsonObject:
    if tokens is None:
        return {}
    named: Mapping[str, Sequence[float] | None] = {
        "prompt_token_ids": tokens.prompt_ids,
        "completion_token_ids": tokens.completion_ids,
        "logprobs": tokens.logprobs,
    }
    return {name: list(value) for name, value in named.items() if value is not None}


def _totals(thoughts: list[Thought], steps: int) -> JsonObject:
    """Return the usage of the whole episode, including asides."""
    took = total_usage(thoughts)
    named: Mapping[str, float | None] = {
        "total_prompt_tokens": took.prompt_tokens,
        "total_completion_tokens": took.completion_tokens,
        "total_cached_tokens": took.cached_tokens,
        "total_cost_usd": took.cost_usd,
        "total_steps": steps,
    }
    return {name: value for name, value in named.items() if value is not None}


def _model(spec: EpisodeSpec, thoughts: Sequence[Thought]) -> JsonObject:
    """Return the model's name as its service last reported it; else its alias, if any."""
    told = [thought.model for thought in thoughts if thought.model]
    name = told[-1] if told else spec.agent_config.model
    return {"model_name": name} if name else {}


def _aside(thought: Thought) -> JsonObject:
    """Return a thought outside of turns as a step."""
    aside: JsonObject = {"message": thought.message, "metrics": _metrics(thought)}
    if thought.model is not None:
        aside["model_name"] = thought.model
    if thought.reasoning is not None:
        aside["reasoning_content"] = thought.reasoning
    return aside


def _definition(tool: ToolInfo) -> JsonObject:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.input_schema),
        },
    }
