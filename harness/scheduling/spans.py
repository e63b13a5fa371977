"""Spans of simulated time, and functions that cut, join and measure them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, order=True)
class Span:
    """A span from ``starts`` up to ``ends``, without ``ends`` itself."""

    starts: datetime
    ends: datetime

    def holds(self, moment: datetime) -> bool:
        """Return whether *moment* lies in the span."""
        return self.starts <= moment < self.ends

    def within(self, other: Span) -> Span | None:
        """Return the part that lies in *other*; None if there is none."""
        starts, ends = max(self.starts, other.starts), min(self.ends, other.ends)
        return Span(starts, ends) if starts < ends else None


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join overlapping *spans* and sort them; empty spans are left out."""
    found: list[Span] = []
    for span in sorted(span for span in spans if span.starts < span.ends):
        if found and span.starts <= found[-1].ends:
            found[-1] = Span(found[-1].starts, max(found[-1].ends, span.ends))
        else:
            found.append(span)
    return tuple(found)


def overlap(spans: Iterable[Span], other: Span) -> tuple[Span, ...]:
    """Return the parts of *other* that *spans* cover."""
    return joined(part for span in spans if (part := span.within(other)) is not None)


def cut_at(span: Span, moments: Iterable[datetime]) -> tuple[Span, ...]:
    """Cut *span* at the *moments* that lie within it."""
    inner = sorted({moment for moment in moments if span.starts < moment < span.ends})
    ends = [span.starts, *inner, span.ends]
    return tuple(Span(*pair) for pair in pairwise(ends))


def minutes_between(earlier: datetime, later: datetime) -> int:
    """Return the whole minutes from *earlier* to *later*; negative if *later* comes first."""
    return (later - earlier) // _MINUTE


def total_minutes(spans: Iterable[Span]) -> int:
    """Return the minutes that *spans* cover together."""
    return sum(minutes_between(span.starts, span.ends) for span in joined(spans))
