"""What the agent thought before each call, from its trajectory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.world.action_log import LogEntry


class AgentThought(BaseModel):
    """What the agent wrote in the turn of a call; ``turn`` is the turn's number from 1."""

    turn: int
    message: str
    reasoning: str
    model: str


class _Call(BaseModel):
    model_config = ConfigDict(extra="ignore")
    function_name: str
    arguments: dict[str, JsonValue]


class _Step(BaseModel):
    model_config = ConfigDict(extra="ignore")
    source: str
    message: str | list[JsonValue] = ""
    reasoning_content: str = ""
    model_name: str = ""
    tool_calls: list[_Call] = Field(default_factory=list)


class _Trajectory(BaseModel):
    model_config = ConfigDict(extra="ignore")
    steps: list[_Step]


def read_thoughts(
    trajectory: Path | None, log: Sequence[LogEntry], employee: str
) -> Mapping[int, AgentThought]:
    """What the agent thought before each action of *log*, by the action's number.

    A call of the trajectory that is not in the log was refused before it reached the world. A
    trajectory that is missing or is none of ours gives nothing.
    """
    if trajectory is None:
        return {}
    try:
        steps = _Trajectory.model_validate_json(trajectory.read_bytes()).steps
    except (OSError, ValidationError):
        return {}
    found: dict[int, AgentThought] = {}
    calls, next_call = list(_calls(steps)), 0
    for entry in log:
        if entry.actor != employee:
            continue
        for place in range(next_call, len(calls)):
            call, thought = calls[place]
            if call.function_name == entry.tool and _same(call.arguments, entry.arguments):
                found[entry.seq] = thought
                next_call = place + 1
                break
    return found


def _calls(steps: Sequence[_Step]) -> Iterator[tuple[_Call, AgentThought]]:
    turn = 0
    for step in steps:
        if step.source != "agent":
            continue
        turn += 1
        message = step.message if isinstance(step.message, str) else json.dumps(step.message)
        thought = AgentThought(
            turn=turn, message=message, reasoning=step.reasoning_content, model=step.model_name
        )
        for call in step.tool_calls:
            yield call, thought


def _same(one: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> bool:
    return dict(one) == dict(other) or "unspeakable" in other
