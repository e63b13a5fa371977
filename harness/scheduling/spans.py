"""Spans of simulated time: cutting, joining and measuring them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, order=True)
class Span:
    """From ``starts`` up to, but without, ``ends``."""

    starts: datetime
    ends: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether *moment* lies in it."""
        return self.starts <= moment < self.ends

    def within(self, other: Span) -> Span | None:
        """The part of it that lies in *other*; None if there is none."""
        starts, ends = max(self.starts, other.starts), min(self.ends, other.ends)
        return Span(starts, ends) if starts < ends else None


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """What *spans* cover together, as few spans in their order; empty ones are left out."""
    found: list[Span] = []
    for span in sorted(one for one in spans if one.starts < one.ends):
        if found and span.starts <= found[-1].ends:
            found[-1] = Span(found[-1].starts, max(found[-1].ends, span.ends))
        else:
            found.append(span)
    return tuple(found)


def overlap(spans: Iterable[Span], other: Span) -> tuple[Span, ...]:
    """What *spans* cover of *other*."""
    return joined(part for span in spans if (part := span.within(other)) is not None)


def cut_at(span: Span, moments: Iterable[datetime]) -> tuple[Span, ...]:
    """*span*, cut at those of *moments* that lie within it."""
    inner = sorted({moment for moment in moments if span.starts < moment < span.ends})
    ends = [span.starts, *inner, span.ends]
    return tuple(Span(*pair) for pair in pairwise(ends))


def minutes_between(earlier: datetime, later: datetime) -> int:
    """The whole minutes from *earlier* to *later*; negative if it is the other way round."""
    return (later - earlier) // _MINUTE


def total_minutes(spans: Iterable[Span]) -> int:
    """The minutes that *spans* cover together."""
    return sum(minutes_between(span.starts, span.ends) for span in joined(spans))
