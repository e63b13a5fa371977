"""The submitted copies of articles and their grading."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.families.kb_fix.data import CHART_ID


@dataclass(frozen=True)
class GradedArticle:
    """Grading data of one article.

    ``path`` is the submitted copy, ``before`` the original text, ``after`` the corrected text, and
    ``clues`` are the names of the clues that it needs.
    """

    path: str
    before: str
    after: str
    clues: tuple[str, ...]

    def flaw(self, text: str) -> str:
        """Return the error in a copy with this *text*, or "". It reveals no new id."""
        given, before = _normalize(text), _normalize(self.before)
        if given == _normalize(self.after):
            return ""
        if not given.strip():
            return "is empty"
        if given == before:
            return "is an unchanged copy of the article"
        if CHART_ID.sub("#", given) != CHART_ID.sub("#", before):
            return "differs from the article in more than the ids of charts"
        if any(chart.startswith("OLD") for chart in CHART_ID.findall(given)):
            return "still has old ids"
        return "has an id that is not the chart's"


@dataclass(frozen=True)
class KbFixTruth:
    """All articles of the task, in the order of the objective."""

    copies: tuple[GradedArticle, ...]


def _normalize(text: str) -> str:
    """Normalize line ends, a byte order mark, and blank lines at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
