"""What drafts took, as it is recorded beside them."""

from __future__ import annotations

from pydantic import BaseModel

DRAFT_USAGE_EFFECT = "spent_on_drafts"
"""The effect that holds it."""


class DraftUsage(BaseModel, frozen=True):
    """Tokens of as many ``replies`` as their service counted them for."""

    replies: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompts that the service had in mind from before."""
    completion_tokens: int = 0

    def __add__(self, other: DraftUsage) -> DraftUsage:
        return DraftUsage(
            replies=self.replies + other.replies,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )
