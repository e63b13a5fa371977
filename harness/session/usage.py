"""Tokens and cost of an agent's thoughts, of turns and asides together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainee_bench.harness.session.thought import Thought


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
    """The usage of *thoughts*; those without a model cost nothing."""
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
