"""The agent's thought before each call, from its trajectory, or from its journal while it works."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.episodes.turn_journal import journal_turns
from trainee_bench.world.action_log import LogEntry


class AgentThought(BaseModel):
    """The text that the agent wrote in the turn of a call; ``turn`` is the turn's number from 1."""

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
    """Return the agent's thought before each action of *log*, by the action's number.

    A call of the trajectory that is not in the log was refused before it reached the world. A
    missing or foreign trajectory gives no thoughts.
    """
    if trajectory is None:
        return {}
    try:
        steps = _Trajectory.model_validate_json(trajectory.read_bytes()).steps
    except (OSError, ValidationError):
        return {}
    return _by_action([*_calls(steps)], log, employee)


class LiveThoughts:
    """The thoughts of an episode's agent so far, read from the journal that *find* returns while it
    exists. They are known before the calls of their turn are made."""

    def __init__(self, find: Callable[[], Path | None]):
        self._find = find
        self._read = self._turns = 0
        self._calls: list[tuple[_Call, AgentThought]] = []
        self.latest: AgentThought | None = None
        """The thought of the latest turn, None before the first."""

    def read(self, log: Sequence[LogEntry], employee: str) -> Mapping[int, AgentThought]:
        """Return the same as `read_thoughts`. Only new lines of the journal are read."""
        added, path = b"", self._find()
        if path is not None:
            with (
                suppress(OSError),
                path.open("rb") as file,
            ):  # the day just ended: earlier lines remain valid
                file.seek(self._read)
                added = file.read()
        whole = added[: added.rfind(b"\n") + 1]
        self._read += len(whole)
        for turn in journal_turns(whole):
            self._turns += 1
            thought = AgentThought(
                turn=self._turns,
                message=turn.thought.message,
                reasoning=turn.thought.reasoning or "",
                model=turn.thought.model or "",
            )
            self.latest = thought
            self._calls += [
                (_Call(function_name=call.name, arguments=call.arguments), thought)
                for call in turn.calls
            ]
        return _by_action(self._calls, log, employee)


def _by_action(
    calls: Sequence[tuple[_Call, AgentThought]], log: Sequence[LogEntry], employee: str
) -> Mapping[int, AgentThought]:
    """Map the action numbers of *calls* to their thoughts."""
    found: dict[int, AgentThought] = {}
    next_call = 0
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


def _same(asked: Mapping[str, JsonValue], logged: Mapping[str, JsonValue]) -> bool:
    return dict(asked) == dict(logged) or "unspeakable" in logged
