"""The tokens that drafts used, recorded beside them."""

from __future__ import annotations

from pydantic import BaseModel

DRAFT_USAGE_EFFECT = "spent_on_drafts"
"""The name of the effect with the usage."""


class DraftUsage(BaseModel, frozen=True):
    """Tokens used, summed over the ``replies`` for which the server reported them."""

    replies: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that the server read from its cache."""
    completion_tokens: int = 0

    def __add__(self, other: DraftUsage) -> DraftUsage:
        return DraftUsage(
            replies=self.replies + other.replies,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )
