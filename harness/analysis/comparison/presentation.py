"""A comparison in words and cells, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.comparison.paired import (
    MIN_DIFFERING_SCENARIOS,
    Comparison,
    PairedDifference,
    RankedRun,
)
from trainee_bench.harness.analysis.report.table import NO_VALUE, format_estimate, format_number

TableCells = tuple[list[str], list[list[str]]]

COMPARISON_NOTE = (
    "Ranks and verdicts by a paired bootstrap over scenarios: a tie is where the 95 % interval of "
    f"the difference holds 0, or fewer than {MIN_DIFFERING_SCENARIOS} scenarios differ. Each interval is for its "
    "pair alone. Seen with 80 %: the smallest true difference that so many scenarios would have "
    "shown with a chance of 80 %. Left out: episodes in which something was not graded."
)


def standings_cells(comparison: Comparison) -> TableCells:
    """Headings and a row per entrant, the best rank first; equal ranks are marked with =."""
    standings = sorted(comparison.standings, key=_place)
    by_score = [one.score_rank for one in standings]
    by_success = [one.success_rank for one in standings]
    rows = [
        [
            one.label,
            _rank(one.score_rank, by_score),
            format_estimate(one.score),
            _rank(one.success_rank, by_success),
            format_estimate(one.success),
            str(one.episodes),
            str(one.dropped) if one.dropped else NO_VALUE,
            format_number(one.coverage),
        ]
        for one in standings
    ]
    headings = ["who", "rank by score", "score", "rank by success", "success", "episodes"]
    return [*headings, "left out", "coverage"], rows


def _place(one: RankedRun) -> tuple[int, float, str]:
    """By rank, and where that is shared by the score as it happened to be."""
    return one.score_rank, -(one.score.mean if one.score else -1), one.label


def pairs_cells(comparison: Comparison) -> TableCells:
    """Headings and, for each two entrants, a row for score and one for success."""
    rows = []
    for pair in comparison.pairs:
        one, other = (comparison.standings[place].label for place in (pair.one, pair.other))
        for what, by in (("score", pair.score), ("success", pair.success)):
            rows.append(
                [
                    f"{one} – {other}",
                    what,
                    _difference(by),
                    describe_difference(by, one, other),
                    f"{by.scenarios} ({by.differing})",
                    format_number(by.detectable, 3),
                ]
            )
    headings = ["difference", "of", "mean (95 %)", "verdict", "scenarios (differ)"]
    return [*headings, "seen with 80 %"], rows


def describe_difference(by: PairedDifference, one: str, other: str) -> str:
    """Who is better, or that it is a tie and, where that is why, that too little was measured."""
    if not by.tie:
        return f"{one if by.mean > 0 else other} is better"
    decided = by.low is not None and by.high is not None and not by.low <= 0 <= by.high
    return "tie: too few scenarios" if decided or by.scenarios < MIN_DIFFERING_SCENARIOS else "tie"


def _difference(by: PairedDifference) -> str:
    if by.low is None or by.high is None:
        return _signed(by.mean)
    return f"{_signed(by.mean)} ({_signed(by.low)} to {_signed(by.high)})"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}" if round(value, 3) else "0.000"


def _rank(rank: int, ranks: Sequence[int]) -> str:
    return f"{rank}=" if ranks.count(rank) > 1 else str(rank)
