"""Claims about a rule, and the certificate they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass
class Claim:
    """One claim about a rule: whether it held in every instance tried, and what broke it.

    ``facts`` are figures to print (a loss, a mean, a share), by name.
    """

    name: str
    tried: int = 0
    broken: list[str] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """True if it was tried and never broke."""
        return self.tried > 0 and not self.broken

    def expect(self, holds: bool, otherwise: str) -> None:
        """Count one trial; if it does not hold, record *otherwise* as broken."""
        self.tried += 1
        if not holds:
            self.broken.append(otherwise)


@dataclass(frozen=True)
class Certificate:
    """The claims about one rule, tried over a number of seeds."""

    rule: str
    seeds: int
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """True if every claim holds."""
        return all(claim.holds for claim in self.claims)

    def fact(self, name: str) -> float | None:
        """A figure of this certificate, None if it has none of this name."""
        return next((c.facts[name] for c in self.claims if name in c.facts), None)


SAMPLE_SIZE = 3
"""Clues tried with each seed; a rule with nineteen clues would take minutes."""


def rotating_sample(items: Sequence[Item], seed: int) -> tuple[Item, ...]:
    """At most `SAMPLE_SIZE` of *items*; each further seed takes the next ones, cyclically."""
    if len(items) <= SAMPLE_SIZE:
        return tuple(items)
    first = seed * SAMPLE_SIZE
    return tuple(items[(first + place) % len(items)] for place in range(SAMPLE_SIZE))
