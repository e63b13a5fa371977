"""Certificates and the claims that they consist of."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.task_context import CompositionError

Item = TypeVar("Item")
WAIVED = "guessing waived"
"""The beginning of the reason for a rule whose answer may be the same at every seed."""
NO_OFFICE = "this rule is not from an own office"
"""The reason why claims about authors' statements do not apply to built-in rules."""
NO_FACTS = "the task has no hidden facts"
"""The reason why claims about clues do not apply."""
SEVERAL = 2
"""With at least this many complications, a rule may not fit together."""


@dataclass
class Claim:
    """One claim about a rule: the number of its trials, and the trials that broke it.

    ``broken_in`` has the world of each trial that broke it, None where no single world did.
    ``facts`` are figures by name (a loss, a mean, a share); ``notes`` are sentences for the report.
    """

    name: str
    tried: int = 0
    broken: list[str] = field(default_factory=list)
    broken_in: list[TriedWorld | None] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    """The seeds at which the rule's complications do not fit together, each once."""
    inapplicable: str = ""
    """Why the claim says nothing about this rule; "" if it applies."""

    @property
    def holds(self) -> bool:
        """Whether the claim was tried and never broke."""
        return self.tried > 0 and not self.broken

    def __post_init__(self) -> None:
        self._world: TriedWorld | None = None

    def expect(self, holds: bool, otherwise: str, world: TriedWorld | None = None) -> None:
        """Count one trial; if it fails, *otherwise* says what broke the claim.

        The trial's *world* is the plain one of the seed that is being tried unless it is given.
        """
        self.tried += 1
        if not holds:
            self.broken.append(otherwise)
            self.broken_in.append(world or self._world)

    @contextmanager
    def trying(self, rule: str, seed: int, *, stated: bool = False) -> Iterator[None]:
        """Try *rule* at one seed: any exception breaks the claim, which then names both.

        A trial of what the author has *stated* is of no seed, and so of no single world.

        Several complications need not fit together at every seed (see `fitting_seeds`). If
        composing such a rule is refused, nothing is tried, and the other seeds count.
        """
        self._world = None if stated else TriedWorld(seed)
        try:
            yield
        except CompositionError as refusal:
            if rule.count("+") < SEVERAL:
                self.fail(f"{rule}, seed {seed}", refusal)
            elif seed not in self.refused:
                self.refused.append(seed)
        except Exception as bug:  # noqa: BLE001 - a family may raise anything; other seeds go on
            self.fail(f"{rule}, seed {seed}", bug)
        finally:
            self._world = None

    def leave_out(self, rule: str, seeds: Sequence[int], why: str) -> None:
        """Only compose *rule*; *why* says why the claim does not apply to it."""
        for seed in seeds:
            with self.trying(rule, seed):
                single_task_day(rule, seed)
                self.tried += 1
        self.inapplicable = why

    def end_trials(self, why: str) -> None:
        """End the trials; *why* says why the claim does not apply if there was none to make."""
        if not self.tried and not self.refused:
            self.inapplicable = why
        self.tried = max(self.tried, 1)

    def fail(self, where: str, bug: Exception) -> None:
        """Count a trial that raised *bug*; the claim then says *where*."""
        last = traceback.extract_tb(bug.__traceback__)[-1]
        place = f"{last.name} of {last.filename.rpartition('/')[2]}, line {last.lineno}"
        self.expect(False, f"{where}: {type(bug).__name__}: {bug} (in {place})")

    def note_scores(self, name: str, scores: Sequence[float]) -> float:
        """Add the mean and the highest score of *name* to the facts; return the mean."""
        mean = mean_of(scores)
        self.facts |= {f"{name} mean": mean, f"{name} max": max(scores, default=0)}
        return mean


def mean_of(figures: Sequence[float]) -> float:
    """Return the mean, or 0 without figures."""
    return sum(figures) / len(figures) if figures else 0.0


@dataclass(frozen=True)
class Certificate:
    """The claims about one rule, tried over a number of seeds."""

    rule: str
    seeds: int
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.holds for claim in self.claims)

    @property
    def waived(self) -> bool:
        """Whether one answer may be right at every seed."""
        return any(claim.inapplicable.startswith(WAIVED) for claim in self.claims)

    @property
    def applying(self) -> tuple[Claim, ...]:
        """The claims that say something about the rule."""
        return tuple(claim for claim in self.claims if not claim.inapplicable)

    def fact(self, name: str) -> float | None:
        """Return the figure *name* of any claim, None if no claim has it."""
        return next((c.facts[name] for c in self.claims if name in c.facts), None)


SAMPLE_SIZE = 3
"""Number of clues tried per seed; trying all nineteen of some rules would take minutes."""


def rotating_sample(items: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """Return at most SAMPLE_SIZE of *items*; each further seed takes the next ones, in rotation."""
    if len(items) <= SAMPLE_SIZE:
        return tuple(items)
    first = seed * SAMPLE_SIZE
    return tuple(items[(first + place) % len(items)] for place in range(SAMPLE_SIZE))
