"""The section on the facts in agents' work: seen before or not, and how agents asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainee_bench.harness.documents.document import (
    FILES,
    Column,
    Grid,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, pluralize
from trainee_bench.harness.records.provenance_figures import (
    FactOrigin,
    ProvenanceFigures,
    total_provenance,
)
from trainee_bench.harness.records.results import EpisodeResult


def provenance_sections(results: Sequence[EpisodeResult]) -> list[Section]:
    """Return the section; none if no day with facts was measured."""
    totals = provenance_by_agent(results)
    if not any(figures.facts for figures in totals.values()):
        return []
    grid = provenance_grid(totals)
    blocks = (grid, Section("", (meanings_of(grid),), media=FILES))
    return [Section("Where the facts came from", blocks, key="provenance", media=FILES)]


def provenance_by_agent(results: Sequence[EpisodeResult]) -> dict[str, ProvenanceFigures]:
    """Return the facts and questions of each agent over all its measured days, by name."""
    found = {}
    for agent in sorted({result.agent for result in results}):
        own = (result.provenance for result in results if result.agent == agent)
        total = total_provenance(figures for figures in own if figures is not None)
        if total is not None:
            found[agent] = total
    return found


def provenance_grid(totals: dict[str, ProvenanceFigures]) -> Grid:
    """Return a row per agent."""
    columns = (Column("facts of"), *(column for column, _ in _COLUMNS))
    rows = [(agent, *(cell(figures) for _, cell in _COLUMNS)) for agent, figures in totals.items()]
    return Grid(columns, tuple(rows))


def task_facts(figures: ProvenanceFigures | None, task: str) -> str:
    """Count the facts with which *task* was delivered, by what was known of them; "" if none."""
    own = [fact.origin for fact in figures.facts if fact.task == task] if figures else []
    counts = [(origin, own.count(origin)) for origin in FactOrigin]
    told = ", ".join(f"{count} {origin}" for origin, count in counts if count)
    total = sum(count for _, count in counts)
    return f"{pluralize(total, 'fact')} delivered: {told}" if told else ""


def _count(origin: FactOrigin) -> Callable[[ProvenanceFigures], str]:
    return lambda figures: str(figures.delivered(origin))


def _percent(share: float | None) -> str:
    return NO_VALUE if share is None else f"{100 * share:.0f} %"


_COLUMNS: tuple[tuple[Column, Callable[[ProvenanceFigures], str]], ...] = (
    (
        Column("seen", "delivered facts that the agent had seen as they were at the deadline"),
        _count(FactOrigin.SEEN),
    ),
    (
        Column("stale", "delivered facts of which it had seen only an earlier version"),
        _count(FactOrigin.STALE),
    ),
    (
        Column("unseen", "delivered facts of which it had seen no version"),
        _count(FactOrigin.UNSEEN),
    ),
    (
        Column("unseen share", "unseen facts among all delivered facts"),
        lambda figures: _percent(figures.unseen_share),
    ),
    (
        Column(
            "asking precision", "questions whose answers told a needed fact that was not known yet"
        ),
        lambda figures: _percent(figures.precision),
    ),
    (
        Column("asking recall", "facts told, of those that colleagues tell when asked"),
        lambda figures: _percent(figures.recall),
    ),
)
