"""Spans of time."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.scheduling.spans import Span, cut_at, joined, overlap, total_minutes

START = datetime(2025, 10, 1, 8)


def span(first: int, last: int) -> Span:
    return Span(START + timedelta(minutes=first), START + timedelta(minutes=last))


SPANS = st.lists(
    st.tuples(st.integers(0, 90), st.integers(0, 90)).map(sorted).map(lambda p: span(*p))
)


@given(SPANS)
def test_joined_spans_cover_the_same_minutes_and_never_touch(spans: list[Span]) -> None:
    minutes = {
        n for n in range(90) if any(one.holds(START + n * timedelta(minutes=1)) for one in spans)
    }
    found = joined(spans)
    assert total_minutes(found) == total_minutes(spans) == len(minutes)
    assert all(one.ends < other.starts for one, other in pairwise(found))


@given(SPANS, st.lists(st.integers(0, 90)))
def test_a_cut_loses_nothing(spans: list[Span], places: list[int]) -> None:
    moments = [START + timedelta(minutes=place) for place in places]
    for one in joined(spans):
        assert joined(cut_at(one, moments)) == (one,)


def test_an_overlap_is_what_lies_in_both() -> None:
    assert overlap([span(0, 30), span(20, 40), span(50, 60)], span(10, 55)) == (
        span(10, 40),
        span(50, 55),
    )
