"""Collisions are found as if every ask were weighed, though ids spare most of the weighing."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.colleagues.understanding import Topic, topics_collide
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.topic_collision import mistakes_ask


def asks(subject: str, *ids: str) -> tuple[str, ...]:
    quoted = " and ".join(ids)
    return (
        f"What is the new id of {quoted}?",
        f"Which {subject} replaces {quoted}? I need it today.",
        f"I am updating the {subject}. What became of {quoted}?",
        f"Could you tell me about {quoted}, please?",
        f"Which ids do the old {subject} have now?",
    )


TOPICS = (
    Topic("charts", asks("charts", "OLD482913", "OLD482914"), ("OLD482913", "OLD482914", "a.md")),
    Topic("others", asks("charts", "OLD900001"), ("OLD900001", "b.md")),
    Topic("one slip", asks("charts", "OLD482915"), ("OLD482915",)),
    Topic("a server", asks("server", "web-01"), ("web-01",)),
    Topic("a meeting", asks("meeting", "K-318"), ("K-318",)),
    Topic("the same meeting", asks("meeting", "K-318"), ("K-318",)),
    Topic("no ids", asks("charts", "all of them"), ()),
    Topic("a file", asks("report", "sales_q3.csv"), ("sales_q3.csv",)),
    Topic("a word", asks("project", "heron"), ("heron",)),
)
PAIRS = list(combinations(TOPICS, 2))


def weighed(a: Topic, b: Topic) -> bool:
    """The same by weighing every ask of both."""
    matcher = TopicMatcher((a, b))
    return any(
        mistakes_ask(matcher, ask, at) for at, topic in enumerate((a, b)) for ask in topic.asks
    )


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=lambda topic: topic.id)
def test_ids_spare_work_and_change_nothing(a: Topic, b: Topic) -> None:
    assert topics_collide(a, b) == topics_collide(b, a) == weighed(a, b)


IDS = st.from_regex(r"(OLD|NEW|K-|web-)[0-9]{2,3}|[a-c]{1,2}\.(md|csv)", fullmatch=True)
KEYED = st.lists(IDS, min_size=1, max_size=2, unique=True)
SUBJECTS = st.sampled_from(("charts", "server", "meeting"))


@given(SUBJECTS, KEYED, SUBJECTS, KEYED)
def test_whatever_the_ids_the_outcome_is_that_of_weighing(
    subject: str, ids: list[str], other: str, others: list[str]
) -> None:
    a = Topic("a", asks(subject, *ids), tuple(ids))
    b = Topic("b", asks(other, *others), tuple(others))
    assert topics_collide(a, b) == weighed(a, b)


def test_some_of_the_pairs_collide_and_some_do_not() -> None:
    assert {topics_collide(a, b) for a, b in PAIRS} == {True, False}
