"""What the instruments say about a slow page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainee_bench.meta_tasks.tool_client import ToolData

_GAUGES = {
    "full disk": "disk_percent",
    "slow asset": "output_mbit",
    "cache miss": "cache_hit_percent",
    "failed deploy": "errors_per_minute",
}
"""For each cause the reading that moves with it."""
_MOVED = 0.3
"""A reading that differs by more than this share from a week ago has moved."""
LOG_LINES = 60
"""So many lines of a log are read."""
_OFTEN = 5
"""A log that names a page more often says that something is wrong with it."""


@dataclass(frozen=True)
class WebsiteDiagnosis:
    """What is wrong: which page is slow, why, and on which server."""

    page: str
    cause: str
    server: str

    def report(self, responsible: str, approved_by: str) -> dict[str, str]:
        """What a report says, but for the code of an approval."""
        people = {"responsible": responsible, "approved_by": approved_by}
        return {"page": self.page, "cause": self.cause, "server": self.server, **people}


def slowest_page(hour: ToolData, week: ToolData) -> str:
    """The page that is slower in the last hour than in its week, by the monitor's summaries."""
    now, usual = _medians(hour), _medians(week)
    return max(now, key=lambda page: now[page] / usual[page])


def _medians(summary: ToolData) -> dict[str, float]:
    return {str(page["page"]): float(page["median_ms"]) for page in summary["pages"]}


def suspects(health: Mapping[str, ToolData]) -> list[tuple[str, str]]:
    """Causes and servers whose readings have moved, by each server's health; what has moved most
    comes first."""
    found = list[tuple[float, str, str]]()
    for server, shown in health.items():
        now, *_, before = shown["readings"]
        for cause, gauge in _GAUGES.items():
            moved = abs(now[gauge] - before[gauge]) / max(before[gauge], 1.0)
            if moved > _MOVED:
                found.append((moved, cause, server))
    return [(cause, server) for _, cause, server in sorted(found, reverse=True)]


def explains(log: ToolData, page: str) -> bool:
    """Whether a server's log says that something is wrong with *page*."""
    return sum(page in line["text"] for line in log["lines"]) > _OFTEN
