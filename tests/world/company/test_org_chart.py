"""Posts and shares: every head is given to somebody, as fairly as whole heads allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.company.org_chart import (
    EXECUTIVES,
    apportion,
    build_org_chart,
    position_of_superior,
)


@given(st.integers(0, 1_000), st.lists(st.integers(1, 100), min_size=1, max_size=12))
def test_a_split_is_whole_and_within_one_of_the_exact_share(total: int, weights: list[int]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * weight / sum(weights)) < 1


def test_a_split_by_hand() -> None:
    # 46 people: 18.86, 2.76 three times, 6.44, 5.06, 3.22, 4.14; four heads are left over.
    assert apportion(46, [41, 6, 6, 6, 14, 11, 7, 9]) == [19, 3, 3, 3, 6, 5, 3, 4]


def test_of_equal_remainders_the_earlier_wins() -> None:
    assert apportion(2, [1, 1, 1]) == [1, 1, 0]
    assert apportion(0, [1, 2]) == [0, 0]


@given(st.integers(10, 500))
def test_everybody_reports_to_somebody_before_them_but_the_first(size: int) -> None:
    posts = build_org_chart(size)
    assert len(posts) == size
    assert posts[0].title == "CEO" and posts[0].superior is None
    for position, post in enumerate(posts[1:], 1):
        assert post.superior is not None and post.superior < position
        boss = posts[post.superior]
        assert boss.leads or boss.title in EXECUTIVES
        if not post.leads and post.title not in EXECUTIVES:
            assert boss.department == post.department


@given(st.integers(10, 500))
def test_teams_of_one_department_differ_by_one_head_at_most(size: int) -> None:
    posts = build_org_chart(size)
    for department in {post.department for post in posts} - {"Executive"}:
        mine = [i for i, post in enumerate(posts) if post.department == department]
        managers = [i for i in mine if posts[i].leads]
        teams = [sum(posts[i].superior == boss for i in mine) for boss in managers]
        assert max(teams) - min(teams) <= 1


@pytest.mark.parametrize(("size", "titles"), [(10, 1), (24, 2), (36, 3), (48, 4), (500, 4)])
def test_executives_by_size(size: int, titles: int) -> None:
    posts = build_org_chart(size)
    assert tuple(p.title for p in posts if p.department == "Executive") == EXECUTIVES[:titles]
    assert position_of_superior("CFO", posts) == (3 if titles == 4 else 0)
