"""Certificates and the claims they consist of."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.task_context import CompositionError

Item = TypeVar("Item")
SEVERAL = 2
"""From so many complications on they may be in each other's way."""


@dataclass
class Claim:
    """One claim about a rule: how many trials it took, and the trials that broke it.

    ``facts`` are figures by name (a loss, a mean, a share), ``notes`` sentences, for the report.
    """

    name: str
    tried: int = 0
    broken: list[str] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    """The seeds, each once, at which the rule's complications do not fit together."""

    @property
    def holds(self) -> bool:
        """Whether it was tried and never broke."""
        return self.tried > 0 and not self.broken

    def expect(self, holds: bool, otherwise: str) -> None:
        """Count one trial; if it does not hold, *otherwise* says what broke the claim."""
        self.tried += 1
        if not holds:
            self.broken.append(otherwise)

    @contextmanager
    def trying(self, rule: str, seed: int) -> Iterator[None]:
        """One seed's trials of *rule*: whatever they raise breaks the claim, which names both.

        Several complications need not fit together at every seed (see `fitting_seeds`): where
        composing such a rule is refused, nothing is tried, and the other seeds count.
        """
        try:
            yield
        except CompositionError as refusal:
            if rule.count("+") < SEVERAL:
                self.fail(f"{rule}, seed {seed}", refusal)
            elif seed not in self.refused:
                self.refused.append(seed)
        except Exception as bug:  # noqa: BLE001 - a family may raise anything; other seeds go on
            self.fail(f"{rule}, seed {seed}", bug)

    def leave_out(self, rule: str, seeds: Sequence[int], why: str) -> None:
        """Only compose *rule*, of which the claim says nothing: *why* goes into the notes."""
        for seed in seeds:
            with self.trying(rule, seed):
                single_task_day(rule, seed)
                self.tried += 1
        self.notes.append(why)

    def fail(self, where: str, bug: Exception) -> None:
        """Count a trial that raised *bug*: it breaks the claim, which says *where*."""
        last = traceback.extract_tb(bug.__traceback__)[-1]
        place = f"{last.name} of {last.filename.rpartition('/')[2]}, line {last.lineno}"
        self.expect(False, f"{where}: {type(bug).__name__}: {bug} (in {place})")

    def note_scores(self, name: str, scores: Sequence[float]) -> float:
        """Put the mean and the highest of what *name* scored into the facts; the mean."""
        mean = mean_of(scores)
        self.facts |= {f"{name} mean": mean, f"{name} max": max(scores, default=0)}
        return mean


def mean_of(figures: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
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

    def fact(self, name: str) -> float | None:
        """The figure *name* of any claim, None if no claim has it."""
        return next((c.facts[name] for c in self.claims if name in c.facts), None)


SAMPLE_SIZE = 3
"""Clues tried per seed; trying all nineteen of some rules would take minutes."""


def rotating_sample(items: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """At most SAMPLE_SIZE of *items*; each further seed takes the next ones, in rotation."""
    if len(items) <= SAMPLE_SIZE:
        return tuple(items)
    first = seed * SAMPLE_SIZE
    return tuple(items[(first + place) % len(items)] for place in range(SAMPLE_SIZE))
