"""What `trainee-bench generate` is asked for: how much rules may demand, and which seeds its
scenarios may have."""

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
from trainee_bench.meta_tasks.scenario import Clock, CompanySize, Scenario
from trainee_bench.world.apps.files import FileAppears

CHARACTERS_OF_A_FACT = 2_000
"""A fact that has to be asked for, or told, counts as so many characters to be read."""
_SEED = 1


def most_demanding(families: Mapping[str, Sequence[Rule]], share: float) -> dict[str, list[Rule]]:
    """The *share* of each family's hard rules that demands most, at least one, in their order;
    families without hard rules are left out."""
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
    """The characters of the files that a task of *rule* brings, and its facts (see
    `CHARACTERS_OF_A_FACT`), counted on one day."""
    instance = single_task_day(rule, _SEED).tasks[0].instance
    facts = len(instance.hidden.clues) + len(instance.hidden.expectations)
    events = (planned.event for planned in instance.hidden.events)
    texts = (event.text for event in events if isinstance(event, FileAppears))
    return CHARACTERS_OF_A_FACT * facts + sum(len(text or "") for text in texts)


SEEDS_PER_SPLIT = 10**9


class DrawMode(StrEnum):
    """What is drawn uniformly: families and then a rule of each, or rules directly."""

    FAMILIES = "families"
    RULES = "rules"


class ArrivalPattern(StrEnum):
    """How the tasks of a day arrive. Mixed: all at once in every other scenario."""

    AT_ONCE = "at_once"
    STREAMED = "streamed"
    MIXED = "mixed"


class SeedSplit(StrEnum):
    """Disjoint ranges of seeds, so that training never sees what is tested."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"

    def draw_seed(self, draws: Random) -> int:
        """A seed of this split's own range."""
        return list(SeedSplit).index(self) * SEEDS_PER_SPLIT + draws.randrange(SEEDS_PER_SPLIT)


MOST_OF_A_FAMILY = 2
"""How many tasks of a day may be of one family if tasks have complications, which tell them apart;
else one."""


class InvalidGenerationSpec(Exception):
    """The specification is invalid; the message names the option and says what to change."""


class GenerationSpec(BaseModel):
    """How many scenarios, days and tasks, and which rules they are drawn from."""

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
    """How many complications each task has, at least and at most."""
    unannounced: int = Field(default=0, ge=0, le=4)
    """So many of them are such that nobody announces, where so many fit."""
    preferred: tuple[str, ...] = ()
    """Names of complications that each task has that they fit, after those nobody announces."""
    hardest: float = Field(default=1, gt=0, le=1)
    """Which share of each family's hard rules may be drawn, the most demanding; 1: all rules."""
    slack: tuple[float, float] | None = None
    """The least and the most time there is over the oracle's on a streamed day; None: the oracle
    has 5 to 120 minutes left for each task."""
    demanding: bool = False
    """Whether only days are kept on which doing one task after the other misses a deadline,
    in the order listed as well as by deadline."""
    overload_every: int = Field(default=0, ge=0)
    """The numbers of the scenarios with more work than hours are its multiples; 0: none."""
    effort: bool = False
    """Whether calls cost what `effort_minutes` says rather than what is listed."""
    starts: Clock = Scenario.model_fields["starts"].default
    ends: Clock = Scenario.model_fields["ends"].default
    company_size: CompanySize = Scenario.model_fields["company_size"].default
    draw: DrawMode = DrawMode.FAMILIES
    flow: ArrivalPattern = ArrivalPattern.MIXED
    split: SeedSplit = SeedSplit.TRAIN
    salt: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")
    """128 random bits from which each scenario gets a salt of its own; "": none has one."""

    def overloads(self, number: int) -> bool:
        """Whether scenario *number* (from 1) has more work than hours."""
        return self.overload_every > 0 and number % self.overload_every == 0

    @property
    def stream_seed(self) -> int | str:
        """What names the random streams of these scenarios besides their number."""
        return f"{self.seed}/{self.salt}" if self.salt else self.seed

    @model_validator(mode="after")
    def _fewest_before_most(self) -> Self:
        if self.fewest > self.most:
            raise ValueError(f"--tasks: {self.fewest} is more than {self.most}; write 2-6")
        if self.fewest_complications > self.most_complications:
            raise ValueError("--complications: the most are fewer than the least; write 1-3")
        if self.unannounced > self.fewest_complications:
            raise ValueError(
                "--unannounced: there may be fewer complications than that; write a smaller number"
            )
        unknown = sorted(set(self.preferred) - discover_complications().keys())
        if unknown:
            raise ValueError(
                f"--prefer: there is no complication {', '.join(unknown)}; "
                "trainee-bench catalog --complications lists them"
            )
        if self.preferred and self.unannounced + len(self.preferred) > self.fewest_complications:
            least = self.unannounced + len(self.preferred)
            raise ValueError(
                f"--prefer: a task has room for that if it has {least} complications or more; "
                f"write --complications {least} or leave out --prefer"
            )
        if self.slack and not 1 < self.slack[0] < self.slack[1]:
            raise ValueError("--slack: 1 < the least < the most has to hold; write 1.05-1.35")
        if self.slack and self.flow is ArrivalPattern.AT_ONCE:
            raise ValueError("--slack: only streamed days have it; leave out --arrival at_once")
        if self.slack and self.flow is ArrivalPattern.MIXED and self.scenarios == 1:
            raise ValueError(
                "--slack: only streamed days have it, and a single scenario is none; write "
                "--arrival streamed"
            )
        if self.overload_every > self.scenarios:
            raise ValueError(
                f"--overload-every: of {pluralize(self.scenarios, 'scenario')} none would have "
                "more work than "
                "hours; write a number that is not greater"
            )
        if self.overload_every and self.days > 1:
            raise ValueError(
                "--overload-every: only scenarios of one day can have more work than hours; leave "
                "out --days"
            )
        return self

    def rules(self) -> dict[str, list[Rule]]:
        """The rules that may be drawn for days, by family (see `matching_rules`): those that take a
        week never are.

        Raises InvalidGenerationSpec for a glob of which none can be drawn, for complications that
        do not fit, or for too few rules for a day.
        """
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
        """How many tasks of a day may be of the family that has these *rules*: no two are alike."""
        if not self.most_complications:
            return 1
        fitting = len(drawn_for(rules[0].meta_task.family_class))
        sizes = range(self.fewest_complications, self.most_complications + 1)
        different = len(rules) * sum(comb(fitting, size) for size in sizes)
        return min(MOST_OF_A_FAMILY, different)

    def _check_globs(self, left: Sequence[Rule], flaw: str) -> None:
        """Raise InvalidGenerationSpec with the *flaw* of a glob of whose rules none is *left*."""
        ids = {rule.id for rule in left}
        for glob in self.globs:
            if ids.isdisjoint(matching_rules((glob,))):
                raise InvalidGenerationSpec(f"{glob} {flaw}; allow other rules (--rules)")

    def _check_names(self, rules: Sequence[Rule]) -> None:
        """Raise InvalidGenerationSpec if none of *rules* can have what is asked for by name, or a
        complication that nobody announces."""
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
