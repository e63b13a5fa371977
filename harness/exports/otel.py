"""Traces in OpenTelemetry's JSON encoding (OTLP), by the semantic conventions for generative AI.

Each episode is one trace:

    invoke_agent AGENT            with an event gen_ai.evaluation.result for each task
    ├── chat MODEL                one for each turn
    └── execute_tool NAME         one for each call

A collector takes each line of JSON at ``/v1/traces``. Times are simulated; a call ends when the
next turn begins.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

from pydantic import JsonValue

from trainee_bench.harness.exports.recorded_episodes import JsonObject, RecordedEpisode
from trainee_bench.harness.records.results import TaskResult
from trainee_bench.mcp_servers.serving.server import package_version

_INTERNAL, _CLIENT = 1, 3
"""The span kinds, as OTLP numbers them."""
_NANOSECONDS = 1_000_000_000


def otel_trace(episode: RecordedEpisode) -> JsonObject:
    """Return the trace of *episode* as the body of an OTLP request."""
    spans = _Spans(episode)
    resource: JsonObject = {
        "attributes": _attributes(
            {"service.name": "trainee-bench", "service.version": package_version()}
        )
    }
    scope: JsonObject = {"name": "trainee_bench.harness.exports", "version": package_version()}
    scoped: JsonObject = {"scope": scope, "spans": [*spans.all()]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


class _Spans:
    """The spans of one episode."""

    def __init__(self, episode: RecordedEpisode):
        self._episode = episode
        self._name = episode.result.episode
        self._trace = sha256(self._name.encode()).hexdigest()[:32]
        self._root = self._id("agent")

    def all(self) -> list[JsonObject]:
        """Return all spans: the root first, then turns and their calls in order."""
        steps = self._episode.steps
        begins = [_nanoseconds(str(step["timestamp"])) for step in steps]
        ends = [*begins[1:], begins[-1]]
        found = [self._agent(begins[0], ends[-1])]
        for step, begun, ended in zip(steps, begins, ends, strict=True):
            if step["source"] == "agent":
                found += [self._turn(step, begun), *self._calls(step, begun, ended)]
        return found

    def _agent(self, begun: int, ended: int) -> JsonObject:
        result, agent = self._episode.result, self._episode.trajectory["agent"]
        assert isinstance(agent, dict)
        named: dict[str, JsonValue] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": agent["name"],
            "gen_ai.conversation.id": self._name,
            "gen_ai.request.model": agent.get("model_name"),
            "trainee_bench.scenario": result.scenario,
            "trainee_bench.day": result.day,
            "trainee_bench.score": result.score,
            "trainee_bench.success": result.success,
        }
        span = self._span(self._root, f"invoke_agent {agent['name']}", begun, ended, named)
        events: list[JsonValue] = [_evaluation(task, ended) for task in result.tasks]
        return span | {"parentSpanId": "", "kind": _INTERNAL, "events": events}

    def _turn(self, step: JsonObject, begun: int) -> JsonObject:
        metrics = step.get("metrics")
        used = metrics if isinstance(metrics, dict) else {}
        model = step.get("model_name")
        named: dict[str, JsonValue] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": used.get("prompt_tokens"),
            "gen_ai.usage.output_tokens": used.get("completion_tokens"),
        }
        name = f"chat {model}" if model else "chat"
        id = self._id(f"turn {step['step_id']}")
        return self._span(id, name, begun, begun, named) | {"kind": _CLIENT}

    def _calls(self, step: JsonObject, begun: int, ended: int) -> list[JsonObject]:
        calls, observation = step.get("tool_calls"), step.get("observation")
        if not isinstance(calls, list) or not isinstance(observation, dict):
            return []
        results = observation["results"]
        assert isinstance(results, list)
        spans = []
        for number, (call, result) in enumerate(zip(calls, results, strict=True)):
            assert isinstance(call, dict)
            assert isinstance(result, dict)
            named: dict[str, JsonValue] = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": call["function_name"],
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": call["tool_call_id"],
                "gen_ai.tool.call.arguments": json.dumps(call["arguments"], ensure_ascii=False),
                "gen_ai.tool.call.result": _text(result["content"]),
            }
            id = self._id(f"call {step['step_id']} {number}")
            name = f"execute_tool {call['function_name']}"
            spans.append(self._span(id, name, begun, ended, named) | {"kind": _INTERNAL})
        return spans

    def _span(
        self, id: str, name: str, begun: int, ended: int, named: dict[str, JsonValue]
    ) -> JsonObject:
        return {
            "traceId": self._trace,
            "spanId": id,
            "parentSpanId": self._root,
            "name": name,
            "startTimeUnixNano": str(begun),
            "endTimeUnixNano": str(ended),
            "attributes": _attributes(named),
        }

    def _id(self, part: str) -> str:
        return sha256(f"{self._name}\n{part}".encode()).hexdigest()[:16]


def _evaluation(task: TaskResult, at: int) -> JsonObject:
    """Return the event with the score of a task."""
    named: dict[str, JsonValue] = {
        "gen_ai.evaluation.name": f"{task.task} {task.rule}",
        "gen_ai.evaluation.score.value": task.score,
        "gen_ai.evaluation.score.label": "complete" if task.success else "not complete",
    }
    return {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": str(at),
        "attributes": _attributes(named),
    }


def _attributes(named: dict[str, JsonValue]) -> list[JsonValue]:
    """Return attributes in OTLP's encoding, without those that have no value."""
    return [
        {"key": key, "value": _value(value)} for key, value in named.items() if value is not None
    ]


def _value(value: JsonValue) -> JsonObject:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}


def _text(content: JsonValue) -> str:
    """Return the text that a tool returned, without pictures."""
    if isinstance(content, str):
        return content
    assert isinstance(content, list)
    return "\n".join(
        str(part["text"]) for part in content if isinstance(part, dict) and "text" in part
    )


def _nanoseconds(moment: str) -> int:
    """Return a simulated time as nanoseconds since 1970, read as UTC."""
    return int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()) * _NANOSECONDS
