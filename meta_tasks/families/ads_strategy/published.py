"""Entries of this family in the original's configuration files."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import AliasChoices, BaseModel, Field, field_validator

from trainee_bench.meta_tasks.authoring import PublishedEntry
from trainee_bench.meta_tasks.families.ads_strategy.campaign import (
    CampaignDifficulty,
    ChannelMix,
    City,
)


class _PublishedParameters(BaseModel, frozen=True, extra="forbid"):
    city: City
    difficulty: CampaignDifficulty
    mix: ChannelMix = Field(
        default=ChannelMix.BALANCED, validation_alias=AliasChoices("mix", "channel_mix")
    )

    @field_validator("city", mode="before")
    @classmethod
    def _letters(cls, given: object) -> object:
        """A city by its letters alone: Xi'an is XiAn."""
        if not isinstance(given, str):
            return given
        letters = "".join(filter(str.isalpha, given)).casefold()
        return next((city for city in City if city.casefold() == letters), given)

    @field_validator("difficulty", mode="before")
    @classmethod
    def _with_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class PublishedAdsStrategy(PublishedEntry):
    """An entry's arguments; without a mix of channels it is the balanced one."""

    task_params: _PublishedParameters

    def parameters(self) -> Mapping[str, object]:
        """City, difficulty and mix."""
        return dict(self.task_params)
