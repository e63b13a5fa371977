"""The claim that oracles finish from any state that an agent can leave."""

from __future__ import annotations

import pytest

from tests.quick_round import quick_only
from trainee_bench.harness.certification.finishing import certify_finishing
from trainee_bench.meta_tasks.catalog import matching_rules

QUICK = [
    "meeting_book.department.c1",
    "website_analysis.failed_deploy.h2.no_code",
    "week.appointment",
]
COMPLICATED = [
    "sales.top_sales_employee+split_knowledge+slow_holder",
    "sales.all_depts_qoq_count+retraction",
    "sales.top_sales_employee+sign_off",
    "sales.top_sales_employee+changed_request",
    "sales.top_sales_employee+flawed_contribution",
    "kb_fix.easy+curious_colleague",
    "kb_fix.easy+hidden_instructions",
    "meeting_attend.check_sum.u3+clashing_invitation",
    "transactions.self_approved.s3+busy_holder+policy_change",
]


@pytest.mark.parametrize("rule", quick_only(QUICK, matching_rules(["*"])))
async def test_oracles_finish_what_agents_have_left(rule: str) -> None:
    claim = await certify_finishing(rule, range(2, 3))
    assert claim.holds, claim.broken


@pytest.mark.parametrize("rule", quick_only(COMPLICATED[:1], COMPLICATED))
async def test_oracles_finish_tasks_with_complications(rule: str) -> None:
    claim = await certify_finishing(rule, range(1, 2))
    assert claim.holds, claim.broken


async def test_the_claim_says_how_much_is_still_reached_and_how_often_that_is_the_best() -> None:
    claim = await certify_finishing("kb_fix.easy", range(2))
    assert 0 < claim.facts["finished score"] <= 1
    assert 0 < claim.facts["known best"] <= 1
