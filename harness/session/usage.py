"""What thinking took: tokens and money, of turns and asides together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainee_bench.harness.session.thought import Thought


@dataclass(frozen=True)
class ModelUsage:
    """Totals; None where nothing is known. Tokens are of the replies whose service told them;
    ``cost_usd`` is None as soon as one reply's is unknown, for a part of it would pass as all."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


def total_usage(thoughts: Sequence[Thought]) -> ModelUsage:
    """What *thoughts* took; those that no model had cost nothing."""
    costs = [thought.cost_usd for thought in thoughts if _of_a_model(thought)]
    known = [cost for cost in costs if cost is not None]
    return ModelUsage(
        prompt_tokens=_total(thought.prompt_tokens for thought in thoughts),
        completion_tokens=_total(thought.completion_tokens for thought in thoughts),
        cached_tokens=_total(thought.cached_tokens for thought in thoughts),
        cost_usd=sum(known) if known and len(known) == len(costs) else None,
    )


def _of_a_model(thought: Thought) -> bool:
    told = (thought.model, thought.prompt_tokens, thought.completion_tokens, thought.cost_usd)
    return any(one is not None for one in told)


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
