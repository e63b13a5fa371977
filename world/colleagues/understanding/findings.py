"""What a question was found to ask, clause by clause and as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.scoring import TopicMatch
from trainee_bench.world.colleagues.understanding.topic import Interpretation


@dataclass(frozen=True)
class ClauseFinding:
    """What one clause asks."""

    clause: Clause
    clear: TopicMatch | None = None
    doubts: tuple[TopicMatch, ...] = ()
    foreign: TopicMatch | None = None
    certainty: float = 0.0
    """Of the first doubt."""
    hollow: bool = False
    """The clause says nothing of its own."""


@dataclass(frozen=True)
class ParsedQuestion:
    """A question as it was read: its clauses, whether it fishes, what it asks, and for what."""

    clauses: Sequence[Clause]
    fishing: bool
    judged: Interpretation
    foreign: str | None
