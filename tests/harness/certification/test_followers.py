"""The claim on rules with complications that follow others, or that others follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from trainee_bench.harness.certification.certificates import CLAIMS, certify
from trainee_bench.harness.certification.followers import certify_followers
from trainee_bench.harness.testbench import work_plan
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.needs import Around, Habit, Inbox, Inner, Need, Work
from trainee_bench.meta_tasks.work.asking import WrittenAbout
from trainee_bench.meta_tasks.work.sources import ReadMessage


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


class TakesFollowersForTheirCause(Habit):
    """Takes what is written about T1b for something about T1."""

    name: ClassVar[str] = "takes followers for their cause"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {WrittenAbout: self._written}

    async def _written(
        self, work: Work, need: WrittenAbout, inner: Inner[tuple[ReadMessage, ...]]
    ) -> tuple[ReadMessage, ...]:
        messages = await work(Inbox())
        found = ((re.findall(r"\((T\d+)[a-z]?\)”", heard.text), heard) for heard in messages)
        return tuple(heard for labels, heard in found if need.task in labels)


async def test_a_worker_that_takes_a_follower_for_its_cause_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    habits = (*careful_habits(), TakesFollowersForTheirCause())
    monkeypatch.setattr(work_plan, "careful_habits", lambda: habits)
    rule = "sales.per_dept_extreme_employee+retraction"
    broken = (await certify_followers(rule, range(1, 2))).broken
    assert [flaw.partition(" scores 0.0; ")[0] for flaw in broken] == [
        f"seed 1: on a day after kb_fix.easy, T1b ({rule})",
        f"seed 1: on a day with facts that one person takes back, T1b ({rule})",
        f"seed 1: on a day with facts that one person takes back, T1c ({rule})",
    ]


async def test_the_certificate_has_the_claim() -> None:
    made = await certify("resume_select.pool12+retraction", range(1), ["followers"])
    assert made.holds and "followers" in CLAIMS and made.fact("taken back") == 1
