"""Findings about a question, for each clause and for the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.scoring import TopicMatch
from trainee_bench.world.colleagues.understanding.topic import Interpretation


@dataclass(frozen=True)
class ClauseFinding:
    """Topics that one clause asks for."""

    clause: Clause
    clear: TopicMatch | None = None
    doubts: tuple[TopicMatch, ...] = ()
    foreign: TopicMatch | None = None
    certainty: float = 0.0
    """The certainty of the first doubt."""
    hollow: bool = False
    """Whether the clause has no content words."""


@dataclass(frozen=True)
class ParsedQuestion:
    """Parsed question: its clauses, whether it fishes, its interpretation and foreign topic."""

    clauses: Sequence[Clause]
    fishing: bool
    judged: Interpretation
    foreign: str | None
