"""The corrected articles that are handed in, and how each is compared with the right one."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.families.kb_fix.data import CHART_ID


@dataclass(frozen=True)
class GradedArticle:
    """One article as it is graded: where the copy is handed in, the text before and as it
    should be, and the names of the clues it needs."""

    path: str
    before: str
    after: str
    clues: tuple[str, ...]

    def flaw(self, text: str) -> str:
        """What is wrong with a copy that has this *text*, without a new id; "" if it is right."""
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
    """All articles of the task, in the order in which it names them."""

    copies: tuple[GradedArticle, ...]


def _normalize(text: str) -> str:
    """The text without regard to the kind of line ends and to blank lines at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
