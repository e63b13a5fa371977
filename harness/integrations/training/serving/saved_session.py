"""A saved session: its day, and the calls of every step, one line of JSON for each. A last line
has the hash of all others.

The hash finds damage. It is no key: whoever may write to the store can save another session. Days
are deterministic, so repeating the calls brings the same world back. That takes some kilobytes and
a millisecond per call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, ScenarioDay

__all__ = ["NotSavable", "SavedSession", "UnreadableSession", "sealed", "session_line", "step_line"]

Step = tuple[ToolCall, ...]


class NotSavable(ValueError):
    """A step or a name cannot be saved, so it was refused; the text says why."""


class UnreadableSession(Exception):
    """A saved session cannot be continued by this version; the text says why."""


class _SavedCall(BaseModel):
    """A call that was answered."""

    model_config = ConfigDict(extra="forbid")

    name: str
    arguments: dict[str, JsonValue]


class _SavedStep(BaseModel):
    """A line after the first: the calls of a step."""

    model_config = ConfigDict(extra="forbid")

    calls: list[_SavedCall]


class _SavedDay(BaseModel):
    """The first line: which day the session works, and the versions that made it."""

    model_config = ConfigDict(extra="forbid")

    generator: int = GENERATOR_VERSION
    score_version: int = SCORE_VERSION
    given: ScenarioDay
    card: DayCard
    name: str


_DAMAGED = "the saved session is damaged; reset without its token begins another day"


@dataclass(frozen=True)
class SavedSession:
    """A session as it was saved. ``lines`` are the content without its hash; the first names the
    day."""

    given: ScenarioDay
    card: DayCard
    name: str
    steps: list[Step]
    lines: list[bytes]

    @classmethod
    def read(cls, content: bytes) -> SavedSession:
        """Return the session of *content*. Raises UnreadableSession."""
        *lines, _ = content.split(b"\n")
        if sealed(lines) != content:
            raise UnreadableSession(_DAMAGED)
        try:
            day = _SavedDay.model_validate_json(lines[0])
            steps = [_read_step(line) for line in lines[1:]]
        except ValidationError:
            raise UnreadableSession(_DAMAGED) from None
        if (day.generator, day.score_version) != (GENERATOR_VERSION, SCORE_VERSION):
            raise UnreadableSession(
                f"generator {day.generator} and score version {day.score_version} saved this "
                f"session; here they are {GENERATOR_VERSION} and {SCORE_VERSION}"
            )
        return cls(day.given, day.card, day.name, steps, lines)


def sealed(lines: Sequence[bytes]) -> bytes:
    """Return the content to save for these lines."""
    content = b"\n".join(lines)
    return content + b"\n" + hashlib.sha256(content).hexdigest().encode()


def session_line(given: ScenarioDay, card: DayCard, name: str) -> bytes:
    """Return the first line of a session. Raises NotSavable for a name that is no text."""
    try:
        return _SavedDay(given=given, card=card, name=name).model_dump_json().encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        raise NotSavable(
            "this episode_id cannot be saved: use text without lone surrogates"
        ) from None


def step_line(calls: Sequence[ToolCall]) -> bytes:
    """Return the line of a step. Raises NotSavable if reading it would not give the same calls."""
    try:
        saved = [_SavedCall(name=call.name, arguments=dict(call.arguments)) for call in calls]
        line = _SavedStep(calls=saved).model_dump_json().encode()
        same = _read_step(line) == tuple(_unnamed(call) for call in calls)
    except (ValueError, TypeError, RecursionError):
        same = False
    if not same:
        raise NotSavable(
            "this call cannot be saved, so it was not made: its name and arguments must be JSON "
            "without lone surrogates, NaN, infinity, numbers of thousands of digits or values "
            "nested hundreds deep. Correct it and step again"
        )
    return line


def _unnamed(call: ToolCall) -> ToolCall:
    return ToolCall(call.name, dict(call.arguments))


def _read_step(line: bytes) -> Step:
    step = _SavedStep.model_validate_json(line)
    return tuple(ToolCall(call.name, call.arguments) for call in step.calls)
