"""What to generate, and the seeds that its scenarios may have."""

from __future__ import annotations

import fnmatch
from enum import StrEnum
from random import Random
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.meta_task import Rule

SEEDS_PER_SPLIT = 10**9


class DrawMode(StrEnum):
    """What is drawn uniformly: families first and a rule of each, or rules outright."""

    FAMILIES = "families"
    RULES = "rules"


class ArrivalPattern(StrEnum):
    """How the tasks of a day arrive; mixed: at once in every other scenario."""

    AT_ONCE = "at_once"
    STREAMED = "streamed"
    MIXED = "mixed"


class SeedSplit(StrEnum):
    """Ranges of seeds that never overlap, so that test scenarios are never trained on."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"

    def draw_seed(self, draws: Random) -> int:
        """A seed of this split's own range."""
        return list(SeedSplit).index(self) * SEEDS_PER_SPLIT + draws.randrange(SEEDS_PER_SPLIT)


class InvalidGenerationSpec(Exception):
    """The spec cannot be met; says what to change."""


class GenerationSpec(BaseModel):
    """How many scenarios to generate, of how many days with how many tasks, from which rules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    scenarios: int = Field(ge=1, le=100_000)
    days: int = Field(default=1, ge=1, le=30)
    fewest: int = Field(default=2, ge=1)
    most: int = Field(default=6, le=20)
    seed: int = Field(default=0, ge=0)
    globs: tuple[str, ...] = ("*",)
    draw: DrawMode = DrawMode.FAMILIES
    flow: ArrivalPattern = ArrivalPattern.MIXED
    split: SeedSplit = SeedSplit.TRAIN

    @model_validator(mode="after")
    def _fewest_before_most(self) -> Self:
        if self.fewest > self.most:
            raise ValueError(f"{self.fewest} is more than {self.most}; write 2-6")
        return self

    def rules(self) -> dict[str, list[Rule]]:
        """The rules that may be drawn, by family.

        Raises InvalidGenerationSpec if a glob matches none, or they are too few for a day.
        """
        for glob in self.globs:
            if not fnmatch.filter(all_rules(), glob):
                raise InvalidGenerationSpec(
                    f"no rule matches {glob!r}; `trainee-bench catalog` lists them"
                )
        families: dict[str, list[Rule]] = {}
        for id, rule in all_rules().items():
            if any(fnmatch.fnmatchcase(id, glob) for glob in self.globs):
                families.setdefault(rule.meta_task.family, []).append(rule)
        there = (
            len(families) if self.draw is DrawMode.FAMILIES else sum(map(len, families.values()))
        )
        if there < self.most:
            raise InvalidGenerationSpec(
                f"a day of up to {self.most} tasks needs as many {self.draw}, and the globs match "
                f"{there}; ask for fewer with --tasks, or for more rules"
            )
        return families
