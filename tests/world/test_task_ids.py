"""The ids of tasks, as they are made and as texts show them."""

from __future__ import annotations

import re

from trainee_bench.world.task_ids import (
    MOST_FOLLOWERS,
    TASK_ID,
    follower_id,
    numbered_id,
    published_order,
)


def test_every_id_that_is_made_is_known_as_one_and_no_other_word_is() -> None:
    made = [numbered_id(number) for number in (1, 9, 10, 123)]
    made += [follower_id("T2", place) for place in range(MOST_FOLLOWERS)]
    assert made[:4] == ["T1", "T9", "T10", "T123"]
    assert (made[4], made[-1]) == ("T2b", "T2z")
    assert all(re.fullmatch(TASK_ID, id) for id in made)
    others = ("T", "T2a", "T2bc", "K7614", "TRA-1", "T2B", "t2")
    assert not any(re.fullmatch(TASK_ID, word) for word in others)


def test_followers_stand_behind_what_they_follow() -> None:
    assert sorted(["T10", "T2b", "T2", "T1", "T2c"], key=published_order) == [
        "T1", "T2", "T2b", "T2c", "T10",
    ]  # fmt: skip
