"""A finding of `office check`: what is wrong or doubtful, how much it matters, and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class Weight(IntEnum):
    """How much a finding matters, the gravest first. The first two are wrong, the others may be
    meant."""

    BREAKS = 1
    """A task cannot be solved."""
    UNFAIR = 2
    """A task can be solved without its work, or only by luck."""
    DOUBTFUL = 3
    """Somebody who works honestly may stumble, or nobody has vouched for the answer."""
    HINT = 4
    """Something could be better."""


@dataclass(frozen=True)
class Finding:
    """A wrong or doubtful thing in a file, with the remedy."""

    where: str
    text: str
    weight: Weight

    @property
    def wrong(self) -> bool:
        """Whether it has to be mended."""
        return self.weight <= Weight.UNFAIR

    def __str__(self) -> str:
        return f"{'wrong' if self.wrong else 'look at'}: {self.where}: {self.text}"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of their importance; those that matter alike stay in order."""
    return sorted(findings, key=lambda finding: finding.weight)
