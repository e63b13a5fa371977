"""The claim on rules with complications that follow others, or that others follow."""

from __future__ import annotations

import re

import pytest

from trainee_bench.harness.certification.certificates import CLAIMS, certify
from trainee_bench.harness.certification.followers import certify_followers
from trainee_bench.meta_tasks import remembering_client


async def test_a_rule_is_tried_after_and_before_another_and_beside_one_of_its_family() -> None:
    claim = await certify_followers("resume_select.pool12+retraction", range(2))
    assert claim.holds, claim.broken
    assert claim.facts == {"days followed": 6, "taken back": 2}


async def test_a_rule_whose_result_others_take_is_tried_with_one_of_them() -> None:
    claim = await certify_followers("sales.top_sales_employee+corrected_file", range(2))
    assert claim.holds, claim.broken
    assert claim.facts["days followed"] == 6


async def test_a_day_that_does_not_fit_is_noted_in_its_own_words_and_not_counted() -> None:
    rule = "sales.cross_depts_extreme_employee+retraction"
    claim = await certify_followers(rule, range(1, 2))
    assert claim.holds, claim.broken
    (note,) = claim.notes
    assert note.startswith("a day giving to meeting_book.manager.c1 is refused: the person that T1")
    assert claim.facts == {"days followed": 3, "taken back": 1}


@pytest.mark.parametrize(
    "rule", ["kb_fix.easy", "meeting_attend.none.u1+clashing_invitation", "week.rota"]
)
async def test_the_claim_says_nothing_of_rules_that_follow_no_other(rule: str) -> None:
    claim = await certify_followers(rule, range(1))
    assert claim.holds and claim.tried == 1 and not claim.facts
    assert claim.notes == ["a rule of this kind follows no other"]


async def test_an_oracle_that_does_not_know_the_ids_of_followers_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remembering_client, "_LABEL", re.compile(r"\((T\d+)\)”"))
    rule = "sales.per_dept_extreme_employee+retraction"
    (broken,) = (await certify_followers(rule, range(1, 2))).broken
    assert f"on a day with facts that one person takes back, T1b ({rule}) scores 0.0" in broken


async def test_the_certificate_has_the_claim() -> None:
    made = await certify("resume_select.pool12+retraction", range(1), ["followers"])
    assert made.holds and "followers" in CLAIMS and made.fact("taken back") == 1
