"""The specification for `trainee-bench generate`: its rules, how demanding they are, its seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from math import comb
from random import Random
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import UnknownRuleError, find_rule, matching_rules
from trainee_bench.meta_tasks.complications import discover_complications, drawn_for
from trainee_bench.meta_tasks.meta_task import Difficulty, Rule
from trainee_bench.meta_tasks.offices.opened import open_offices
from trainee_bench.meta_tasks.scenario import Clock, CompanySize, Scenario
from trainee_bench.world.apps.files import FileAppears

CHARACTERS_OF_A_FACT = 2_000
"""Characters of reading that one fact counts for, if it has to be asked for or told."""
_SEED = 1


def most_demanding(families: Mapping[str, Sequence[Rule]], share: float) -> dict[str, list[Rule]]:
    """Return the most demanding *share* of each family's hard rules, at least one, in their order.

    Families without hard rules are left out.
    """
    found: dict[str, list[Rule]] = {}
    for name, rules in families.items():
        hard = [rule for rule in rules if rule.difficulty is Difficulty.HARD]
        ranked = sorted(hard, key=lambda rule: (-rule_demand(rule.id), rule.id))
        kept = {rule.id for rule in ranked[: max(1, round(share * len(hard)))]}
        if kept:
            found[name] = [rule for rule in hard if rule.id in kept]
    return found


@cache
def rule_demand(rule: str) -> int:
    """Return the characters of the files of a task of *rule*, plus those of its facts.

    Counted on one day, with `CHARACTERS_OF_A_FACT` for each fact.
    """
    instance = single_task_day(rule, _SEED).tasks[0].instance
    facts = len(instance.hidden.clues) + len(instance.hidden.expectations)
    events = (planned.event for planned in instance.hidden.events)
    texts = (event.text for event in events if isinstance(event, FileAppears))
    return CHARACTERS_OF_A_FACT * facts + sum(len(text or "") for text in texts)


SEEDS_PER_SPLIT = 10**9


class DrawMode(StrEnum):
    """Whether to draw uniformly from families and then a rule of each, or directly from rules."""

    FAMILIES = "families"
    RULES = "rules"


class ArrivalPattern(StrEnum):
    """How the tasks of a day arrive. Mixed: all at once in every other scenario."""

    AT_ONCE = "at_once"
    STREAMED = "streamed"
    MIXED = "mixed"


class SeedSplit(StrEnum):
    """Disjoint ranges of seeds, so that training never sees test scenarios."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"

    def draw_seed(self, draws: Random) -> int:
        """Draw a seed from this split's own range."""
        return list(SeedSplit).index(self) * SEEDS_PER_SPLIT + draws.randrange(SEEDS_PER_SPLIT)


MOST_OF_A_FAMILY = 2
"""Largest number of tasks of one family on a day if tasks have complications; otherwise one.

Complications distinguish tasks of the same family.
"""


class InvalidGenerationSpec(Exception):
    """The specification is invalid; the message names the option and says what to change."""


class GenerationSpec(BaseModel):
    """The number of scenarios, days and tasks, and the rules to draw them from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    scenarios: int = Field(ge=1, le=100_000)
    days: int = Field(default=1, ge=1, le=30)
    fewest: int = Field(default=2, ge=1)
    most: int = Field(default=6, le=20)
    seed: int = Field(default=0, ge=0)
    globs: tuple[str, ...] = ("*",)
    fewest_complications: int = Field(default=0, ge=0)
    most_complications: int = Field(default=0, le=4)
    """Least and most complications of each task."""
    unannounced: int = Field(default=0, ge=0, le=4)
    """Number of these that are unannounced, as far as enough fit."""
    preferred: tuple[str, ...] = ()
    """Names of complications for all tasks that they fit, after the unannounced ones."""
    hardest: float = Field(default=1, gt=0, le=1)
    """The most demanding share of each family's hard rules that may be drawn; 1 means all rules."""
    slack: tuple[float, float] | None = None
    """Least and most time over the oracle's on a streamed day.

    None: the oracle has 5 to 120 minutes left for each task.
    """
    demanding: bool = False
    """Whether to keep only days on which an agent that does one task after the other misses a
    deadline.

    This holds in the listed order as well as by deadline.
    """
    overload_every: int = Field(default=0, ge=0)
    """Every how many scenarios one has more work than hours; 0 means none."""
    effort: bool = False
    """Whether calls cost `effort_minutes` rather than their listed minutes."""
    starts: Clock = Scenario.model_fields["starts"].default
    ends: Clock = Scenario.model_fields["ends"].default
    company_size: CompanySize = Scenario.model_fields["company_size"].default
    draw: DrawMode = DrawMode.FAMILIES
    flow: ArrivalPattern = ArrivalPattern.MIXED
    split: SeedSplit = SeedSplit.TRAIN
    salt: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")
    """128 random bits from which each scenario gets its own salt; "" means no salt."""

    def overloads(self, number: int) -> bool:
        """Return whether scenario *number* (from 1) has more work than hours."""
        return self.overload_every > 0 and number % self.overload_every == 0

    @property
    def stream_seed(self) -> int | str:
        """The name of the random streams of these scenarios, besides their number."""
        return f"{self.seed}/{self.salt}" if self.salt else self.seed

    @model_validator(mode="after")
    def _fewest_before_most(self) -> Self:
        if self.fewest > self.most:
            raise ValueError(f"--tasks: {self.fewest} is more than {self.most}; write 2-6")
        if self.fewest_complications > self.most_complications:
            raise ValueError(
                "--complications: the first number is greater than the second; write 1-3"
            )
        if self.unannounced > self.fewest_complications:
            raise ValueError(
                "--unannounced: a task may have fewer complications than that; write a smaller "
                "number"
            )
        unknown = sorted(set(self.preferred) - discover_complications().keys())
        if unknown:
            raise ValueError(
                f"--prefer: unknown complication {', '.join(unknown)}; "
                "trainee-bench catalog --complications lists them"
            )
        if self.preferred and self.unannounced + len(self.preferred) > self.fewest_complications:
            least = self.unannounced + len(self.preferred)
            raise ValueError(
                f"--prefer: a task needs {least} complications or more to have room for that; "
                f"write --complications {least} or leave out --prefer"
            )
        if self.slack and not 1 < self.slack[0] < self.slack[1]:
            raise ValueError(
                "--slack: both numbers must exceed 1, the second the first; write 1.05-1.35"
            )
        if self.slack and self.flow is ArrivalPattern.AT_ONCE:
            raise ValueError("--slack: only streamed days have it; leave out --arrival at_once")
        if self.slack and self.flow is ArrivalPattern.MIXED and self.scenarios == 1:
            raise ValueError(
                "--slack: only streamed days have it, and a single scenario is not streamed; write "
                "--arrival streamed"
            )
        if self.overload_every > self.scenarios:
            raise ValueError(
                f"--overload-every: of {pluralize(self.scenarios, 'scenario')} none would have "
                f"more work than hours; write at most {self.scenarios}"
            )
        if self.overload_every and self.days > 1:
            raise ValueError(
                "--overload-every: only scenarios of one day can have more work than hours; leave "
                "out --days"
            )
        return self

    def rules(self) -> dict[str, list[Rule]]:
        """Return the rules that may be drawn for days, by family (see `matching_rules`).

        Rules that take a week are left out. Raises InvalidGenerationSpec if a glob matches no rule
        to draw, if complications do not fit, if there are too few rules for a day, or if several
        own offices are open.
        """
        if len(offices := open_offices()) > 1:
            raise InvalidGenerationSpec(
                f"{len(offices)} offices are open ({', '.join(offices)}), but generated days are "
                "in one; open only that one"
            )
        try:
            matching = map(find_rule, matching_rules(self.globs))
        except UnknownRuleError as error:
            raise InvalidGenerationSpec(str(error)) from None
        found = [rule for rule in matching if not rule.meta_task.family_class.whole_week]
        self._check_globs(found, "matches only rules that take a whole week, which days never have")
        by_family: dict[str, list[Rule]] = {}
        for rule in found:
            by_family.setdefault(rule.meta_task.family_class.family, []).append(rule)
        if self.hardest < 1:
            by_family = most_demanding(by_family, self.hardest)
            left = [rule for rules in by_family.values() for rule in rules]
            self._check_globs(left, f"matches no rule that --hardest {self.hardest:g} leaves")
        by_family = {
            name: rules
            for name, rules in by_family.items()
            if len(drawn_for(rules[0].meta_task.family_class)) >= self.fewest_complications
        }
        left = [rule for rules in by_family.values() for rule in rules]
        self._check_globs(
            left, f"matches no rule that {self.fewest_complications} --complications fit"
        )
        self._check_names(left)
        if self.draw is DrawMode.FAMILIES:
            available = sum(map(self.most_of, by_family.values()))
        else:
            available = sum(map(len, by_family.values()))
        if available < self.most:
            raise InvalidGenerationSpec(
                f"--rules matches {available} of the {self.draw} that a day of up to "
                f"{pluralize(self.most, 'task')} needs; reduce --tasks or allow more rules"
            )
        return by_family

    def most_of(self, rules: Sequence[Rule]) -> int:
        """Return how many tasks of a day may be of the family that has these *rules*: no two are
        alike."""
        if not self.most_complications:
            return 1
        fitting = len(drawn_for(rules[0].meta_task.family_class))
        sizes = range(self.fewest_complications, self.most_complications + 1)
        different = len(rules) * sum(comb(fitting, size) for size in sizes)
        return min(MOST_OF_A_FAMILY, different)

    def _check_globs(self, left: Sequence[Rule], flaw: str) -> None:
        """Raise InvalidGenerationSpec with the *flaw* of a glob if none of its rules is *left*."""
        ids = {rule.id for rule in left}
        for glob in self.globs:
            if ids.isdisjoint(matching_rules((glob,))):
                raise InvalidGenerationSpec(f"{glob} {flaw}; allow other rules (--rules)")

    def _check_names(self, rules: Sequence[Rule]) -> None:
        """Raise InvalidGenerationSpec if a requested kind of complication fits none of *rules*.

        This checks the preferred complications, and whether any is unannounced.
        """
        fitting = {name for rule in rules for name in drawn_for(rule.meta_task.family_class)}
        for name in self.preferred:
            if name not in fitting:
                raise InvalidGenerationSpec(
                    f"--prefer: {name} fits none of these rules; leave it out or allow other rules "
                    "(--rules)"
                )
        known = discover_complications()
        if self.unannounced and all(known[name].announced for name in fitting):
            raise InvalidGenerationSpec(
                "--unannounced: no such complication fits any of these rules; leave it out or "
                "allow other rules (--rules)"
            )
