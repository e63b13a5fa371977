"""What an agent says and thinks, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ReplyTokens:
    """The ids of the tokens that a model read and wrote, and the log-probability (natural
    logarithm) of each that it wrote; None is unknown."""

    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Thought:
    """What an agent said and thought in a turn, and what that cost; None is unknown."""

    message: str = ""
    reasoning: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    cached_tokens: int | None = None
    """Those tokens of the prompt that the service had in its cache."""
    tokens: ReplyTokens | None = None
    """Recorded only where a run asks for it."""


NO_THOUGHT = Thought()
_MOST = 10**15
"""More tokens or dollars than any day can take; sums of such numbers are finite."""


def sanitize_thought(thought: object) -> Thought:
    """*thought*, which may come from any code, with impossible tokens and costs set to None."""
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
    """*given* if it is a number that a day can have come to."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given if 0 <= given <= _MOST else None
