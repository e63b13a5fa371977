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

    def is_result(self, text: str) -> bool:
        """Return whether *text* is the article with something else in place of each old id."""
        rest, parts = _normalize(text), CHART_ID.split(_normalize(self.before))
        if _old_ids(rest):
            return False
        for part in parts:
            _, found, rest = rest.partition(part)
            if part and not found:
                return False
        return True

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
        if _old_ids(given):
            return "still has old ids"
        return "has an id that is not the chart's"


@dataclass(frozen=True)
class KbFixTruth:
    """All articles of the task, in the order of the objective."""

    copies: tuple[GradedArticle, ...]


def _old_ids(text: str) -> list[str]:
    """Return the old ids in *text*."""
    return [chart for chart in CHART_ID.findall(text) if chart.startswith("OLD")]


def _normalize(text: str) -> str:
    """Normalize line ends, a byte order mark, and blank lines at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
