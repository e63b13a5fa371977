"""The parts of a turn: thoughts, calls, results, tokens, and the record of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolData
from trainee_bench.world.transaction import Notice, Picture

__all__ = ["InfrastructureFault", "ToolCall", "ToolInfo", "ToolResult", "ToolTransport"]


class InfrastructureFault(Exception):
    """A failure that the agent did not cause, such as a server or a model service that is down.

    It breaks the episode, which is then tried once more.
    """


@dataclass(frozen=True)
class ToolInfo:
    """A tool on offer; a call takes ``minutes`` of simulated time."""

    name: str
    description: str
    input_schema: Mapping[str, JsonValue]
    minutes: int


@dataclass(frozen=True)
class ToolCall:
    """A call that an agent wants to make; an ``id`` of "" is replaced by a generated one."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class ToolResult:
    """Result of a call: ``text`` for a model, ``data`` the same as JSON (None on failure).

    ``time`` is the simulated time after the call, None if it was not made. ``notices`` tell what is
    new since the last call.
    """

    text: str
    data: ToolData | None
    time: datetime | None
    failed: bool = False
    notices: tuple[Notice, ...] = ()
    pictures: tuple[Picture, ...] = ()


class ToolTransport(Protocol):
    """Transport of calls, over MCP or in the same process."""

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call. Any exception is a fault of the infrastructure."""


@dataclass(frozen=True)
class ReplyTokens:
    """Ids of the tokens that a model read and wrote; None is unknown.

    Each token that it wrote has its log-probability (natural logarithm).
    """

    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Thought:
    """The words and thoughts of an agent in a turn, and their cost; None is unknown."""

    message: str = ""
    reasoning: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    cached_tokens: int | None = None
    """Tokens of the prompt that the service had in its cache."""
    tokens: ReplyTokens | None = None
    """Recorded only if the run asks for it."""


NO_THOUGHT = Thought()
_MOST = 10**15
"""A limit above the tokens or dollars of any day; sums of such numbers are finite."""


def sanitize_thought(thought: object) -> Thought:
    """Return *thought*, which may come from any code, with impossible tokens and costs as None."""
    if not isinstance(thought, Thought):
        return NO_THOUGHT
    return replace(
        thought,
        prompt_tokens=_tokens(thought.prompt_tokens),
        completion_tokens=_tokens(thought.completion_tokens),
        cached_tokens=_tokens(thought.cached_tokens),
        cost_usd=_finite(thought.cost_usd),
        tokens=thought.tokens if isinstance(thought.tokens, ReplyTokens) else None,
    )


def _tokens(given: object) -> int | None:
    known = _finite(given)
    return None if known is None else int(known)


def _finite(given: object) -> float | None:
    """Return *given* if it is a number that a day can reach, else None."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given if 0 <= given <= _MOST else None


@dataclass(frozen=True)
class TurnRecord:
    """One turn: the thought, the calls with their answers, and the simulated time it began.

    ``thinking_minutes`` are the minutes that the thought took, before the calls were made.
    """

    began: datetime
    thought: Thought
    calls: tuple[ToolCall, ...]
    answers: tuple[ToolResult, ...]
    thinking_minutes: int = 0


class TurnListener(Protocol):
    """Listener that is notified twice of each turn. An exception that it raises breaks the
    episode."""

    def turn_begins(self, began: datetime, thought: Thought, calls: Sequence[ToolCall]) -> None:
        """Handle the beginning of a turn, before the first of *calls* is made."""

    def turn_ends(self, answers: Sequence[ToolResult]) -> None:
        """Handle the end of a turn; calls without an answer are left out, as in the record."""


@dataclass(frozen=True)
class ModelUsage:
    """Totals; None is unknown. Tokens are those of the replies whose service counted them.

    ``cost_usd`` is None if the cost of any reply is unknown: a part would look like the whole.
    """

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


def total_usage(thoughts: Sequence[Thought]) -> ModelUsage:
    """Return the usage of *thoughts*; those without a model cost nothing."""
    costs = [thought.cost_usd for thought in thoughts if _of_a_model(thought)]
    known = [cost for cost in costs if cost is not None]
    return ModelUsage(
        prompt_tokens=_total(thought.prompt_tokens for thought in thoughts),
        completion_tokens=_total(thought.completion_tokens for thought in thoughts),
        cached_tokens=_total(thought.cached_tokens for thought in thoughts),
        cost_usd=sum(known) if known and len(known) == len(costs) else None,
    )


def _of_a_model(thought: Thought) -> bool:
    facts = (thought.model, thought.prompt_tokens, thought.completion_tokens, thought.cost_usd)
    return any(fact is not None for fact in facts)


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
