"""The worst day of a run, with which its report begins, and the scores in one line."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.analysis.statistics.summary import AgentSummary
from trainee_bench.harness.documents.document import Medium, Paragraph, Section
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number, pluralize
from trainee_bench.harness.records.results import EpisodeResult

WORST = "worst"
"""The key of the section that the HTML report fills with the day's pictures."""
_NAMED = 3
"""Number of agents named in the headline."""
_HTML = frozenset({Medium.HTML})


def worst_day(results: Sequence[EpisodeResult]) -> EpisodeResult | None:
    """Return the graded day with the lowest score among those on which an agent did anything.

    None if all of these are perfect.
    """
    worked = [
        result
        for result in results
        if result.score is not None
        and result.score < 1
        and result.tool_calls
        and result.world is not None
    ]
    return min(worked, key=lambda result: (result.score or 0.0, result.episode), default=None)


def worst_day_section(results: Sequence[EpisodeResult]) -> list[Section]:
    """Return the head of the worst day's pictures, which only the HTML report draws."""
    worst = worst_day(results)
    if worst is None:
        return []
    named = f"{worst.agent} on {worst.scenario}, {worst.day}: score {format_number(worst.score)}"
    return [Section("The worst day", (Paragraph(named),), key=WORST, media=_HTML)]


def headline(summaries: Sequence[AgentSummary]) -> str:
    """Return the share of complete days, then the score, of the best agents; "" without any."""
    graded = [summary for summary in summaries if summary.score is not None]
    told = [
        f"{summary.agent}: {_percent(summary.complete)} of days complete, "
        f"score {_mean(summary.score)}"
        for summary in graded[:_NAMED]
    ]
    others = len(graded) - len(told)
    return "; ".join([*told, *([f"{pluralize(others, 'more agent')} below"] if others else [])])


def _percent(share: Estimate | None) -> str:
    return NO_VALUE if share is None else f"{100 * share.mean:.0f} %"


def _mean(value: Estimate | None) -> str:
    return format_number(value.mean if value else None)
