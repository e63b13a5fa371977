"""The judge of expressions: which take longer than in step with a text, and which do not."""

from __future__ import annotations

import pytest

from tests.expressions.automaton import NotJudged
from tests.expressions.growth import Use, growth


@pytest.mark.parametrize(
    "expression",
    [
        r"\w*\d", r"\s+$", r"\s*\n\s*", r".*?X", r"foo.*bar", r"(?=.*\d)x", r"a(?:.*b)?",
        r"[a-z]+(?:[^\W\d]*\d)?", r"[a-z]*\d|[a-z]", r"\w++\d", r"x{200}y", r"(?<!x)\w+-",
        r"(?:(?:a*c*?a+?)*|.)+", r"b(?:(?:c*[ab]+?)*?[ab](?:a+c?|a+?.)*?)+?",
        r"(?:(?:a+c+.+|c{0,2}.))+", b"<c[^>]*>x",
    ],
)  # fmt: skip
def test_what_a_search_reads_again_from_each_place_is_found(expression: str | bytes) -> None:
    assert growth(expression) is not None


@pytest.mark.parametrize(
    "expression",
    [
        r"(a+)+b", r"(?:a*)*b", r"(?:a|a)*b", r"(?:\w+ ?)*x", r"(?:(?:a?)*b)*c", r"\d+\.?\d*x",
        r"\s*\s*x", r"(?:a{1,30}b?){1,30}c",
    ],
)  # fmt: skip
def test_repeats_that_can_share_what_they_read_are_found_even_where_one_match_is_tried(
    expression: str,
) -> None:
    assert growth(expression, use="match") is not None


@pytest.mark.parametrize(
    "expression",
    [
        r"\w+", r"[^\W_]+(?:[-_][^\W_]+)*", r'"[^"]*"', r'(?:"[^"]*")+', r"\b\w+ly\b",
        r"(?<![\d\s])\s*%", r"(?<!\s)\s*\n\s*", r"(?<=[.!?])\s+(?=[A-Z])", r"(?<!\d)\d+(?!\d)",
        r"\d+(?:\.\d+)+(?!\w)|[^\W_]+", r"\d+(?:\.\d+)+|\d+|[^\W\d_]+",
        r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\w)", r"\bhow\b.{0,20}\b(?:you|me)\b",
        r"longer.{0,40}than.{0,40}x", r"^(?:a.*b)*", b"<c[^<>]*>x",
    ],
)  # fmt: skip
def test_what_is_read_once_or_a_bounded_number_of_times_passes(expression: str | bytes) -> None:
    assert growth(expression) is None


@pytest.mark.parametrize(
    ("use", "passes"), [("search", False), ("tokens", True), ("match", True), ("fullmatch", True)]
)
def test_what_is_tried_from_one_place_alone_may_fail_there(use: Use, passes: bool) -> None:
    assert (growth(r"\w*\d", use=use) is None) is passes


def test_a_match_of_the_whole_text_can_fail_where_a_shorter_one_is_found() -> None:
    assert growth(r"(?:\w+ ?)*", use="match") is None
    assert growth(r"(?:\w+ ?)*", use="fullmatch") is not None


@pytest.mark.parametrize("expression", [r"(a+)\1", r"(?:a?){30}a{30}"])
def test_what_cannot_be_judged_says_so(expression: str) -> None:
    with pytest.raises(NotJudged):
        growth(expression)
